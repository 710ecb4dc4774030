// An endpoint's row as the resource of api.md: names of own headers only, the secret never.
import type { EndpointRow } from '@/server/ports/records';
import type { EndpointResource } from '../contract';
import { iso, isoOrNull } from './delivery';
import { effectivePolicy, type View } from './view';

export function renderEndpoint(row: EndpointRow, view: View): EndpointResource {
  const policy = effectivePolicy(view, row);
  return {
    id: row.publicId,
    number: row.number,
    url: shownUrl(row.url, view),
    description: row.description,
    environment: row.environment,
    status: row.status,
    disabled_reason: row.disabledReason,
    paused_until: row.pausedUntil !== null && row.pausedUntil > view.now ? iso(row.pausedUntil) : null,
    types: [...row.types],
    headers: [...row.headerNames],
    policy: row.policyId === null ? null : policy.name,
    scheme: policy.signature.scheme,
    concurrency: row.concurrency,
    failing_since: isoOrNull(row.failingSince),
    consecutive_failures: row.consecutiveFailures,
    unsigned_since: isoOrNull(row.unsignedSince),
    created_at: iso(row.createdAt),
    updated_at: iso(row.updatedAt),
  };
}

/** A URL as the reader may see it (D04). */
export function shownUrl(url: string, view: Pick<View, 'hidesQueries'>): string {
  const query = url.indexOf('?');
  return view.hidesQueries && query >= 0 ? `${url.slice(0, query)}?…` : url;
}

/** How a person names the endpoint: its description, else the URL's host. */
export function endpointLabel(row: Pick<EndpointRow, 'description' | 'url'>): string {
  if (row.description !== '') return row.description;
  return URL.canParse(row.url) ? new URL(row.url).host : row.url;
}
