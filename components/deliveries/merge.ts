/**
 * Invariant: a row that the reader sees keeps its place; rows that are new are counted, and put in only when
 * they are accepted. Both lists run newest first.
 */

export interface Merge<Row> {
  /** What is shown, brought up to date: no row added. */
  kept: Row[];
  /** With everything new in its place. */
  accepted: Row[];
  /** Ids that `accepted` has and `kept` has not. */
  newer: ReadonlySet<string>;
  /** More came than was fetched: accepting starts the list afresh from its head. */
  gap: boolean;
}

/**
 * Lays the freshly fetched head of a list over what is shown. Inside the part that the head covers it is the
 * truth: a row missing there no longer matches the filter and goes.
 */
export function mergeHead<Row extends { id: string }>(
  shown: readonly Row[],
  head: readonly Row[],
  headIsAll: boolean,
): Merge<Row> {
  const known = new Map(shown.map((row, index) => [row.id, index]));
  const newer = new Set(head.filter((row) => !known.has(row.id)).map((row) => row.id));
  const lastKnown = head.findLast((row) => known.has(row.id));
  const covered = headIsAll ? shown.length : lastKnown ? (known.get(lastKnown.id) ?? 0) + 1 : 0;
  const gap = shown.length > 0 && !headIsAll && lastKnown === undefined && head.length > 0;
  const fresh = new Map(head.map((row) => [row.id, row]));
  const beyond = shown.slice(covered);
  const kept = shown.slice(0, covered).flatMap((row) => fresh.get(row.id) ?? []);
  return {
    kept: [...kept, ...beyond],
    accepted: gap ? [...head] : [...head, ...beyond],
    newer,
    gap,
  };
}

/** Whether an unfinished row lies beyond what has been fetched afresh, so that another page is worth asking for. */
export function needsMore<Row extends { id: string; status: string }>(
  shown: readonly Row[],
  fetched: readonly Row[],
): boolean {
  const seen = new Set(fetched.map((row) => row.id));
  return shown.some((row) => row.status === 'pending' && !seen.has(row.id));
}
