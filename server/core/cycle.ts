// Invariant: every row's first state and every new cycle is made here; only a person leads out of an end (R-DEL-1).
import { ageEndOf } from './deadline';
import type { DeliveryFacts, DeliveryState, Trigger } from './model';
import type { LadderPart } from './policy';

export interface Beginning {
  now: number;
  eventCreatedAt: number;
  ladder: Pick<LadderPart, 'maxAgeMs'>;
}

const UNTOUCHED = {
  attempts: 0,
  fast: 0,
  slow: 0,
  slowStartedAt: null,
  unknowns: 0,
  waitCause: null,
  ladderWaitMs: null,
  retryAfterMs: null,
  lastOutcome: null,
  lastStatusCode: null,
  lastErrorClass: null,
  lastEndedAt: null,
  firstDeliveredAt: null,
} as const;

/** A person began the cycle, so that its age limit is not before 48 h after its start (R-RES-1). */
function byPerson(trigger: Trigger): boolean {
  return trigger === 'resend' || trigger === 'replay';
}

/** A delivery that is due at once, in its first cycle. `trigger` is that of its first attempt. */
export function firstState(at: Beginning & { trigger: Exclude<Trigger, 'retry' | 'probe'> }): DeliveryState {
  const cycle = {
    cycle: 1,
    cycleStartedAt: at.now,
    cycleByPerson: byPerson(at.trigger),
    slowStartedAt: null,
  };
  return {
    ...UNTOUCHED,
    ...cycle,
    status: 'pending',
    reason: 'waiting',
    dueAt: at.now,
    nextTrigger: at.trigger,
    endedAt: null,
    deadlineAt: ageEndOf({ state: cycle, facts: at, ladder: at.ladder }),
  };
}

/** R-PUB-3, `whenNoEndpoint: skip`: the one row of an event that matched none. */
export function skippedForWantOfEndpoint(at: Beginning): DeliveryState {
  const state = firstState({ ...at, trigger: 'first' });
  return { ...state, status: 'skipped', reason: 'no_endpoint', dueAt: null, endedAt: at.now };
}

/** R-PUB-3, `whenNoEndpoint: wait`: pending until a matching endpoint comes or the age ends it. */
export function waitingForEndpoint(at: Beginning): DeliveryState {
  return { ...firstState({ ...at, trigger: 'first' }), reason: 'no_endpoint', dueAt: null };
}

/**
 * R-PUB-3: a matching endpoint has come: the waiting row becomes that endpoint's delivery, due now. Null where the row
 * does not wait for one, or its time is over.
 */
export function assignEndpoint(
  state: DeliveryState,
  at: Pick<Beginning, 'now' | 'ladder'> & Pick<DeliveryFacts, 'eventCreatedAt'>,
): DeliveryState | null {
  if (state.status !== 'pending' || state.reason !== 'no_endpoint') return null;
  const deadlineAt = ageEndOf({ state, facts: at, ladder: at.ladder });
  if (at.now > deadlineAt) return null;
  return { ...state, reason: 'waiting', dueAt: at.now, deadlineAt };
}

/**
 * R-RES-1: a person begins a new cycle, due at once: both counters and the slow window start anew, the age goes on.
 * `ladder` is the new cycle's (R-LAD-8). What is known of the receiver, the number of attempts and a first success stay.
 */
export function beginCycle(
  state: DeliveryState,
  at: { facts: Pick<DeliveryFacts, 'eventCreatedAt'>; ladder: Pick<LadderPart, 'maxAgeMs'>; now: number } & {
    trigger: 'resend' | 'replay';
  },
): DeliveryState {
  const cycle = { cycleStartedAt: at.now, cycleByPerson: true, slowStartedAt: null };
  return {
    ...state,
    ...cycle,
    status: 'pending',
    reason: 'waiting',
    cycle: state.cycle + 1,
    fast: 0,
    slow: 0,
    dueAt: at.now,
    waitCause: null,
    ladderWaitMs: null,
    retryAfterMs: null,
    nextTrigger: at.trigger,
    endedAt: null,
    deadlineAt: ageEndOf({ state: cycle, facts: at.facts, ladder: at.ladder }),
  };
}

/** R-RES-1: whether the present cycle has had an attempt, one in flight counted; `leaseCycle` is its lease's. */
export function cycleHasAttempt(
  state: Pick<DeliveryState, 'nextTrigger' | 'cycle'>,
  leaseCycle: number | null,
): boolean {
  return state.nextTrigger === 'retry' || leaseCycle === state.cycle;
}
