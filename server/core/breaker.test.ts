import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type BreakerEnd,
  breakerScopeOf,
  breakerStateAt,
  closedBreaker,
  closesBreakers,
  countWindow,
  giveBackTurn,
  leaseProbe,
  nextPause,
  onEnd,
  opensAt,
  pauseLadder,
  probeDueNow,
  probeIsOrphan,
  reset,
} from './breaker';
import { probeIsDue } from './gates';
import type { Breaker, WindowEntry } from './model';
import { type Policy, PRESETS } from './policy';

const S = 1_000;
const M = 60 * S;
const POLICY = PRESETS['two-ladder'].breaker;

/** Entries newest first, one a second back from `newestAt`; `pattern` of F (failure) and r (reachable). */
function windowOf(pattern: string, newestAt = 0): WindowEntry[] {
  return [...pattern].map((mark, index) => ({
    attemptId: 1_000 + index,
    deliveryId: index,
    endedAt: newestAt - index * S,
    failure: mark === 'F',
  }));
}

function endOf(change: Partial<BreakerEnd> = {}): BreakerEnd {
  return {
    deliveryId: 100,
    epoch: 1,
    probe: false,
    counted: 'failure',
    verdict: 'reopens',
    delivered: false,
    endedAt: 0,
    window: [],
    policy: POLICY,
    now: 0,
    retryAfterMs: null,
    ...change,
  };
}

const DELIVERED = { counted: 'reachable', verdict: 'closes', delivered: true } as const;

/** Opened at 0 with its first pause. */
const OPEN: Breaker = onEnd(closedBreaker(), endOf({ window: windowOf('FFFF') })).breaker;
const leased = (breaker: Breaker, deliveryId = 7) => leaseProbe(breaker, { deliveryId, token: 't' }).breaker;
const probed = (breaker: Breaker, change: Partial<BreakerEnd>) =>
  onEnd(breaker, endOf({ probe: true, epoch: breaker.epoch, ...change }));

describe('opening', () => {
  // The last of each is the end itself, a failure.
  it.each([
    ['FFF', 'closed', '4 of 4'],
    ['FFFr', 'open', '4 of 5: 80 %'],
    ['FFrr', 'closed', '3 of 5'],
    ['FFFF', 'open', '5 of 5'],
    ['FFFFFFFrr', 'open', '8 of 10'],
    [`${'F'.repeat(78)}${'r'.repeat(21)}`, 'closed', '79 of 100: 79 %'],
    [`${'F'.repeat(79)}${'r'.repeat(20)}`, 'open', '80 of 100'],
    [`${'F'.repeat(27)}${'r'.repeat(7)}`, 'open', '28 of 35: exactly 80 %'],
  ])('R-BRK-1 P17: %s and a failure leave it %s (%s)', (pattern, state) => {
    expect(onEnd(closedBreaker(), endOf({ window: windowOf(pattern) })).breaker.state).toBe(state);
  });

  it('R-BRK-1 P17: the window is the last five minutes, to the second', () => {
    const edge = (ageMs: number) =>
      onEnd(
        closedBreaker(),
        endOf({
          now: 400 * S,
          endedAt: 400 * S,
          window: windowOf('FFFF', 400 * S - ageMs).map((it) => ({ ...it, endedAt: 400 * S - ageMs })),
        }),
      ).breaker.state;
    expect(edge(299 * S)).toBe('open');
    expect(edge(300 * S)).toBe('open');
    expect(edge(301 * S)).toBe('closed');
  });

  it('R-BRK-1 of more than 1,000 the last 1,000 decide', () => {
    const entry = (failure: boolean): WindowEntry => ({ attemptId: 1, deliveryId: 1, endedAt: 0, failure });
    const window = [
      ...new Array(799).fill(entry(true)),
      ...new Array(200).fill(entry(false)),
      ...new Array(500).fill(entry(false)),
    ];
    expect(onEnd(closedBreaker(), endOf({ window })).breaker.state).toBe('open');
    expect(onEnd(closedBreaker(), endOf({ window: window.slice(1) })).breaker.state).toBe('closed');
  });

  it('R-BRK-1 is evaluated only when a failure ends', () => {
    const full = windowOf('FFFFFFFF');
    expect(
      onEnd(closedBreaker(), endOf({ counted: 'reachable', verdict: 'closes', window: full })).events,
    ).toEqual([]);
    expect(onEnd(closedBreaker(), endOf({ counted: null, window: full })).events).toEqual([]);
  });

  it('R-BRK-1 R-BRK-7 an end that was claimed under another epoch counts in no window', () => {
    const window = windowOf('FFFF');
    expect(onEnd(closedBreaker(), endOf({ epoch: 0, window })).breaker.state).toBe('closed');
    expect(onEnd(closedBreaker(), endOf({ epoch: null, window })).breaker.state).toBe('closed');
  });

  it('R-BRK-2 R-BRK-8 notes since when, the first pause, the probe’s instant and what opened it', () => {
    const window = windowOf('FrFFF', 90 * S);
    const { breaker, events } = onEnd(closedBreaker(), endOf({ now: 100 * S, endedAt: 100 * S, window }));
    expect(breaker).toEqual({
      state: 'open',
      epoch: 2,
      openedAt: 100 * S,
      pauseMs: 5 * M,
      probeAt: 100 * S + 5 * M,
      probeDeliveryId: null,
      probeToken: null,
      closedAt: null,
      drainCursor: null,
      openedBy: [1_000, 1_002, 1_003, 1_004],
    });
    expect(events).toEqual(['opened']);
  });

  it('R-BRK-4 opening again ends the drain of the closing before it', () => {
    const draining = reset(OPEN, 0).breaker;
    expect(draining.drainCursor).toBe(0);
    const again = onEnd(draining, endOf({ epoch: draining.epoch, window: windowOf('FFFF') })).breaker;
    expect(again).toMatchObject({ state: 'open', drainCursor: null });
  });

  it('R-BRK-1 counts what it shows', () => {
    expect(countWindow(windowOf('FFrF'), POLICY, 0)).toEqual({ attempts: 4, failures: 3 });
    expect(countWindow(windowOf('FFrF', -299 * S), POLICY, 0)).toEqual({ attempts: 2, failures: 2 });
    expect(opensAt({ attempts: 0, failures: 0 }, POLICY)).toBe(false);
  });
});

