// The answer to a publish: the event with the deliveries that were written with it.

import { derivedReason } from '@/server/core/gates';
import { deriveId } from '@/server/core/ids';
import type { PublishedDelivery, PublishedEvent, PublishRecord } from '@/server/ports/store';
import type { DeliveryResource, EventResource } from './contract';
import type { Warning } from './publish-record';
import { budgets, iso, isoOrNull } from './render/delivery';
import { breakerOf, effectivePolicy, type View } from './render/view';

/** `body` is left out: the publisher has it. */
export function renderPublished(
  event: PublishedEvent,
  from: { record: PublishRecord; warnings: readonly Warning[]; view: View },
): EventResource {
  const { record, warnings, view } = from;
  return {
    id: record.publicId,
    type: record.type,
    environment: record.environment,
    created_at: iso(record.createdAt),
    occurred_at: isoOrNull(record.occurredAt),
    money: record.money,
    resource: record.resource,
    content_type: record.contentType,
    body_sha256: record.bodySha256,
    matched_at_publish: event.matchedAtPublish,
    deliveries: event.deliveries.map((delivery) => renderFresh(delivery, { record, view })),
    warnings: [...warnings],
  };
}

/** A delivery that nothing has happened to yet. */
function renderFresh(
  delivery: PublishedDelivery,
  from: { record: PublishRecord; view: View },
): DeliveryResource {
  const { record, view } = from;
  const endpoint = delivery.endpointId === null ? null : (view.endpoints.get(delivery.endpointId) ?? null);
  const policy = effectivePolicy(view, endpoint);
  const dueAt = delivery.status === 'pending' && endpoint !== null ? delivery.createdAt : null;
  const held =
    endpoint === null
      ? null
      : derivedReason({
          health: endpoint,
          breaker: breakerOf(view, endpoint),
          scope: policy.breaker?.scope ?? null,
          state: { status: delivery.status, reason: delivery.reason, dueAt, nextTrigger: 'first' },
          inFlight: false,
          now: Math.max(view.now, delivery.createdAt),
        });
  return {
    id: deriveId('dlv', delivery.createdAt, delivery.id),
    event_id: record.publicId,
    endpoint_id: delivery.endpointPublicId,
    endpoint_number: delivery.endpointNumber,
    type: record.type,
    environment: record.environment,
    status: delivery.status,
    reason: delivery.reason,
    held_by: held?.heldBy ?? null,
    held_until: isoOrNull(held?.heldUntil ?? null),
    in_flight: false,
    cycle: 1,
    attempts: 0,
    ...budgets({ fast: 0, slow: 0, money: record.money }, policy),
    money: record.money,
    amount: record.amount,
    currency: record.currency,
    exponent: record.exponent,
    resource: record.resource,
    last_status_code: null,
    last_error_class: null,
    last_error: null,
    last_duration_ms: null,
    last_ended_at: null,
    next_attempt_at: isoOrNull(dueAt),
    first_delivered_at: null,
    ended_at: delivery.status === 'pending' ? null : iso(delivery.createdAt),
    created_at: iso(delivery.createdAt),
  };
}
