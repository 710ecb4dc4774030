// Invariant: a wait is a whole number of ms, never negative, never beyond its cap × (1 + jitter) (R-LAD-5), and
// Retry-After only ever postpones (R-ATT-11).
import { type Ladder, ladderWait } from './policy';

/** R-ATT-11: how far behind the ladder's own wait a Retry-After may put an attempt. */
export const RETRY_AFTER_MARGIN_MS = 2 * 3_600_000;

/** Node fires a timer at once when its delay is larger (R-LAD-9). */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * The wait after a ladder's k-th failed attempt with its jitter drawn, ms; null at the ladder's end
 * (R-LAD-1, R-LAD-5). `random` gives [0, 1) and is drawn only where the ladder has jitter.
 */
export function drawWait(ladder: Ladder, k: number, random: () => number): number | null {
  const wait = ladderWait(ladder, k);
  if (wait === null || ladder.jitter <= 0) return wait;
  return wait + Math.floor(wait * ladder.jitter * random());
}

/**
 * R-ATT-11: the wait that an answer's Retry-After makes of the ladder's own, ms. `roomMs` is what is left to the
 * deadline; the caller has ended a delivery whose own wait does not fit into it.
 */
export function postponedWait(ownMs: number, askedMs: number | null, roomMs: number): number {
  if (askedMs === null) return ownMs;
  const wanted = Math.max(ownMs, Math.min(askedMs, ownMs + RETRY_AFTER_MARGIN_MS));
  return Math.max(ownMs, Math.min(wanted, roomMs));
}

/** R-LAD-9: the delay to give a timer that shall fire at `at`, ms; one that fires early looks again. */
export function timerMs(at: number, now: number): number {
  return Math.min(Math.max(0, at - now), LONGEST_TIMER_MS);
}