describe('the pause', () => {
  it('R-BRK-2 doubles with each failed probe: 5, 10, 20, 30, 30 min', () => {
    let breaker = OPEN;
    const pauses = [breaker.pauseMs];
    for (let probe = 0; probe < 4; probe += 1) {
      const now = breaker.probeAt ?? 0;
      const lease = leased(breaker);
      const move = probed(lease, { now });
      expect(move.events).toEqual(['probe_failed']);
      breaker = move.breaker;
      expect(breaker.probeAt).toBe(now + (breaker.pauseMs ?? 0));
      pauses.push(breaker.pauseMs);
    }
    expect(pauses).toEqual([5 * M, 10 * M, 20 * M, 30 * M, 30 * M]);
    expect(breaker.openedAt).toBe(0);
  });

  it('R-BRK-2 R-BRK-8 as a ladder to draw', () => {
    expect(pauseLadder(POLICY)).toEqual([5 * M, 10 * M, 20 * M, 30 * M]);
    expect(pauseLadder({ pauseMs: 60, maxPauseMs: 60 })).toEqual([60]);
    expect(nextPause(20 * M, POLICY)).toBe(30 * M);
  });
});

describe('half open', () => {
  it('R-BRK-3 is open with a probe due or in flight', () => {
    const at = (breaker: Breaker, now: number) => breakerStateAt(breaker, now);
    expect(at(closedBreaker(), 0)).toBe('closed');
    expect(at(OPEN, 5 * M - 1)).toBe('open');
    expect(at(OPEN, 5 * M)).toBe('half_open');
    expect(at(leased(OPEN), 0)).toBe('half_open');
  });

  it('R-BRK-3 R-BRK-7 lets one delivery through at a time, and notes it', () => {
    const move = leaseProbe(OPEN, { deliveryId: 7, token: 'a' });
    expect(move.events).toEqual(['probe_leased']);
    expect(move.breaker).toEqual({
      ...OPEN,
      state: 'half_open',
      epoch: 3,
      probeDeliveryId: 7,
      probeToken: 'a',
    });
    expect(leaseProbe(move.breaker, { deliveryId: 8, token: 'b' })).toEqual({
      breaker: move.breaker,
      events: [],
    });
    expect(leaseProbe(closedBreaker(), { deliveryId: 8, token: 'b' }).events).toEqual([]);
  });
});

