// Invariant: an estimate is a range and never less than nothing (R-BRK-10).

export interface DrainInput {
  held: number;
  /** The endpoint's rate per second; null: it has none. */
  ratePerSecond: number | null;
  /** Attempts in flight at once. */
  cap: number;
  /** Durations of the last 50 attempts, ms, in any order. */
  durationsMs: readonly number[];
}

/** How many of the last attempts speak for the next ones. */
const LAST_ATTEMPTS = 50;
/** What an attempt is taken for where none is known yet, ms. */
const UNKNOWN_DURATION_MS = 1_000;

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? UNKNOWN_DURATION_MS;
}

/**
 * R-BRK-10: how long what a gate held takes to go out, ms: held ÷ min(rate, cap ÷ median duration), from what the
 * quicker quarter of the last attempts promises to what the slower one does. Null with a cap of nothing.
 */
export function drainEstimate({ held, ratePerSecond, cap, durationsMs }: DrainInput): {
  medianMs: number;
  fromMs: number;
  toMs: number;
} | null {
  if (cap <= 0) return null;
  const sorted = durationsMs.slice(0, LAST_ATTEMPTS).sort((a, b) => a - b);
  const takes = (durationMs: number) => {
    const byCap = (cap / Math.max(1, durationMs)) * 1_000;
    return Math.round((held / Math.min(ratePerSecond ?? byCap, byCap)) * 1_000);
  };
  return {
    medianMs: takes(quantile(sorted, 0.5)),
    fromMs: takes(quantile(sorted, 0.25)),
    toMs: takes(quantile(sorted, 0.75)),
  };
}
