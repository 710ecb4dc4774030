// Invariant: an end decides by what it finds (R-DEL-2): token and cycle fence the delivery, the epoch alone the breaker.
import { type BreakerMove, giveBackTurn, isProbeInFlight, onEnd, probeDueNow } from './breaker';
import type { CoreDecider, DecideContext, DecideEnd, Decision } from './decision';
import { type Transition, transition } from './delivery-state';
import { healthAfter, healthDiffers, healthOf } from './endpoint-health';
import type { Breaker, DeliveryState, EndpointHealth } from './model';
import { answeredBelow500, type Classified, classify, countsAs, probeVerdict } from './outcome';
import type { LadderPart } from './policy';
import { parseRetryAfter } from './retry-after';

/** What the end finds: the rows of R-DEL-2's table. `settled`: its token, its cycle, but a late 2xx came first. */
export type Fence = 'own' | 'settled' | 'newer_cycle' | 'late_pending' | 'late' | 'no_row';

/** R-DEL-2: the row of the table that applies. */
export function fenceOf(
  end: Pick<DecideEnd, 'token' | 'cycle'>,
  delivery: (Pick<DeliveryState, 'cycle' | 'status'> & { lease: { token: string } | null }) | null,
): Fence {
  if (delivery === null) return 'no_row';
  const sameCycle = end.cycle === delivery.cycle;
  const pending = delivery.status === 'pending';
  if (delivery.lease?.token === end.token) {
    if (!sameCycle) return 'newer_cycle';
    return pending ? 'own' : 'settled';
  }
  return sameCycle && pending ? 'late_pending' : 'late';
}

/** The state's fields alone, of a row that has more. */
export function stateOf(row: DeliveryState): DeliveryState {
  return {
    status: row.status,
    reason: row.reason,
    cycle: row.cycle,
    cycleStartedAt: row.cycleStartedAt,
    cycleByPerson: row.cycleByPerson,
    attempts: row.attempts,
    fast: row.fast,
    slow: row.slow,
    slowStartedAt: row.slowStartedAt,
    unknowns: row.unknowns,
    dueAt: row.dueAt,
    waitCause: row.waitCause,
    ladderWaitMs: row.ladderWaitMs,
    retryAfterMs: row.retryAfterMs,
    nextTrigger: row.nextTrigger,
    lastOutcome: row.lastOutcome,
    lastStatusCode: row.lastStatusCode,
    lastErrorClass: row.lastErrorClass,
    lastEndedAt: row.lastEndedAt,
    firstDeliveredAt: row.firstDeliveredAt,
    endedAt: row.endedAt,
    deadlineAt: row.deadlineAt,
  };
}

/** The breaker's fields alone, of a row that has more. */
export function breakerOf(row: Breaker): Breaker {
  return {
    state: row.state,
    epoch: row.epoch,
    openedAt: row.openedAt,
    pauseMs: row.pauseMs,
    probeAt: row.probeAt,
    probeDeliveryId: row.probeDeliveryId,
    probeToken: row.probeToken,
    closedAt: row.closedAt,
    drainCursor: row.drainCursor,
    openedBy: row.openedBy,
  };
}

/** One end with all that the parts of its decision share. */
interface Case {
  end: DecideEnd;
  context: DecideContext;
  fence: Exclude<Fence, 'no_row'>;
  row: DeliveryState;
  ladder: LadderPart;
  classified: Classified;
  counted: 'reachable' | 'failure' | null;
  random: () => number;
  unknownWaitsMs: readonly number[] | undefined;
}

interface DeliveryPart {
  delivery: DeliveryState | null;
  ladder: Transition['ladder'];
  step: number | null;
}

const UNMOVED: DeliveryPart = { delivery: null, ladder: null, step: null };

function isLate({ fence }: Pick<Case, 'fence'>): boolean {
  return fence === 'late' || fence === 'late_pending';
}

/** R-LAD-6 with the number that the claim fixed. */
function moved({ end, context, row, ladder, random, unknownWaitsMs }: Case): DeliveryPart {
  const next = transition({
    state: row,
    facts: context.facts,
    ladder,
    end: end.end,
    endedAt: end.endedAt,
    now: context.now,
    random,
    gates: context.gates,
    unknownWaitsMs,
  });
  const attempts = Math.max(row.attempts, end.number);
  return { delivery: { ...next.state, attempts }, ladder: next.ladder, step: next.step };
}

/** The attempt is recorded and the row's course is another's: a resend's, or that of a 2xx which came first. */
function noted({ end, fence, row, classified }: Case): DeliveryState {
  const delivered = classified.outcome === 'delivered';
  const counted = {
    ...row,
    attempts: Math.max(row.attempts, end.number),
    firstDeliveredAt: row.firstDeliveredAt ?? (delivered ? end.endedAt : null),
  };
  if (fence !== 'newer_cycle') return counted;
  return {
    ...counted,
    unknowns: classified.outcome === 'unknown' ? row.unknowns + 1 : 0,
    lastOutcome: classified.outcome,
    lastStatusCode: classified.statusCode,
    lastErrorClass: classified.errorClass,
    lastEndedAt: end.endedAt,
  };
}

/** R-DEL-2, column "delivery". */
function deliveryPart(it: Case): DeliveryPart {
  const { fence, row, classified, end } = it;
  const delivered = classified.outcome === 'delivered';
  if (classified.outcome === 'held') return UNMOVED;
  switch (fence) {
    case 'own':
      return moved(it);
    case 'settled':
    case 'newer_cycle':
      return { ...UNMOVED, delivery: noted(it) };
    case 'late_pending':
      return delivered ? moved(it) : UNMOVED;
    case 'late':
      return delivered && row.firstDeliveredAt === null
        ? { ...UNMOVED, delivery: { ...row, firstDeliveredAt: end.endedAt } }
        : UNMOVED;
    default: {
      const never: never = fence;
      return never;
    }
  }
}

