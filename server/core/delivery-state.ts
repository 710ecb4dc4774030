// Invariant: pure and total; by itself a delivery only leaves `pending`, never returns to it (R-DEL-1, R-LAD-6).
import { type Deadline, deadlineOf } from './deadline';
import { drawWait, postponedWait } from './ladder';
import type {
  AttemptEnd,
  DeliveryFacts,
  DeliveryState,
  EndpointStatus,
  GateInterval,
  LadderName,
  StoredReason,
  WaitCause,
} from './model';
import { type Classified, classify } from './outcome';
import type { Ladder, LadderPart } from './policy';
import { parseRetryAfter } from './retry-after';

/** R-DEL-11: waits after the first, second, third … `unknown` end in a row, ms; the last one repeats. */
export const UNKNOWN_WAITS_MS: readonly number[] = [0, 60_000, 300_000, 1_800_000];

export interface TransitionInput {
  state: DeliveryState;
  facts: DeliveryFacts;
  /** The ladder part that the cycle keeps (R-LAD-8). */
  ladder: LadderPart;
  end: AttemptEnd;
  /** When the attempt ended, epoch ms: waits count from here. */
  endedAt: number;
  now: number;
  /** [0, 1), drawn for jitter alone. */
  random: () => number;
  /** Intervals that extend the slow window (R-FAIL-8). */
  gates: readonly GateInterval[];
  /** An engine's own waits of R-DEL-11. */
  unknownWaitsMs?: readonly number[];
}

export interface Transition {
  state: DeliveryState;
  /** The ladder whose counter the end raised, and the counter after it; null where none moved. */
  ladder: LadderName | null;
  step: number | null;
}

/** Nothing is to come any more. */
function settled(state: DeliveryState, now: number): DeliveryState {
  return { ...state, dueAt: null, waitCause: null, ladderWaitMs: null, retryAfterMs: null, endedAt: now };
}

/** Ends it without a 2xx: leaves `pending` for good (R-DEL-1). */
function ended(
  state: DeliveryState,
  status: 'failed' | 'skipped',
  at: { reason: StoredReason; now: number },
): DeliveryState {
  return { ...settled(state, at.now), status, reason: at.reason };
}

/** What every recorded end leaves on the row, whatever becomes of the delivery. */
function noted(input: TransitionInput, classified: Classified): DeliveryState {
  return {
    ...input.state,
    attempts: input.state.attempts + 1,
    unknowns: classified.outcome === 'unknown' ? input.state.unknowns + 1 : 0,
    nextTrigger: 'retry',
    lastOutcome: classified.outcome,
    lastStatusCode: classified.statusCode,
    lastErrorClass: classified.errorClass,
    lastEndedAt: input.endedAt,
  };
}

/** R-ATT-11: what the answer asked for, where the policy listens. */
function askedWait({ end, ladder, endedAt }: TransitionInput): number | null {
  if (!ladder.honourRetryAfter || end.kind !== 'answered') return null;
  if (end.statusCode !== 429 && end.statusCode !== 503) return null;
  return parseRetryAfter(end.retryAfter, endedAt);
}

/** Waits, or ends now where the wait does not fit before the deadline (R-LAD-10). */
function waiting(
  input: TransitionInput,
  state: DeliveryState,
  wait: { ownMs: number; askedMs: number | null; cause: Exclude<WaitCause, 'retry_after'> },
): DeliveryState {
  const { facts, ladder, gates, now, endedAt } = input;
  const deadline = deadlineOf({ state, facts, ladder, gates, now });
  if (endedAt + wait.ownMs > deadline.at) return ended(state, 'failed', { reason: deadline.reason, now });
  const waitMs = postponedWait(wait.ownMs, wait.askedMs, deadline.at - endedAt);
  return {
    ...state,
    status: 'pending',
    reason: 'retrying',
    dueAt: endedAt + waitMs,
    waitCause: waitMs > wait.ownMs ? 'retry_after' : wait.cause,
    ladderWaitMs: wait.ownMs,
    retryAfterMs: wait.askedMs,
    deadlineAt: deadline.at,
  };
}

/** The end has raised `name`'s counter to `step`: its own ladder's wait at that counter (R-LAD-2). */
function onLadder(
  input: TransitionInput,
  state: DeliveryState,
  on: { name: LadderName; ladder: Ladder; step: number },
): Transition {
  const ownMs = drawWait(on.ladder, on.step, input.random);
  const next =
    ownMs === null
      ? ended(state, 'failed', { reason: 'exhausted', now: input.now })
      : waiting(input, state, { ownMs, askedMs: askedWait(input), cause: on.name });
  return { state: next, ladder: on.name, step: on.step };
}

function onFast(input: TransitionInput, state: DeliveryState): Transition {
  const step = state.fast + 1;
  return onLadder(input, { ...state, fast: step }, { name: 'fast', ladder: input.ladder.ladder, step });
}

