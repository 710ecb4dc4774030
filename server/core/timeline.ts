// Invariant: nothing here knows a ladder; every attempt still to come is what the delivery's own transition says
// (R-LAD-7). Components use this file: it imports nothing of Node.
import { firstState } from './cycle';
import { ageEndOf, slowWindowEndOf } from './deadline';
import { expire, transition } from './delivery-state';
import { type Gate, testPasses } from './gates';
import type {
  AttemptEnd,
  DeliveryFacts,
  DeliveryState,
  DeliveryStatus,
  ErrorClass,
  GateInterval,
  LadderName,
  Outcome,
  StoredReason,
  Trigger,
} from './model';
import type { LadderPart } from './policy';
import { type AttemptSpan, type Silence, silencesOf } from './silences';

/** No policy that validates has as many attempts; it bounds a drawing. */
const MOST_PLANNED = 500;

export interface PastAttempt extends AttemptSpan {
  number: number;
  trigger: Trigger;
  durationMs: number;
  outcome: Outcome;
  statusCode: number | null;
  errorClass: ErrorClass | null;
}

export interface PlannedAttempt {
  number: number;
  /** Earliest instant, epoch ms; with all jitter drawn in full, `atMax`. */
  at: number;
  atMax: number;
  /** The ladder whose wait leads here, and its counter; null where it is due without one. */
  ladder: LadderName | null;
  step: number | null;
  /** Behind an open breaker or a secret outage: not before `at`, and perhaps later. */
  notBefore: boolean;
}

/** How it ends if the outcome repeats. */
export interface PlannedEnd {
  status: DeliveryStatus;
  reason: StoredReason | null;
  at: number;
  atMax: number;
}

export interface TimelineDeadline {
  kind: 'slow_window' | 'age';
  at: number;
}

export interface Timeline {
  past: readonly PastAttempt[];
  silences: readonly Silence[];
  planned: readonly PlannedAttempt[];
  /** Null where it is over already, or still open after the longest drawing. */
  end: PlannedEnd | null;
  deadlines: readonly TimelineDeadline[];
}

export interface TimelineInput {
  state: DeliveryState;
  facts: DeliveryFacts;
  /** The ladder part that the cycle keeps (R-LAD-8). */
  ladder: LadderPart;
  /** The gate in force, as `gateOf` gives it. */
  gate: Gate | null;
  /** Its gates' intervals since its creation. */
  intervals: readonly GateInterval[];
  /** Oldest first. */
  attempts: readonly PastAttempt[];
  /** The attempt in flight. */
  lease: { number: number; cycle: number } | null;
  now: number;
}

interface Step {
  at: number;
  ladder: LadderName | null;
  step: number | null;
}

interface Run {
  steps: readonly Step[];
  end: { status: DeliveryStatus; reason: StoredReason | null; at: number } | null;
}

interface Start {
  state: DeliveryState;
  facts: DeliveryFacts;
  ladder: LadderPart;
  gates: readonly GateInterval[];
  endpointActive: boolean;
  /** The first attempt, and what set it. */
  first: Step;
  /** End of the gate in force: nothing that follows is drawn before it. */
  gateEnd: number;
  end: AttemptEnd;
}

/** R-LAD-7: the last outcome repeats; `unavailable` where there is none that says something of the receiver. */
function repeated(state: Pick<DeliveryState, 'lastOutcome' | 'lastStatusCode'>): AttemptEnd {
  const answered = (statusCode: number): AttemptEnd => ({
    kind: 'answered',
    statusCode,
    retryAfter: [],
    location: null,
  });
  const failed = (errorClass: 'timeout' | 'refused_address'): AttemptEnd => ({
    kind: 'failed',
    errorClass,
    message: '',
  });
  switch (state.lastOutcome) {
    case 'delivered':
      return answered(state.lastStatusCode ?? 200);
    case 'rejected':
      return state.lastStatusCode === null ? failed('refused_address') : answered(state.lastStatusCode);
    case 'unavailable':
      return state.lastStatusCode === null ? failed('timeout') : answered(state.lastStatusCode);
    case 'held':
    case 'unknown':
    case null:
      return failed('timeout');
    default: {
      const never: never = state.lastOutcome;
      return never;
    }
  }
}

/** Runs the transition from attempt to attempt, each ending at the instant it starts. */
function run({ first, endpointActive, end, ...start }: Start, random: () => number): Run {
  const steps: Step[] = [];
  let { state } = start;
  let step = first;
  while (steps.length < MOST_PLANNED) {
    const endpointStatus = endpointActive ? 'active' : 'disabled';
    const { at } = step;
    const over = expire({ ...start, state: { ...state, dueAt: at }, endpointStatus, now: at });
    if (over !== null) return { steps, end: { status: over.status, reason: over.reason, at } };
    steps.push(step);
    const next = transition({ ...start, state, end, endedAt: at, now: at, random });
    state = next.state;
    if (state.dueAt === null) return { steps, end: { status: state.status, reason: state.reason, at } };
    step = { at: Math.max(state.dueAt, start.gateEnd), ladder: next.ladder, step: next.step };
  }
  return { steps, end: null };
}

