/** What the engine may take to begin an attempt that is due, and to tell of it. */
const GRACE_MS = 1_000;
/** How often what is overdue is looked at again. */
const OVERDUE_MS = 5_000;
/** A timer takes no more (R-LAD-9); the look at an hour's end costs nothing. */
const LONGEST_MS = 3_600_000;

/** How long to wait before looking again at what is due at these instants, ms; null: nothing is. */
export function untilDue(instants: readonly number[], now: number): number | null {
  if (instants.length === 0) return null;
  const waits = instants.map((at) => (at + GRACE_MS > now ? at + GRACE_MS - now : OVERDUE_MS));
  return Math.min(...waits, LONGEST_MS);
}