describe('a probe', () => {
  it('R-BRK-4 that closes resets window and pause and starts the drain', () => {
    const move = probed(leased(OPEN), { ...DELIVERED, now: 6 * M });
    expect(move.events).toEqual(['closed']);
    expect(move.breaker).toEqual({ ...closedBreaker(), epoch: 4, closedAt: 6 * M, drainCursor: 0 });
    const again = onEnd(
      move.breaker,
      endOf({ epoch: 4, now: 6 * M, endedAt: 6 * M, window: windowOf('FFFF', 6 * M) }),
    );
    expect(again.breaker.pauseMs).toBe(5 * M);
  });

  it('R-BRK-4 R-ATT-17 that is put off comes again in 30 s, the pause as it was', () => {
    const move = probed(leased(OPEN), { verdict: 'postpones', counted: 'reachable', now: 6 * M });
    expect(move.events).toEqual(['probe_postponed']);
    expect(move.breaker).toEqual({ ...OPEN, epoch: 4, probeAt: 6 * M + 30 * S });
  });

  it.each([
    [null, 30 * S],
    [0, 30 * S],
    [29 * S, 30 * S],
    [31 * S, 31 * S],
    [30 * M, 30 * M],
    [30 * M + 1, 30 * M],
    [9_999_999_999_000, 30 * M],
  ])('R-BRK-4 a Retry-After of %s ms puts it off by %i ms', (retryAfterMs, ahead) => {
    const { breaker } = probed(leased(OPEN), {
      verdict: 'postpones',
      counted: 'reachable',
      now: 0,
      retryAfterMs,
    });
    expect(breaker.probeAt).toBe(ahead);
  });

  it('R-BRK-7 gives its turn back without doubling: the next one at once', () => {
    const move = probed(leased(OPEN), { verdict: 'gives_back', counted: null, now: 6 * M });
    expect(move.events).toEqual(['turn_given_back']);
    expect(move.breaker).toEqual({ ...OPEN, epoch: 4, probeAt: 6 * M });
    expect(giveBackTurn(OPEN, 0).events).toEqual([]);
    expect(giveBackTurn(closedBreaker(), 0).events).toEqual([]);
  });

  it('R-BRK-7 whose lease or row is gone is known by its token', () => {
    expect(probeIsOrphan(leased(OPEN), 't')).toBe(false);
    expect(probeIsOrphan(leased(OPEN), 'other')).toBe(true);
    expect(probeIsOrphan(leased(OPEN), null)).toBe(true);
    expect(probeIsOrphan(OPEN, null)).toBe(false);
  });
});

describe('other ends while it is not closed', () => {
  it('R-BRK-7 move nothing, a failure and a rejection alike', () => {
    const probe = leased(OPEN);
    for (const breaker of [OPEN, probe]) {
      for (const epoch of [null, 1, 2, 3]) {
        expect(onEnd(breaker, endOf({ epoch, now: M, window: windowOf('FFFFF') }))).toEqual({
          breaker,
          events: [],
        });
        expect(
          onEnd(breaker, endOf({ epoch, now: M, counted: 'reachable', verdict: 'closes' })).events,
        ).toEqual([]);
      }
    }
  });

  it('R-BRK-7 a probe that came too late carries an older epoch and moves nothing', () => {
    const first = leased(OPEN);
    const second = leased(giveBackTurn(first, 6 * M).breaker, 8);
    expect(onEnd(second, endOf({ probe: true, epoch: first.epoch, now: 7 * M }))).toEqual({
      breaker: second,
      events: [],
    });
    expect(probed(second, { ...DELIVERED, now: 7 * M }).events).toEqual(['closed']);
  });

  it('R-BRK-7 a delivered one makes the next probe due now, and leaves one in flight alone', () => {
    const move = onEnd(OPEN, endOf({ ...DELIVERED, epoch: 1, now: M }));
    expect(move).toEqual({ breaker: { ...OPEN, probeAt: M }, events: ['probe_due_now'] });
    const probe = leased(OPEN);
    expect(onEnd(probe, endOf({ ...DELIVERED, epoch: 1, now: M }))).toEqual({ breaker: probe, events: [] });
  });

  it('R-FAIL-8 R-RES-3 making the probe due now does nothing twice, and nothing to a closed one', () => {
    const once = probeDueNow(OPEN, M);
    expect(once.breaker.epoch).toBe(OPEN.epoch);
    expect(probeDueNow(once.breaker, M).events).toEqual([]);
    expect(probeDueNow(closedBreaker(), M).events).toEqual([]);
  });
});

