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
  /** Nothing shown is in the head: what is accepted is the head alone, and goes on where the head ends. */
  afresh: boolean;
  /** More came than was fetched, so that there are rows between the head and what is shown. */
  gap: boolean;
}

export interface Reach {
  /** The head goes down to the list's end. */
  headIsAll: boolean;
  /** What is shown goes down to the list's end. */
  shownIsAll: boolean;
}

/**
 * Lays the freshly fetched head of a list over what is shown. Inside the part that the head covers it is the
 * truth: a row missing there no longer matches the filter and goes. What the head has below the last row shown is
 * old, not new: it is for "load more".
 */
export function mergeHead<Row extends { id: string }>(
  shown: readonly Row[],
  head: readonly Row[],
  { headIsAll, shownIsAll }: Reach,
): Merge<Row> {
  const known = new Map(shown.map((row, index) => [row.id, index]));
  const lastKnown = head.findLastIndex((row) => known.has(row.id));
  const top = lastKnown < 0 || shownIsAll ? head : head.slice(0, lastKnown + 1);
  const newer = new Set(top.filter((row) => !known.has(row.id)).map((row) => row.id));
  const reached = known.get(head[lastKnown]?.id ?? '') ?? -1;
  const covered = headIsAll ? shown.length : reached + 1;
  const afresh = lastKnown < 0;
  const gap = afresh && shown.length > 0 && !headIsAll && head.length > 0;
  const fresh = new Map(top.map((row) => [row.id, row]));
  const beyond = shown.slice(covered);
  const kept = shown.slice(0, covered).flatMap((row) => fresh.get(row.id) ?? []);
  return {
    kept: [...kept, ...beyond],
    accepted: afresh ? [...top] : [...top, ...beyond],
    newer,
    afresh,
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
