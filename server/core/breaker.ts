// Invariant: every move that is listed in R-BRK-7 raises the epoch by one, and a breaker that is not closed has either
// one probe in flight or an instant at which one is due: it cannot stay open by itself.
import type { Breaker, BreakerEventKind, BreakerScope, BreakerState, WindowEntry } from './model';
import type { ProbeVerdict } from './outcome';
import type { BreakerPolicy, Policy } from './policy';

/** R-BRK-1: of more ends in the window the newest this many decide. */
export const WINDOW_ENTRIES = 1_000;

/** R-BRK-4: how long a probe that said nothing about the receiver's health is put off, ms, and at most by Retry-After. */
export const POSTPONED_PROBE_MS = 30_000;
export const LONGEST_POSTPONED_PROBE_MS = 30 * 60_000;

/** How many of the attempts that opened it are kept (R-BRK-8). */
const OPENED_BY_KEPT = 100;

export interface BreakerMove {
  breaker: Breaker;
  /** In order; empty where nothing moved. */
  events: readonly BreakerEventKind[];
}

export interface BreakerEnd {
  deliveryId: number;
  /** Epoch of the breaker that the attempt was claimed under; null: under none. */
  epoch: number | null;
  probe: boolean;
  /** R-ATT-17, column "breaker window". */
  counted: 'reachable' | 'failure' | null;
  /** R-ATT-17, column "as the probe". */
  verdict: ProbeVerdict;
  delivered: boolean;
  endedAt: number;
  /** The ends that count already, newest first; read only where a failure ends while closed. */
  window: readonly WindowEntry[];
  policy: BreakerPolicy;
  now: number;
  /** What the answer asked for, where the policy honours it, ms (R-BRK-4). */
  retryAfterMs: number | null;
}

/** A breaker that never opened, and what one without a row stands for: its claims note epoch 1. */
export function closedBreaker(): Breaker {
  return {
    state: 'closed',
    epoch: 1,
    openedAt: null,
    pauseMs: null,
    probeAt: null,
    probeDeliveryId: null,
    probeToken: null,
    closedAt: null,
    drainCursor: null,
    openedBy: [],
  };
}

/** R-BRK-3: `half_open` is open with a probe due or in flight. */
export function breakerStateAt(
  breaker: Pick<Breaker, 'state' | 'probeAt' | 'probeDeliveryId'>,
  now: number,
): BreakerState {
  if (breaker.state === 'closed') return 'closed';
  return breaker.probeDeliveryId !== null || breaker.probeAt === null || breaker.probeAt <= now
    ? 'half_open'
    : 'open';
}

/** R-BRK-11: the scope of the one breaker that an endpoint under this policy feeds and obeys; null: none. */
export function breakerScopeOf(policy: Policy): BreakerScope | null {
  return policy.breaker?.scope ?? null;
}

/** R-LAD-8: whether the breakers of the old policy are closed, drain included, when the new one takes its place. */
export function closesBreakers(before: Policy, after: Policy): boolean {
  const scope = breakerScopeOf(before);
  return scope !== null && scope !== breakerScopeOf(after);
}

/** R-BRK-2: the pause after this one, ms. */
export function nextPause(pauseMs: number, policy: Pick<BreakerPolicy, 'maxPauseMs'>): number {
  return Math.min(pauseMs * 2, policy.maxPauseMs);
}

/** R-BRK-2: all pauses until they stay the same, ms: 5, 10, 20, 30 min. */
export function pauseLadder(policy: Pick<BreakerPolicy, 'pauseMs' | 'maxPauseMs'>): readonly number[] {
  const pauses = [Math.min(policy.pauseMs, policy.maxPauseMs)];
  for (let last = pauses[0] ?? 0; last > 0 && last < policy.maxPauseMs; ) {
    last = nextPause(last, policy);
    pauses.push(last);
  }
  return pauses;
}

export interface WindowCount {
  attempts: number;
  failures: number;
}

/** R-BRK-1: what counts now of ends given newest first. */
export function countWindow(
  entries: readonly Pick<WindowEntry, 'endedAt' | 'failure'>[],
  policy: Pick<BreakerPolicy, 'windowMs'>,
  now: number,
): WindowCount {
  const inside = entries.slice(0, WINDOW_ENTRIES).filter((entry) => now - entry.endedAt <= policy.windowMs);
  return { attempts: inside.length, failures: inside.filter((entry) => entry.failure).length };
}

/** R-BRK-1: whether so many failures open it. A quotient, since 28 ÷ 35 is the 0.8 of the policy and 35 × 0.8 need not be 28. */
export function opensAt(
  count: WindowCount,
  policy: Pick<BreakerPolicy, 'minAttempts' | 'failureRatio'>,
): boolean {
  return count.attempts >= policy.minAttempts && count.failures / count.attempts >= policy.failureRatio;
}

function opened(breaker: Breaker, { window, policy, now }: BreakerEnd): BreakerMove {
  const pauseMs = Math.min(policy.pauseMs, policy.maxPauseMs);
  const openedBy = window
    .slice(0, WINDOW_ENTRIES)
    .filter((entry) => entry.failure && now - entry.endedAt <= policy.windowMs)
    .slice(0, OPENED_BY_KEPT)
    .map((entry) => entry.attemptId);
  return {
    breaker: {
      ...breaker,
      state: 'open',
      epoch: breaker.epoch + 1,
      openedAt: now,
      pauseMs,
      probeAt: now + pauseMs,
      // A drain of an earlier closing ends here: the next closing looks at every row again.
      drainCursor: null,
      openedBy,
    },
    events: ['opened'],
  };
}

