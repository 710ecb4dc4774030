/**
 * Invariant: order is kept. A later instant never stands left of an earlier one, whatever the spreading does.
 * Lengths are in CSS pixels, instants in epoch ms.
 */

const SECOND = 1_000;
/** A short story is not stretched over the whole width. */
const MOST_APART = 160;

/** Symmetric logarithm around a pivot: seconds beside it and days far from it are both readable (R-LAD-7). */
export function warp(at: number, pivot: number): number {
  const distance = (at - pivot) / SECOND;
  return Math.sign(distance) * Math.log1p(Math.abs(distance));
}

/** Moves sorted positions apart to at least `gap` inside [from, to], touching as few as it can. */
export function spread(
  positions: readonly number[],
  { gap, from, to }: { gap: number; from: number; to: number },
): number[] {
  if (positions.length === 0) return [];
  const room = positions.length > 1 ? Math.min(gap, (to - from) / (positions.length - 1)) : 0;
  const placed: number[] = [];
  for (const position of positions) {
    const least = placed.length > 0 ? (placed.at(-1) ?? from) + room : from;
    placed.push(Math.max(position, least));
  }
  let most = to;
  for (let i = placed.length - 1; i >= 0; i -= 1) {
    const here = placed[i] ?? from;
    placed[i] = Math.min(here, most);
    most = (placed[i] ?? from) - room;
  }
  return placed;
}

export interface Axis {
  /** Where an instant stands. */
  place(at: number): number;
  nowX: number;
  width: number;
}

export interface AxisRequest {
  /** All that is drawn, in any order. */
  instants: readonly number[];
  now: number;
  width: number;
  /** Free at both ends. */
  pad: number;
  /** Wished for between neighbours. */
  gap: number;
}

/** How much of the width belongs to the past: by extent and by how many marks stand there, a quarter at least. */
function pastShare(past: readonly number[], future: readonly number[], now: number): number {
  if (future.length === 0) return 1;
  if (past.length === 0) return 0;
  const extent = (instants: readonly number[]) =>
    Math.max(...instants.map((at) => Math.abs(warp(at, now))), Number.EPSILON);
  const byExtent = extent(past) / (extent(past) + extent(future));
  const byCount = past.length / (past.length + future.length);
  return Math.min(0.75, Math.max(0.25, (byExtent + byCount) / 2));
}

/** Positions of one side's sorted instants between two ends, by the logarithm, then spread. */
function side(
  instants: readonly number[],
  { pivot, from, to, gap }: { pivot: number; from: number; to: number; gap: number },
): number[] {
  const first = warp(instants[0] ?? pivot, pivot);
  const last = warp(instants.at(-1) ?? pivot, pivot);
  const scale = last > first ? (to - from) / (last - first) : 0;
  const raw = instants.map((at) => from + (warp(at, pivot) - first) * scale);
  return spread(raw, { gap, from, to });
}

/**
 * The axis: logarithmic on both sides of now, neighbours kept apart. When nothing lies ahead the story is over,
 * and the logarithm starts where the story does, so that a ladder's first attempts are not crowded by its last.
 */
export function makeAxis({ instants, now, width, pad, gap }: AxisRequest): Axis {
  const sorted = [...new Set(instants)].sort((a, b) => a - b);
  const past = sorted.filter((at) => at < now);
  const future = sorted.filter((at) => at > now);
  const inner = Math.max(0, width - 2 * pad);
  const ended = future.length === 0;
  const left = ended && !sorted.includes(now) ? past : [...past, now];
  const room = ended ? Math.min(inner, Math.max(0, left.length - 1) * MOST_APART) : inner;
  const nowX = pad + room * pastShare(past, future, now);
  const right = ended ? [] : [now, ...future];
  const pivot = ended ? (left[0] ?? now) : now;
  const knots = ended ? left : [...left, ...right.slice(1)];
  const leftXs = side(left, { pivot, from: pad, to: nowX, gap });
  const rightXs = side(right, { pivot: now, from: nowX, to: width - pad, gap });
  const xs = ended ? leftXs : [...leftXs, ...rightXs.slice(1)];
  return { place: (at) => interpolate({ at, pivot, knots, xs }), nowX, width };
}

/** Between two knots an instant stands where the logarithm puts it; outside, at the nearest end. */
function interpolate(query: {
  at: number;
  pivot: number;
  knots: readonly number[];
  xs: readonly number[];
}): number {
  const { at, pivot, knots, xs } = query;
  const after = knots.findIndex((knot) => knot >= at);
  if (after < 0) return xs.at(-1) ?? 0;
  const x1 = xs[after] ?? 0;
  const knot1 = knots[after] ?? at;
  if (after === 0 || knot1 === at) return x1;
  const x0 = xs[after - 1] ?? x1;
  const w0 = warp(knots[after - 1] ?? at, pivot);
  const w1 = warp(knot1, pivot);
  return x0 + ((warp(at, pivot) - w0) / (w1 - w0)) * (x1 - x0);
}
