import type {
  AttemptResource,
  BreakerResource,
  DeliveryResource,
  EndpointResource,
} from '@/server/services/contract';
import { t } from '../messages';

export type Tone = 'good' | 'wait' | 'held' | 'bad' | 'off' | 'probe';
export type Shape = 'dot' | 'ring' | 'bars' | 'cross' | 'dash' | 'half';

/** What a delivery looks like: its status, and for `pending` what it is doing just now. */
export type DeliveryFace = 'pending' | 'retrying' | 'in_flight' | 'held' | 'delivered' | 'failed' | 'skipped';
export type EndpointFace = 'healthy' | 'failing' | 'paused' | 'unsigned' | 'disabled' | 'auto_disabled';
export type BreakerFace = BreakerResource['state'];

export interface Look {
  shape: Shape;
  tone: Tone;
  word: string;
}

export const DELIVERY_LOOKS: Record<DeliveryFace, Look> = {
  pending: { shape: 'ring', tone: 'wait', word: t.status.delivery.pending },
  retrying: { shape: 'ring', tone: 'wait', word: t.status.delivery.retrying },
  in_flight: { shape: 'ring', tone: 'wait', word: t.status.delivery.in_flight },
  held: { shape: 'bars', tone: 'held', word: t.status.delivery.held },
  delivered: { shape: 'dot', tone: 'good', word: t.status.delivery.delivered },
  failed: { shape: 'cross', tone: 'bad', word: t.status.delivery.failed },
  skipped: { shape: 'dash', tone: 'off', word: t.status.delivery.skipped },
};

export const ATTEMPT_LOOKS: Record<AttemptResource['outcome'], Look> = {
  delivered: { shape: 'dot', tone: 'good', word: t.status.outcome.delivered },
  unavailable: { shape: 'cross', tone: 'bad', word: t.status.outcome.unavailable },
  rejected: { shape: 'cross', tone: 'bad', word: t.status.outcome.rejected },
  held: { shape: 'bars', tone: 'held', word: t.status.outcome.held },
  unknown: { shape: 'dash', tone: 'off', word: t.status.outcome.unknown },
};

export const ENDPOINT_LOOKS: Record<EndpointFace, Look> = {
  healthy: { shape: 'dot', tone: 'good', word: t.status.endpoint.healthy },
  failing: { shape: 'cross', tone: 'bad', word: t.status.endpoint.failing },
  paused: { shape: 'bars', tone: 'held', word: t.status.endpoint.paused },
  unsigned: { shape: 'bars', tone: 'held', word: t.status.endpoint.unsigned },
  disabled: { shape: 'dash', tone: 'off', word: t.status.endpoint.disabled },
  auto_disabled: { shape: 'cross', tone: 'bad', word: t.status.endpoint.auto_disabled },
};

export const BREAKER_LOOKS: Record<BreakerFace, Look> = {
  closed: { shape: 'dot', tone: 'good', word: t.status.breaker.closed },
  open: { shape: 'cross', tone: 'bad', word: t.status.breaker.open },
  half_open: { shape: 'half', tone: 'probe', word: t.status.breaker.half_open },
};

/** R-DEL-6: stored status first; of a pending one what holds it, then what it waits for. */
export function deliveryFace(
  delivery: Pick<DeliveryResource, 'status' | 'reason' | 'held_by' | 'in_flight'>,
): DeliveryFace {
  if (delivery.status !== 'pending') return delivery.status;
  if (delivery.in_flight) return 'in_flight';
  if (delivery.held_by) return 'held';
  return delivery.reason === 'retrying' ? 'retrying' : 'pending';
}

/** What holds it, or why it ended; null when the status says it all. */
export function deliveryReason(
  delivery: Pick<DeliveryResource, 'status' | 'reason' | 'held_by' | 'in_flight'>,
): string | null {
  if (delivery.status === 'delivered' || delivery.in_flight) return null;
  if (delivery.status === 'pending') return delivery.held_by ? t.status.held[delivery.held_by] : null;
  return delivery.reason ? t.status.reason[delivery.reason] : null;
}

/** How far the present ladder is used up, 0–1; the one that moved further decides. */
export function ladderShare(delivery: Pick<DeliveryResource, 'fast' | 'slow'>): number {
  const share = ({ used, of }: { used: number; of: number }) => (of > 0 ? used / of : 0);
  return Math.min(1, Math.max(share(delivery.fast), share(delivery.slow)));
}

/** R-FAIL-1: status first, then what stops it, then how it does. `now` in epoch ms. */
export function endpointFace(
  endpoint: Pick<EndpointResource, 'status' | 'paused_until' | 'unsigned_since' | 'failing_since'>,
  now: number,
): EndpointFace {
  if (endpoint.status !== 'active') return endpoint.status;
  if (endpoint.paused_until && Date.parse(endpoint.paused_until) > now) return 'paused';
  if (endpoint.unsigned_since) return 'unsigned';
  return endpoint.failing_since ? 'failing' : 'healthy';
}