/** R-BRK-4, R-BRK-6: closed, window and pause cleared, the drain at its beginning. */
function closing(breaker: Breaker, now: number): Breaker {
  return {
    ...closedBreaker(),
    epoch: breaker.epoch + 1,
    closedAt: now,
    drainCursor: 0,
  };
}

/** The turn is over and the breaker still open; the next probe at `probeAt`. */
function turnOver(breaker: Breaker, change: { probeAt: number; pauseMs?: number }): Breaker {
  return {
    ...breaker,
    ...change,
    state: 'open',
    epoch: breaker.epoch + 1,
    probeDeliveryId: null,
    probeToken: null,
  };
}

function onProbeEnd(breaker: Breaker, end: BreakerEnd): BreakerMove {
  const { now, policy } = end;
  switch (end.verdict) {
    case 'closes':
      return { breaker: closing(breaker, now), events: ['closed'] };
    case 'reopens': {
      const pauseMs = nextPause(breaker.pauseMs ?? policy.pauseMs / 2, policy);
      return { breaker: turnOver(breaker, { pauseMs, probeAt: now + pauseMs }), events: ['probe_failed'] };
    }
    case 'postpones': {
      const aheadMs = Math.min(
        Math.max(end.retryAfterMs ?? 0, POSTPONED_PROBE_MS),
        LONGEST_POSTPONED_PROBE_MS,
      );
      return { breaker: turnOver(breaker, { probeAt: now + aheadMs }), events: ['probe_postponed'] };
    }
    case 'gives_back':
      return giveBackTurn(breaker, now);
    default: {
      const never: never = end.verdict;
      return never;
    }
  }
}

/** Whether this end is that of the one probe in flight (R-BRK-7). */
export function isProbeInFlight(breaker: Breaker, end: Pick<BreakerEnd, 'probe' | 'epoch'>): boolean {
  return end.probe && breaker.probeDeliveryId !== null && end.epoch === breaker.epoch;
}

/**
 * What an attempt's end does to its breaker (R-BRK-1, R-BRK-2, R-BRK-4, R-BRK-7). Closed: a failure claimed under the
 * present epoch may open it. Not closed: only the probe in flight moves it, and any other 2xx makes the next probe due.
 */
export function onEnd(breaker: Breaker, end: BreakerEnd): BreakerMove {
  if (breaker.state !== 'closed') {
    if (isProbeInFlight(breaker, end)) return onProbeEnd(breaker, end);
    return end.delivered ? probeDueNow(breaker, end.now) : { breaker, events: [] };
  }
  if (end.counted !== 'failure' || end.epoch !== breaker.epoch) return { breaker, events: [] };
  // It is among them already where its settle is asked for again, since the first answer was lost: it counts once.
  const window = end.window.filter((it) => it.deliveryId !== end.deliveryId || it.endedAt !== end.endedAt);
  const count = countWindow([{ endedAt: end.endedAt, failure: true }, ...window], end.policy, end.now);
  return opensAt(count, end.policy) ? opened(breaker, { ...end, window }) : { breaker, events: [] };
}

/** R-BRK-3, R-BRK-7: lets one delivery through. Its claim notes the epoch of the breaker returned. */
export function leaseProbe(breaker: Breaker, lease: { deliveryId: number; token: string }): BreakerMove {
  if (breaker.state === 'closed' || breaker.probeDeliveryId !== null) return { breaker, events: [] };
  return {
    breaker: {
      ...breaker,
      state: 'half_open',
      epoch: breaker.epoch + 1,
      probeDeliveryId: lease.deliveryId,
      probeToken: lease.token,
    },
    events: ['probe_leased'],
  };
}

/** R-BRK-7: the probe said nothing: no doubling, and the next one at once. */
export function giveBackTurn(breaker: Breaker, now: number): BreakerMove {
  if (breaker.state === 'closed' || breaker.probeDeliveryId === null) return { breaker, events: [] };
  return { breaker: turnOver(breaker, { probeAt: now }), events: ['turn_given_back'] };
}

/** R-BRK-7: whether the probe in flight has lost its row or its lease; `token` is the row's, null without either. */
export function probeIsOrphan(
  breaker: Pick<Breaker, 'probeDeliveryId' | 'probeToken'>,
  token: string | null,
): boolean {
  return breaker.probeDeliveryId !== null && breaker.probeToken !== token;
}

/** R-BRK-6: closed by hand, as by a probe; on a closed breaker nothing moves. */
export function reset(breaker: Breaker, now: number): BreakerMove {
  if (breaker.state === 'closed') return { breaker, events: [] };
  return { breaker: closing(breaker, now), events: ['reset'] };
}

/** R-BRK-7, R-FAIL-8, R-RES-3: something says that the receiver may be back. A probe in flight is that probe. */
export function probeDueNow(breaker: Breaker, now: number): BreakerMove {
  if (breaker.state === 'closed' || breaker.probeDeliveryId !== null) return { breaker, events: [] };
  if (breaker.probeAt !== null && breaker.probeAt <= now) return { breaker, events: [] };
  return { breaker: { ...breaker, probeAt: now }, events: ['probe_due_now'] };
}
