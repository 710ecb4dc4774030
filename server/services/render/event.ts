// An event's row as the resource of api.md; its body as it is sent, byte for byte (R-PUB-9).
import type { EventRow } from '@/server/ports/records';
import type { DeliveryResource, EventResource } from '../contract';
import { iso, isoOrNull } from './delivery';

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The bytes as JSON can carry them: as text where they are UTF-8, else as base64. */
export function renderBody(body: Uint8Array): Required<Pick<EventResource, 'body' | 'body_encoding'>> {
  try {
    return { body: decoder.decode(body), body_encoding: 'utf8' };
  } catch {
    return { body: Buffer.from(body).toString('base64'), body_encoding: 'base64' };
  }
}

/** `body` left out: the answer does not repeat it. */
export function renderEvent(
  row: EventRow,
  parts: { deliveries: readonly DeliveryResource[]; body?: Uint8Array },
): EventResource {
  return {
    id: row.publicId,
    type: row.type,
    environment: row.environment,
    created_at: iso(row.createdAt),
    occurred_at: isoOrNull(row.occurredAt),
    money: row.money,
    resource: row.resource,
    ...(parts.body === undefined ? {} : renderBody(parts.body)),
    content_type: row.contentType,
    body_sha256: row.bodySha256,
    matched_at_publish: row.matchedAtPublish,
    deliveries: [...parts.deliveries],
  };
}