function onRejected(input: TransitionInput, state: DeliveryState): Transition {
  const { ladder, facts, now, endedAt } = input;
  const rule = facts.money ? ladder.rejected.money : ladder.rejected.other;
  if (rule === 'as_unavailable') return onFast(input, state);
  if (rule === 'fail' || ladder.slowLadder === undefined) {
    return { state: ended(state, 'failed', { reason: 'rejected', now }), ladder: null, step: null };
  }
  const step = state.slow + 1;
  const slowed = { ...state, slow: step, slowStartedAt: state.slowStartedAt ?? endedAt };
  return onLadder(input, slowed, { name: 'slow', ladder: ladder.slowLadder, step });
}

function onUnknown(input: TransitionInput, state: DeliveryState): Transition {
  const waits = input.unknownWaitsMs ?? UNKNOWN_WAITS_MS;
  const ownMs = waits[Math.min(state.unknowns, waits.length) - 1] ?? 0;
  return {
    state: waiting(input, state, { ownMs, askedMs: null, cause: 'unknown' }),
    ladder: null,
    step: null,
  };
}

/** A 2xx settles it, and is remembered for ever (R-RES-8). */
function delivered(state: DeliveryState, at: { endedAt: number; now: number }): DeliveryState {
  return {
    ...settled(state, at.now),
    status: 'delivered',
    reason: null,
    firstDeliveredAt: state.firstDeliveredAt ?? at.endedAt,
  };
}

/**
 * What an attempt's end makes of its delivery (R-LAD-1 … R-LAD-6, R-LAD-10, R-ATT-11, R-DEL-11). Total: a delivery
 * that is not pending stays as it is, and so does one whose attempt a gate held (R-BRK-5).
 */
export function transition(input: TransitionInput): Transition {
  const classified = classify(input.end, input.ladder);
  if (input.state.status !== 'pending' || classified.outcome === 'held') {
    return { state: input.state, ladder: null, step: null };
  }
  const state = noted(input, classified);
  switch (classified.outcome) {
    case 'delivered':
      return { state: delivered(state, input), ladder: null, step: null };
    case 'unavailable':
      return onFast(input, state);
    case 'rejected':
      return onRejected(input, state);
    case 'unknown':
      return onUnknown(input, state);
    default: {
      const never: never = classified.outcome;
      return never;
    }
  }
}

export interface ExpiryInput {
  state: DeliveryState;
  facts: DeliveryFacts;
  ladder: LadderPart;
  gates: readonly GateInterval[];
  /** Null: the delivery waits for want of an endpoint, and has none to be inactive. */
  endpointStatus: EndpointStatus | null;
  now: number;
}

function endsByStatus({ state, endpointStatus, now }: ExpiryInput): boolean {
  if (endpointStatus === null || endpointStatus === 'active' || state.nextTrigger === 'test') return false;
  return endpointStatus === 'auto_disabled' || (state.dueAt !== null && state.dueAt <= now);
}

/**
 * What needs no sender ends here, in the expiry sweep and in the claim (R-BRK-9, R-FAIL-4): `skipped` behind an
 * endpoint that is not active, `failed` past the slow window or the age; null where the delivery goes on. A caller that
 * gets null for a row whose `deadlineAt` is past writes `deadlineOf(…).at` there, or sees the row again at once.
 */
export function expire(input: ExpiryInput): DeliveryState | null {
  const { state, now } = input;
  if (state.status !== 'pending') return null;
  if (endsByStatus(input)) return ended(state, 'skipped', { reason: 'endpoint_disabled', now });
  const deadline: Deadline = deadlineOf(input);
  return now > deadline.at ? ended(state, 'failed', { reason: deadline.reason, now }) : null;
}

/**
 * R-BRK-4: a closing breaker makes a delivery due now whose last end was `unavailable` and lies before the closing; a
 * wait set by a `rejected` answer, by a `Retry-After` or by a fault of ours stays. Null where nothing moves.
 */
export function dueAfterClosing(
  state: DeliveryState,
  at: { closedAt: number; now: number },
): DeliveryState | null {
  if (state.status !== 'pending' || state.dueAt === null || state.dueAt <= at.now) return null;
  if (state.waitCause !== 'fast' || state.lastOutcome !== 'unavailable') return null;
  if (state.lastEndedAt === null || state.lastEndedAt > at.closedAt) return null;
  return { ...state, dueAt: at.now, waitCause: null, ladderWaitMs: null, retryAfterMs: null };
}

/** R-RES-8: a delivery that ever got a 2xx is no dead letter, whatever became of a later cycle. */
export function isDeadLetter(state: Pick<DeliveryState, 'status' | 'firstDeliveredAt'>): boolean {
  return state.status === 'failed' && state.firstDeliveredAt === null;
}

/** R-DEL-11: a delivery whose attempts were lost this often in a row may be what stops the engine. */
export const SUSPECT_FROM = 3;

/** R-DEL-11: from the third `unknown` end in a row on. */
export function isSuspect(state: Pick<DeliveryState, 'unknowns'>): boolean {
  return state.unknowns >= SUSPECT_FROM;
}
