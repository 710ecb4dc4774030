import type { Clock } from '@/server/ports/clock';

/** The longest wait Node takes; one more and the timer fires after 1 ms (R-LAD-9, P20). */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** The machine's clock. Timers fire by the wall clock: one that wakes early, or after a step back, waits on. */
export function createSystemClock(): Clock {
  const now = () => Date.now();
  return { now, monotonic: () => performance.now(), setTimer: (at, fn) => setChainedTimer(now, at, fn) };
}

function setChainedTimer(now: () => number, at: number, fn: () => void): () => void {
  let handle: ReturnType<typeof setTimeout>;
  const arm = () => {
    const waitMs = Math.min(Math.max(at - now(), 0), MAX_TIMER_MS);
    handle = setTimeout(() => (now() < at ? arm() : fn()), waitMs);
  };
  arm();
  return () => clearTimeout(handle);
}