/** R-BRK-3: what the end says of `lastEndReachable`; null: nothing, since it counts in no window (R-BRK-7). */
function reachableAfter(it: Case): boolean | null {
  const { counted, end, context, classified } = it;
  const late = isLate(it) && classified.outcome !== 'delivered';
  if (counted === null || late) return null;
  if (context.breaker === null) return counted === 'reachable';
  if (end.epoch !== context.breaker.epoch) return null;
  // A probe that is put off keeps its endpoint behind the breaker: only a closing lets it pass.
  const postponed = end.probe && probeVerdict(classified) === 'postpones';
  return postponed ? null : counted === 'reachable';
}

/** R-DEL-2, column "health"; null where nothing changes. */
function healthPart(it: Case): EndpointHealth | null {
  const { context, end, classified } = it;
  if (context.endpoint === null) return null;
  const health = healthOf(context.endpoint);
  const next = healthAfter(health, {
    outcome: classified.outcome,
    trigger: end.trigger,
    endedAt: end.endedAt,
    late: isLate(it),
    reachable: reachableAfter(it),
  });
  return healthDiffers(health, next) ? next : null;
}

/** R-BRK-4: how long a postponed probe is asked to wait, ms. */
function askedOfProbe({ end, ladder }: Case): number | null {
  if (!ladder.honourRetryAfter || end.end.kind !== 'answered') return null;
  return parseRetryAfter(end.end.retryAfter, end.endedAt);
}

/** R-BRK-7: by the epoch alone, whatever became of the delivery. */
function breakerPart(it: Case): BreakerMove | null {
  const { context, end, classified, counted } = it;
  const policy = context.policy?.breaker;
  if (context.breaker === null || policy === undefined) return null;
  const breaker = breakerOf(context.breaker);
  if (end.trigger === 'test') {
    return answeredBelow500(classified) ? probeDueNow(breaker, context.now) : null;
  }
  return onEnd(breaker, {
    deliveryId: end.deliveryId,
    epoch: end.epoch,
    probe: end.probe,
    counted,
    verdict: probeVerdict(classified),
    delivered: classified.outcome === 'delivered',
    endedAt: end.endedAt,
    window: context.window,
    policy,
    now: context.now,
    retryAfterMs: askedOfProbe(it),
  });
}

/** R-DEL-2, column "record". What was held was no attempt, and a collected lease completes nothing. */
function recordPart(it: Case): Decision['record'] {
  if (it.classified.outcome === 'held') return 'none';
  if (!isLate(it)) return 'insert';
  return it.end.end.kind === 'lost' ? 'none' : 'complete';
}

function messageOf({ end }: DecideEnd, classified: Classified): string | null {
  if (end.kind === 'failed') return end.message;
  return end.kind === 'answered' && classified.errorClass === 'redirect' ? end.location : null;
}

function movedBreaker(move: BreakerMove | null): Pick<Decision, 'breaker' | 'breakerEvents'> {
  if (move === null || move.events.length === 0) return { breaker: null, breakerEvents: [] };
  return { breaker: move.breaker, breakerEvents: move.events };
}

/** R-DEL-2, no row, or one that cannot be judged: a probe gives its turn back, and nothing else moves. */
function withoutRow(end: DecideEnd, context: DecideContext): Decision {
  const { breaker } = context;
  const classified = classify(end.end, { retryStatuses: [] });
  const probing = breaker !== null && isProbeInFlight(breaker, end);
  return {
    delivery: null,
    releaseLease: context.delivery?.lease?.token === end.token,
    record: 'none',
    ...classified,
    message: null,
    ladder: null,
    step: null,
    counted: null,
    health: null,
    ...movedBreaker(probing ? giveBackTurn(breakerOf(breaker), context.now) : null),
    dropped: 'no_row',
  };
}

/** What an engine may set of its own (R-DEL-11). */
export interface DeciderOptions {
  unknownWaitsMs?: readonly number[];
}

/** The one decider: R-DEL-2 and R-ATT-17 over the rows that the settling transaction has read. */
export function createDecider(options: DeciderOptions = {}): CoreDecider {
  return {
    needsWindow(end, context) {
      const { breaker, delivery, ladder, policy } = context;
      if (breaker === null || delivery === null || ladder === null || policy?.breaker === undefined)
        return false;
      if (breaker.state !== 'closed' || end.epoch !== breaker.epoch) return false;
      return countsAs(classify(end.end, ladder), end.trigger) === 'failure';
    },
    decide(end, context, random) {
      const { delivery, ladder } = context;
      const fence = fenceOf(end, delivery);
      if (delivery === null || ladder === null || fence === 'no_row') return withoutRow(end, context);
      const classified = classify(end.end, ladder);
      const it: Case = {
        end,
        context,
        fence,
        row: stateOf(delivery),
        ladder,
        classified,
        counted: countsAs(classified, end.trigger),
        random,
        unknownWaitsMs: options.unknownWaitsMs,
      };
      return {
        ...deliveryPart(it),
        releaseLease: !isLate(it),
        record: recordPart(it),
        ...classified,
        message: messageOf(end, classified),
        counted: it.counted,
        health: healthPart(it),
        ...movedBreaker(breakerPart(it)),
        dropped: isLate(it) && classified.outcome !== 'delivered' ? 'lease_lost' : null,
      };
    },
  };
}

export const decider: CoreDecider = createDecider();
