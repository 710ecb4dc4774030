/**
 * Invariant: every draw in the product comes from here, so that a run can be repeated from its seed (R-LAD-5).
 */

/** Chance as an argument. */
export interface Random {
  /** A number in [0, 1). */
  next(): number;
  /** `n` unpredictable bytes, fit for secrets in the system's own adapter. */
  bytes(n: number): Uint8Array;
}