describe('a reset', () => {
  it('R-BRK-6 is a closing by hand: window, pause, drain, a new epoch', () => {
    for (const breaker of [OPEN, leased(OPEN)]) {
      const move = reset(breaker, 9 * M);
      expect(move.events).toEqual(['reset']);
      expect(move.breaker).toEqual({
        ...closedBreaker(),
        epoch: breaker.epoch + 1,
        closedAt: 9 * M,
        drainCursor: 0,
      });
    }
  });

  it('R-BRK-6 of a closed breaker moves nothing', () => {
    expect(reset(closedBreaker(), 0)).toEqual({ breaker: closedBreaker(), events: [] });
  });
});

it('R-BRK-11 R-LAD-8 a changed scope or a breaker no longer named closes the old ones', () => {
  const app: Policy = PRESETS['two-ladder'];
  const endpoint: Policy = PRESETS.standard;
  const none: Policy = PRESETS.backoff;
  expect([app, endpoint, none].map(breakerScopeOf)).toEqual(['app', 'endpoint', null]);
  expect(closesBreakers(app, endpoint)).toBe(true);
  expect(closesBreakers(endpoint, none)).toBe(true);
  expect(closesBreakers(app, { ...app, breaker: { ...POLICY, pauseMs: 1 } })).toBe(false);
  expect(closesBreakers(none, app)).toBe(false);
});

type Act =
  | {
      kind: 'end';
      epoch: 'present' | 'older';
      probe: boolean;
      verdict: BreakerEnd['verdict'];
      failures: number;
    }
  | { kind: 'lease' | 'give_back' | 'reset' | 'due_now' };

const anAct: fc.Arbitrary<Act> = fc.oneof(
  fc.record({
    kind: fc.constant('end' as const),
    epoch: fc.constantFrom('present' as const, 'older' as const),
    probe: fc.boolean(),
    verdict: fc.constantFrom(
      'closes' as const,
      'postpones' as const,
      'reopens' as const,
      'gives_back' as const,
    ),
    failures: fc.integer({ min: 0, max: 6 }),
  }),
  fc.record({
    kind: fc.constantFrom('lease' as const, 'give_back' as const, 'reset' as const, 'due_now' as const),
  }),
);

function act(breaker: Breaker, move: Act, now: number): { breaker: Breaker; events: readonly string[] } {
  switch (move.kind) {
    case 'lease':
      return probeIsDue(breaker, now)
        ? leaseProbe(breaker, { deliveryId: 1, token: 't' })
        : { breaker, events: [] };
    case 'give_back':
      return giveBackTurn(breaker, now);
    case 'reset':
      return reset(breaker, now);
    case 'due_now':
      return probeDueNow(breaker, now);
    case 'end':
      return onEnd(
        breaker,
        endOf({
          epoch: move.epoch === 'present' ? breaker.epoch : breaker.epoch - 1,
          probe: move.probe,
          verdict: move.verdict,
          counted:
            move.verdict === 'reopens' ? 'failure' : move.verdict === 'gives_back' ? null : 'reachable',
          delivered: move.verdict === 'closes',
          now,
          endedAt: now,
          window: windowOf('F'.repeat(move.failures), now),
        }),
      );
    default: {
      const never: never = move;
      return never;
    }
  }
}

describe('any course of events', () => {
  it('R-BRK-7 R-BRK-2 raises the epoch by one with each listed move, and never sticks open', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(anAct, fc.integer({ min: 0, max: 10 * M })), { maxLength: 60 }),
        (acts) => {
          let breaker = closedBreaker();
          let now = 0;
          for (const [move, later] of acts) {
            now += later;
            const { breaker: next, events } = act(breaker, move, now);
            const raising = events.filter((kind) => kind !== 'probe_due_now').length;
            expect(next.epoch).toBe(breaker.epoch + raising);
            if (next.state === 'closed') {
              expect([next.probeAt, next.pauseMs, next.probeDeliveryId, next.openedAt]).toEqual([
                null,
                null,
                null,
                null,
              ]);
            } else if (next.probeDeliveryId === null) {
              // A probe falls due within the longest pause, whatever came before.
              expect(probeIsDue(next, now + 30 * M)).toBe(true);
              expect(next.pauseMs).toBeGreaterThanOrEqual(5 * M);
              expect(next.pauseMs).toBeLessThanOrEqual(30 * M);
            } else {
              // In flight: a collected lease gives the turn back, and the next probe is due at once.
              expect(probeIsDue(giveBackTurn(next, now).breaker, now)).toBe(true);
            }
            breaker = next;
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});
