/** How an endpoint does, read from itself, the breakers of its environment and its latest deliveries. */
import type { BreakerResource, DeliveryResource, EndpointResource } from '@/server/services/contract';
import { breakerFace } from '../breakers/face';
import { lastResult } from '../deliveries/cells';
import { t } from '../messages';
import { nearTime, type Zone } from '../ui/format';
import { ENDPOINT_LOOKS, type EndpointFace, endpointFace, type Look } from '../ui/status';

export type HealthFace = EndpointFace | 'held';

export const HEALTH_LOOKS: Record<HealthFace, Look> = {
  ...ENDPOINT_LOOKS,
  held: { shape: 'bars', tone: 'held', word: t.endpoints.held },
};

export type HealthEndpoint = Pick<
  EndpointResource,
  'id' | 'status' | 'disabled_reason' | 'paused_until' | 'unsigned_since' | 'failing_since'
>;
type GuardBreaker = Pick<BreakerResource, 'endpoint_id' | 'state' | 'probe_at' | 'probe_in_flight'>;
type LatestDelivery = Pick<DeliveryResource, 'held_by'>;

export interface Health<B extends GuardBreaker = GuardBreaker> {
  face: HealthFace;
  /** The breaker that holds it; null: none does. */
  heldBy: B | null;
}

/**
 * The breaker that holds the endpoint's deliveries. Its own holds all of them; the app's lets a healthy endpoint
 * pass (R-BRK-3), so that only a delivery which is held proves it.
 */
export function holdingBreaker<B extends GuardBreaker>(
  endpoint: Pick<HealthEndpoint, 'id'>,
  breakers: readonly B[],
  latest: readonly LatestDelivery[],
): B | null {
  const notClosed = breakers.filter((breaker) => breaker.state !== 'closed');
  const own = notClosed.find((breaker) => breaker.endpoint_id === endpoint.id);
  if (own) return own;
  if (!latest.some((delivery) => delivery.held_by === 'held_by_breaker')) return null;
  return notClosed.find((breaker) => breaker.endpoint_id === null) ?? null;
}

/** The breaker whose window the endpoint feeds: its own where there is one, else the app's. */
export function guardingBreaker<B extends GuardBreaker>(
  endpoint: Pick<HealthEndpoint, 'id'>,
  breakers: readonly B[],
): B | null {
  const own = breakers.find((breaker) => breaker.endpoint_id === endpoint.id);
  return own ?? breakers.find((breaker) => breaker.endpoint_id === null) ?? null;
}

/** R-FAIL-8: status first, then what stops it (pause, secret, breaker), then how it does. `now` in epoch ms. */
export function healthOf<B extends GuardBreaker>(
  endpoint: HealthEndpoint,
  guards: { breakers: readonly B[]; latest: readonly LatestDelivery[] },
  now: number,
): Health<B> {
  const face = endpointFace(endpoint, now);
  const heldBy = holdingBreaker(endpoint, guards.breakers, guards.latest);
  const isFree = face === 'healthy' || face === 'failing';
  return heldBy && isFree ? { face: 'held', heldBy } : { face, heldBy: null };
}

/** Behind the word, quieter: since when, until when, why. */
export function healthReason(
  endpoint: HealthEndpoint,
  health: Health,
  { now, zone }: { now: number; zone: Zone },
): string | null {
  const words = t.endpoints.reason;
  const at = (iso: string) => nearTime(Date.parse(iso), now, zone);
  switch (health.face) {
    case 'healthy':
      return null;
    case 'failing':
      return endpoint.failing_since && words.since(at(endpoint.failing_since));
    case 'unsigned':
      return endpoint.unsigned_since && words.since(at(endpoint.unsigned_since));
    case 'paused':
      return endpoint.paused_until && words.until(at(endpoint.paused_until));
    case 'held':
      return health.heldBy && breakerFace(health.heldBy, now) === 'open' && health.heldBy.probe_at
        ? words.breakerUntil(at(health.heldBy.probe_at))
        : words.breakerProbe;
    case 'disabled':
      return words.byPerson;
    case 'auto_disabled':
      return words[endpoint.disabled_reason ?? 'failing'];
    default: {
      const never: never = health.face;
      return never;
    }
  }
}

export interface LastAnswer {
  /** "503", "timeout" */
  text: string;
  isCode: boolean;
  /** The receiver's error in its own words. */
  error: string | null;
  at: string;
}

/** The attempt that ended last among deliveries in any order; null before the first. */
export function lastAnswerOf(deliveries: readonly DeliveryResource[]): LastAnswer | null {
  let last: DeliveryResource | null = null;
  for (const delivery of deliveries) {
    if (delivery.last_ended_at === null) continue;
    if (last?.last_ended_at == null || delivery.last_ended_at > last.last_ended_at) last = delivery;
  }
  const result = last && lastResult(last);
  if (!last?.last_ended_at || !result) return null;
  const isCode = 'code' in result;
  return {
    text: isCode ? String(result.code) : result.words,
    isCode,
    error: last.last_error,
    at: last.last_ended_at,
  };
}
