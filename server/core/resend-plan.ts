// Invariant: a resend never makes a second delivery of one event to one endpoint, nor a second cycle before the first
// has had an attempt (R-RES-1).
import { cycleHasAttempt } from './cycle';
import { matchesType } from './event-filter';
import type { DeliveryState, EndpointStatus, Environment } from './model';

export interface ResendTarget {
  id: number;
  environment: Environment;
  status: EndpointStatus;
}

export interface ResendDelivery extends Pick<DeliveryState, 'status' | 'nextTrigger' | 'cycle'> {
  id: number;
  /** Null: the row of an event that matched none; a resend replaces it (R-PUB-3). */
  endpointId: number | null;
  lease: { cycle: number } | null;
}

export interface ResendInput {
  event: { environment: Environment; type: string };
  /** The endpoint asked for; null: all that the event went to. */
  target: ResendTarget | null;
  deliveries: readonly ResendDelivery[];
  /** All endpoints of the event's app and environment. */
  endpoints: readonly { id: number; status: EndpointStatus; types: readonly string[] }[];
}

export type ResendPlan =
  | {
      kind: 'ok';
      /** Deliveries that begin a new cycle. */
      begin: readonly number[];
      /** Endpoints that get a delivery of their own. */
      create: readonly number[];
      /** Pending deliveries whose present cycle has had no attempt: left as they are. */
      already: readonly number[];
      /** Endpoints that are not active. */
      leftOut: readonly number[];
    }
  | { kind: 'environment_mismatch' | 'endpoint_disabled' | 'no_webhook' };

const NOTHING = { kind: 'ok', begin: [], create: [], already: [], leftOut: [] } as const;

function waitsForItsFirstAttempt(delivery: ResendDelivery): boolean {
  return delivery.status === 'pending' && !cycleHasAttempt(delivery, delivery.lease?.cycle ?? null);
}

function toTarget({ event, deliveries }: ResendInput, target: ResendTarget): ResendPlan {
  if (target.environment !== event.environment) return { kind: 'environment_mismatch' };
  if (target.status !== 'active') return { kind: 'endpoint_disabled' };
  const own = deliveries.find((delivery) => delivery.endpointId === target.id);
  if (own === undefined) return { ...NOTHING, create: [target.id] };
  return waitsForItsFirstAttempt(own) ? { ...NOTHING, already: [own.id] } : { ...NOTHING, begin: [own.id] };
}

function toWhoeverMatches({ event, endpoints }: ResendInput): ResendPlan {
  const create = endpoints
    .filter((endpoint) => endpoint.status === 'active' && matchesType(endpoint.types, event.type))
    .map(({ id }) => id);
  return create.length === 0 ? { kind: 'no_webhook' } : { ...NOTHING, create };
}

/** R-RES-1, R-RES-2: what a resend of one event does; with an attempt in flight the new cycle waits for its end. */
export function planResend(input: ResendInput): ResendPlan {
  if (input.target !== null) return toTarget(input, input.target);
  const active = new Set(input.endpoints.filter(({ status }) => status === 'active').map(({ id }) => id));
  const begin: number[] = [];
  const already: number[] = [];
  const leftOut: number[] = [];
  for (const delivery of input.deliveries) {
    if (delivery.endpointId === null) continue;
    if (!active.has(delivery.endpointId)) leftOut.push(delivery.endpointId);
    else if (waitsForItsFirstAttempt(delivery)) already.push(delivery.id);
    else begin.push(delivery.id);
  }
  if (begin.length + already.length > 0) return { ...NOTHING, begin, already, leftOut };
  return leftOut.length > 0 ? { kind: 'endpoint_disabled' } : toWhoeverMatches(input);
}
