import { breakerStateAt } from '@/server/core/breaker';
import type { BreakerResource } from '@/server/services/contract';

/**
 * R-BRK-3: the state as it is now. An open one becomes half open when its probe falls due, which no change in the
 * store announces. `now` in epoch ms.
 */
export function breakerFace(
  breaker: Pick<BreakerResource, 'state' | 'probe_at' | 'probe_in_flight'>,
  now: number,
): BreakerResource['state'] {
  return breakerStateAt(
    {
      state: breaker.state,
      probeAt: breaker.probe_at === null ? null : Date.parse(breaker.probe_at),
      probeDeliveryId: breaker.probe_in_flight ? 1 : null,
    },
    now,
  );
}
