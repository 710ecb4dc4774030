// Invariant: transition, expiry sweep, claim and timeline take the end of a delivery's time from here alone (R-FAIL-8).
import type { DeliveryFacts, DeliveryState, GateInterval } from './model';
import type { LadderPart } from './policy';

/** R-LAD-4, R-RES-1: a cycle that a person began ends by age not before this long after its start, ms. */
export const PERSONS_CYCLE_MS = 48 * 3_600_000;

export interface Deadline {
  /** The last instant at which an attempt may start. */
  at: number;
  reason: 'slow_window_over' | 'too_old';
}

export interface DeadlineInput {
  state: Pick<DeliveryState, 'cycleByPerson' | 'cycleStartedAt' | 'slowStartedAt'>;
  facts: Pick<DeliveryFacts, 'eventCreatedAt'>;
  ladder: Pick<LadderPart, 'maxAgeMs' | 'slowWindowMs'>;
  /** In any order; breaker intervals are passed over, an open one lasts until `now`. */
  gates: readonly GateInterval[];
  now: number;
}

/** R-LAD-4, R-RES-1: the instant past which the event is too old, epoch ms. */
export function ageEndOf({ state, facts, ladder }: Omit<DeadlineInput, 'gates' | 'now'>): number {
  const byAge = facts.eventCreatedAt + ladder.maxAgeMs;
  return state.cycleByPerson ? Math.max(byAge, state.cycleStartedAt + PERSONS_CYCLE_MS) : byAge;
}

/**
 * R-LAD-3, R-FAIL-8: the end of the slow window, epoch ms: its start + its length + the pauses and secret outages
 * since, overlaps once; null while the cycle has no slow window.
 */
export function slowWindowEndOf({ state, ladder, gates, now }: Omit<DeadlineInput, 'facts'>): number | null {
  const { slowStartedAt } = state;
  if (slowStartedAt === null || ladder.slowWindowMs === undefined) return null;
  const extensions = gates
    .filter((gate) => gate.kind !== 'breaker')
    .map((gate) => ({ from: Math.max(gate.fromAt, slowStartedAt), to: gate.toAt ?? now }))
    .sort((a, b) => a.from - b.from);
  let end = slowStartedAt + ladder.slowWindowMs;
  let covered = slowStartedAt;
  for (const { from, to } of extensions) {
    const start = Math.max(from, covered);
    if (to <= start || start >= end) continue;
    end += to - start;
    covered = to;
  }
  return end;
}

/** The earlier of the slow window's end and the age's (R-LAD-3, R-LAD-4, R-LAD-10, R-FAIL-8). */
export function deadlineOf(input: DeadlineInput): Deadline {
  const age = ageEndOf(input);
  const slow = slowWindowEndOf(input);
  return slow !== null && slow <= age
    ? { at: slow, reason: 'slow_window_over' }
    : { at: age, reason: 'too_old' };
}
