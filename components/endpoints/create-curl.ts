import { shellQuote } from '../deliveries/curl';

/** Creating a first endpoint over the API; the key is filled in by whoever runs it. */
export function createExample({ appId, environment }: { appId: string; environment: string }): string {
  const body = JSON.stringify({
    url: 'https://hooks.example.com/payments',
    description: 'shop-eu',
    types: [],
  });
  return [
    `curl -X POST "$HOOKLADDER_URL/dev/apps/${appId}/webhook-endpoints"`,
    `-H "authorization: Bearer $HOOKLADDER_${environment.toUpperCase()}_KEY"`,
    "-H 'content-type: application/json'",
    `-d ${shellQuote(body)}`,
  ].join(' \\\n  ');
}
