/**
 * Invariant: every instant in the product comes from here; nothing outside the adapters reads a clock.
 */

/** Time as an argument. Instants are epoch milliseconds. */
export interface Clock {
  /** The wall clock, epoch ms, a whole number. */
  now(): number;
  /** A clock that never steps, in ms since an arbitrary start (R-TIM-1). */
  monotonic(): number;
  /**
   * Calls `fn` once, as soon as `now()` has reached `at` (epoch ms), never before; an instant that has passed
   * fires on a later turn of the event loop, never within this call. A far instant is reached by a chain of
   * waits, since a timer longer than 2^31−1 ms fires at once (R-LAD-9, P20).
   * @returns cancels the timer; calling it after the timer fired does nothing.
   */
  setTimer(at: number, fn: () => void): () => void;
}
