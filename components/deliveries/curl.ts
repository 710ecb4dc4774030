/** Shell commands to copy. Everything that came from outside is quoted: a body cannot become a command. */

export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

export interface CurlRequest {
  url: string;
  contentType: string;
  body: string;
  encoding: 'utf8' | 'base64';
  /** Names and values that are sent with every attempt and are not secret. */
  headers: readonly (readonly [string, string])[];
}

/** The request of a delivery as a curl command; without a signature, which only the server can make. */
export function curlCommand({ url, contentType, body, encoding, headers }: CurlRequest): string {
  const all = [['content-type', contentType] as const, ...headers];
  const lines = [
    `curl -X POST ${shellQuote(url)}`,
    ...all.map(([name, value]) => `-H ${shellQuote(`${name}: ${value}`)}`),
    encoding === 'utf8' ? `--data-binary ${shellQuote(body)}` : '--data-binary @-',
  ];
  const command = lines.join(' \\\n  ');
  return encoding === 'utf8' ? command : `base64 -d <<< ${shellQuote(body)} | ${command}`;
}

/** Publishing a first event; the origin is that of the page that shows it. */
export function publishExample({ appId, environment }: { appId: string; environment: string }): string {
  const body = JSON.stringify({
    type: 'payment.status_changed',
    body: { payment_id: 'pay_1', status: 'succeeded' },
  });
  return [
    `curl -X POST "$HOOKLADDER_URL/dev/apps/${appId}/events"`,
    `-H "authorization: Bearer $HOOKLADDER_${environment.toUpperCase()}_KEY"`,
    "-H 'content-type: application/json'",
    `-d ${shellQuote(body)}`,
  ].join(' \\\n  ');
}