/** The run without jitter and the run with all of it, laid over each other. */
function ranged(
  start: Start,
  shown: { number: number; notBefore: boolean },
): Pick<Timeline, 'planned' | 'end'> {
  const early = run(start, () => 0);
  const late = run(start, () => 1);
  const latest = late.end?.at ?? late.steps.at(-1)?.at ?? start.first.at;
  const planned = early.steps.map((step, index) => ({
    ...step,
    number: shown.number + index,
    atMax: Math.max(step.at, late.steps[index]?.at ?? latest),
    notBefore: shown.notBefore,
  }));
  const end = early.end === null ? null : { ...early.end, atMax: Math.max(early.end.at, latest) };
  return { planned, end };
}

/** What set the present due instant. */
function presentStep(state: DeliveryState, at: number): Step {
  switch (state.waitCause) {
    case 'fast':
      return { at, ladder: 'fast', step: state.fast };
    case 'slow':
      return { at, ladder: 'slow', step: state.slow };
    case 'retry_after':
    case 'unknown':
    case null:
      return { at, ladder: null, step: null };
    default: {
      const never: never = state.waitCause;
      return never;
    }
  }
}

/** What holds now ends with its gate: intervals that are open are closed there, so that they extend no further. */
function closedAt(intervals: readonly GateInterval[], at: number): readonly GateInterval[] {
  return intervals.map((interval) =>
    interval.toAt === null ? { ...interval, toAt: Math.max(interval.fromAt, at) } : interval,
  );
}

function plannedOf(input: TimelineInput): Pick<Timeline, 'planned' | 'end'> {
  const { state, facts, ladder, lease, now } = input;
  if (state.status !== 'pending') return { planned: [], end: null };
  if (state.dueAt === null) {
    const at = ageEndOf(input);
    return { planned: [], end: { status: 'failed', reason: 'too_old', at, atMax: at } };
  }
  const gate = input.gate !== null && testPasses(state.nextTrigger, input.gate.kind) ? null : input.gate;
  const gateEnd = gate === null ? now : Math.max(now, gate.until ?? now);
  const start = {
    facts,
    ladder,
    gates: closedAt(input.intervals, gateEnd),
    gateEnd,
    endpointActive: gate?.kind !== 'endpoint_disabled',
    end: repeated(state),
  };
  const notBefore = gate?.kind === 'held_by_breaker' || gate?.kind === 'held_unsigned';
  if (lease === null || lease.cycle !== state.cycle) {
    const first = presentStep(state, Math.max(state.dueAt, gateEnd));
    return ranged(
      { ...start, state, first },
      { number: state.attempts + (lease === null ? 1 : 2), notBefore },
    );
  }
  // The attempt in flight is none of the planned ones: it is drawn as such, and they follow it.
  const { planned, end } = ranged(
    { ...start, state, first: presentStep(state, now) },
    { number: lease.number, notBefore },
  );
  return { planned: planned.slice(1), end };
}

/**
 * R-LAD-7, R-DEL-7: all that was and all that is still to come of one delivery, drawn by the transition that will
 * decide it, nothing before the end of the gate in force.
 */
export function timeline(input: TimelineInput): Timeline {
  const slowEnd = slowWindowEndOf({ ...input, gates: input.intervals });
  const deadlines: TimelineDeadline[] = [{ kind: 'age', at: ageEndOf(input) }];
  if (slowEnd !== null) deadlines.unshift({ kind: 'slow_window', at: slowEnd });
  return {
    past: input.attempts,
    silences: silencesOf({ ...input, inFlight: input.lease !== null }),
    ...plannedOf(input),
    deadlines: input.state.status === 'pending' ? deadlines : [],
  };
}

/** R-LAD-7: a policy's own picture: an event created at 0 whose every attempt comes to the same. */
export function policyTimeline(
  ladder: LadderPart,
  drawn: { outcome: 'unavailable' | 'rejected'; money: boolean },
): Pick<Timeline, 'planned' | 'end'> {
  const state = firstState({ now: 0, eventCreatedAt: 0, ladder, trigger: 'first' });
  return ranged(
    {
      state,
      facts: { eventCreatedAt: 0, money: drawn.money, isTest: false },
      ladder,
      gates: [],
      gateEnd: 0,
      endpointActive: true,
      first: { at: 0, ladder: null, step: null },
      end: repeated({
        lastOutcome: drawn.outcome,
        lastStatusCode: drawn.outcome === 'rejected' ? 400 : null,
      }),
    },
    { number: 1, notBefore: false },
  );
}
