import type { BreakerResource } from '@/server/services/contract';

/**
 * R-BRK-3: the state as it is now. An open one becomes half open when its probe falls due, which no change in the
 * store announces. `now` in epoch ms.
 */
export function breakerFace(
  breaker: Pick<BreakerResource, 'state' | 'probe_at'>,
  now: number,
): BreakerResource['state'] {
  const isDue = breaker.probe_at !== null && Date.parse(breaker.probe_at) <= now;
  return breaker.state === 'open' && isDue ? 'half_open' : breaker.state;
}
