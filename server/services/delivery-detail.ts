// A delivery's page in one answer: what happened, what is still to come, and whether it can be resent.
import { matchesType } from '@/server/core/event-filter';
import type { Queries } from '@/server/ports/queries';
import type { DeliveryListRow, EndpointRow, EventWithBody } from '@/server/ports/records';
import type { DeliveryDetail } from './contract';
import { buildTimeline } from './delivery-timeline';
import { attemptsOf } from './lookup';
import { renderAttempt } from './render/attempt';
import { deliveryId, renderDelivery } from './render/delivery';
import { endpointLabel, renderEndpoint } from './render/endpoint';
import { renderEvent } from './render/event';
import type { View } from './render/view';
import { notFound } from './service-error';

/** @throws ServiceError not_found when its event is gone */
export async function buildDeliveryDetail(
  queries: Queries,
  row: DeliveryListRow,
  view: View,
): Promise<DeliveryDetail> {
  const event = await queries.eventById(row.eventId);
  if (event === null) throw notFound();
  const endpoint = row.endpointId === null ? null : (view.endpoints.get(row.endpointId) ?? null);
  const attempts = await attemptsOf(queries, row.id);
  const all = (await queries.deliveriesOfEvents([row.eventId])).map((other) => ({
    id: other.id,
    resource: renderDelivery(other, view),
  }));
  const id = deliveryId(row);
  return {
    delivery: renderDelivery(row, view),
    event: renderEvent(event, { deliveries: all.map((other) => other.resource), body: event.body }),
    endpoint: endpoint === null ? null : renderEndpoint(endpoint, view),
    attempts: attempts.map((attempt) => renderAttempt(attempt, id, view)),
    siblings: all.filter((other) => other.id !== row.id).map((other) => other.resource),
    timeline: await buildTimeline(queries, row, { view, attempts, endpoint }),
    resendBlocked: resendBlocked(event, endpoint, view),
    endpointLabel: endpoint === null ? null : endpointLabel(endpoint),
  };
}

/** R-RES-1: why a resend of this delivery would be refused now. */
function resendBlocked(
  event: EventWithBody,
  endpoint: EndpointRow | null,
  view: View,
): DeliveryDetail['resendBlocked'] {
  if (endpoint !== null) return endpoint.status === 'active' ? null : 'endpoint_disabled';
  const anyone = [...view.endpoints.values()].some(
    (candidate) => candidate.status === 'active' && matchesType(candidate.types, event.type),
  );
  return anyone ? null : 'no_webhook';
}
