// Invariant: the silences of a delivery are derived from the intervals of its gates; no row was ever written for one
// (R-DEL-7). Components use this file: it imports nothing of Node.
import type { DeliveryFacts, DeliveryState, GateInterval, LadderName } from './model';
import { type LadderPart, ladderWait } from './policy';

/** What of a past attempt the silences need. */
export interface AttemptSpan {
  cycle: number;
  startedAt: number;
  endedAt: number;
  /** The ladder that the attempt's end moved, and the counter after it. */
  ladder: LadderName | null;
  step: number | null;
}

export interface Silence {
  kind: GateInterval['kind'];
  fromAt: number;
  /** Null: it lasts. */
  toAt: number | null;
}

export interface SilenceInput {
  state: Pick<DeliveryState, 'status' | 'cycle' | 'cycleStartedAt' | 'dueAt' | 'endedAt'>;
  facts: Pick<DeliveryFacts, 'eventCreatedAt'>;
  ladder: Pick<LadderPart, 'ladder' | 'slowLadder'>;
  /** Oldest first. */
  attempts: readonly AttemptSpan[];
  intervals: readonly GateInterval[];
  /** Whether an attempt is in flight: then nothing is silent now. */
  inFlight: boolean;
  now: number;
}

/** A time in which it was due and not attempted, so that a gate in it was felt. */
interface Stretch {
  dueAt: number;
  toAt: number | null;
}

/** When the attempt after this one fell due, leaving jitter out. */
function dueAfter(attempt: AttemptSpan, ladder: SilenceInput['ladder']): number {
  const own = attempt.ladder === 'slow' ? ladder.slowLadder : ladder.ladder;
  const waited = attempt.ladder === null || own === undefined ? null : ladderWait(own, attempt.step ?? 0);
  return attempt.endedAt + (waited ?? 0);
}

/** When a cycle's first attempt fell due; null where the row no longer says. */
function dueAtStart(cycle: number, { state, facts }: SilenceInput): number | null {
  if (cycle === state.cycle) return state.cycleStartedAt;
  return cycle === 1 ? facts.eventCreatedAt : null;
}

function stretchesOf(input: SilenceInput): readonly Stretch[] {
  const { attempts, state, ladder, inFlight, now } = input;
  const stretches: Stretch[] = [];
  attempts.forEach((attempt, index) => {
    const before = attempts[index - 1];
    const dueAt =
      before !== undefined && before.cycle === attempt.cycle
        ? dueAfter(before, ladder)
        : dueAtStart(attempt.cycle, input);
    if (dueAt !== null) stretches.push({ dueAt, toAt: attempt.startedAt });
  });
  const last = attempts.at(-1);
  if (state.status === 'pending') {
    if (state.dueAt !== null && state.dueAt <= now && !inFlight)
      stretches.push({ dueAt: state.dueAt, toAt: null });
  } else if (state.status !== 'delivered') {
    const dueAt = last?.cycle === state.cycle ? dueAfter(last, ladder) : state.cycleStartedAt;
    stretches.push({ dueAt, toAt: state.endedAt });
  }
  return stretches;
}

/** R-DEL-7: one line for each interval of a gate that a due delivery waited in, oldest first. */
export function silencesOf(input: SilenceInput): readonly Silence[] {
  const silences: Silence[] = [];
  for (const { dueAt, toAt } of stretchesOf(input)) {
    for (const interval of input.intervals) {
      const fromAt = Math.max(interval.fromAt, dueAt);
      const end = Math.min(interval.toAt ?? Number.POSITIVE_INFINITY, toAt ?? Number.POSITIVE_INFINITY);
      if (end > fromAt && (toAt !== null || fromAt <= input.now)) {
        silences.push({ kind: interval.kind, fromAt, toAt: Number.isFinite(end) ? end : null });
      }
    }
  }
  return silences.sort((a, b) => a.fromAt - b.fromAt);
}
