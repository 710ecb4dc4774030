import type { EndpointResource } from '@/server/services/contract';

/** How the console names an endpoint: its description's first line, else the host of its URL. */
export function endpointName(endpoint: Pick<EndpointResource, 'description' | 'url'>): string {
  const line = endpoint.description.trim().split('\n')[0]?.trim();
  if (line) return line;
  return URL.canParse(endpoint.url) ? new URL(endpoint.url).host : endpoint.url;
}
