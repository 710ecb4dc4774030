import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Decider } from '@/server/ports/store';
import { answered, contextOf, endOf, failed, freshHealth, pendingState } from '@/server/testing/core-loop';
import { closedBreaker, leaseProbe } from './breaker';
import { beginCycle } from './cycle';
import { createDecider, decider, fenceOf } from './decide';
import type { DecideContext, DecideEnd, Decision } from './decision';
import type { AttemptEnd, Breaker, DeliveryState, WindowEntry } from './model';
import { type Policy, PRESETS } from './policy';

const S = 1_000;
const M = 60 * S;
const TWO: Policy = PRESETS['two-ladder'];
const STANDARD: Policy = PRESETS.standard;
const MONEY = { eventCreatedAt: 0, money: true, isTest: false };
const LOST: AttemptEnd = { kind: 'lost' };
const HELD: AttemptEnd = { kind: 'held' };
const FOUR_FAILURES: WindowEntry[] = [1, 2, 3, 4].map((attemptId) => ({
  attemptId,
  deliveryId: attemptId,
  endedAt: 0,
  failure: true,
}));

const OPEN: Breaker = {
  ...closedBreaker(),
  state: 'open',
  epoch: 2,
  openedAt: 0,
  pauseMs: 5 * M,
  probeAt: 5 * M,
};
const PROBING: Breaker = leaseProbe(OPEN, { deliveryId: 1, token: 'mine' }).breaker;

function decide(end: DecideEnd, context: DecideContext): Decision {
  return decider.decide(end, context, () => 0);
}

it('R-LAD-6 the decider is the one that the store takes', () => {
  const port: Decider = decider;
  expect(port).toBe(decider);
});

/** The kinds of ends that R-ATT-17 lists, each with every class that belongs to it. */
const KINDS = {
  '2xx': [answered(200), answered(204)],
  '3xx, 4xx not retried': [answered(302), answered(400), answered(404), answered(410)],
  retryStatus: [answered(429)],
  '5xx and network': [
    answered(500),
    answered(503),
    failed('dns'),
    failed('connect_refused'),
    failed('connect_timeout'),
    failed('tls'),
    failed('reset'),
    failed('closed'),
    failed('protocol'),
    failed('timeout'),
  ],
  'refused address': [failed('refused_address')],
  internal: [failed('internal')],
  unknown: [LOST],
  held: [HELD],
} satisfies Record<string, AttemptEnd[]>;

type Kind = keyof typeof KINDS;

/** R-ATT-17, row by row: ladder (fast, slow), window, probe's verdict, failing_since. */
const TABLE: readonly [Kind, string, 'reachable' | 'failure' | null, string, string][] = [
  ['2xx', 'delivered', 'reachable', 'closed', 'clears'],
  ['3xx, 4xx not retried', 'slow 1', 'reachable', 'closed', 'sets'],
  ['retryStatus', 'fast 1', 'reachable', 'in 30 s, pause 5 min', 'sets'],
  ['5xx and network', 'fast 1', 'failure', 'in 600 s, pause 10 min', 'sets'],
  ['refused address', 'slow 1', null, 'in 600 s, pause 10 min', 'sets'],
  ['internal', 'no step', null, 'in 30 s, pause 5 min', 'nothing'],
  ['unknown', 'no step', null, 'in 0 s, pause 5 min', 'nothing'],
  ['held', 'no step', null, 'in 0 s, pause 5 min', 'nothing'],
];

const CASES = TABLE.flatMap(([kind, ...columns]) =>
  KINDS[kind].map((end) => [describeEnd(end), kind, end, columns] as const),
);

function describeEnd(end: AttemptEnd): string {
  if (end.kind === 'answered') return String(end.statusCode);
  return end.kind === 'failed' ? end.errorClass : end.kind;
}

function ladderColumn(decision: Decision): string {
  if (decision.delivery?.status === 'delivered') return 'delivered';
  return decision.ladder === null ? 'no step' : `${decision.ladder} ${decision.step}`;
}

function probeColumn({ breaker }: Decision, now: number): string {
  if (breaker === null) return 'nothing';
  if (breaker.state === 'closed') return 'closed';
  return `in ${((breaker.probeAt ?? 0) - now) / S} s, pause ${(breaker.pauseMs ?? 0) / M} min`;
}

const FAILING = freshHealth({ failingSince: 1, lastFailedAt: 2, consecutiveFailures: 3 });

function healthColumn(decide: (endpoint: typeof FAILING) => Decision): string {
  const fromFailing = decide(FAILING).health;
  const fromFresh = decide(freshHealth()).health;
  if (fromFailing !== null && fromFailing.failingSince === null) return 'clears';
  return fromFresh !== null && fromFresh.failingSince !== null ? 'sets' : 'nothing';
}

describe('what an end does elsewhere', () => {
  it.each(CASES)('R-ATT-17 %s (%s)', (_name, _kind, end, [ladder, window, probe, health]) => {
    const now = 7 * M;
    const base = contextOf(TWO, { facts: MONEY, now });
    const ordinary = (endpoint: typeof FAILING) =>
      decide(endOf(end, { endedAt: now }), { ...base, endpoint });
    const asProbe = decide(
      endOf(end, { endedAt: now, probe: true, trigger: 'probe', epoch: PROBING.epoch }),
      {
        ...base,
        breaker: PROBING,
      },
    );
    expect(ladderColumn(ordinary(FAILING))).toBe(ladder);
    expect(ordinary(FAILING).counted).toBe(window);
    expect(probeColumn(asProbe, now)).toBe(probe);
    expect(healthColumn(ordinary)).toBe(health);
  });

  it.each(CASES)('R-ATT-17 R-RES-3 the first attempt of a test: %s (%s)', (_name, kind, end, [ladder]) => {
    const base = contextOf(TWO, { facts: { ...MONEY, isTest: true } });
    const test = (endpoint: typeof FAILING, breaker: Breaker = closedBreaker()) =>
      decide(endOf(end, { trigger: 'test', epoch: null }), {
        ...base,
        endpoint,
        breaker,
        window: FOUR_FAILURES,
      });
    expect(ladderColumn(test(FAILING))).toBe(ladder);
    expect(test(FAILING).counted).toBeNull();
    expect(test(FAILING).breaker).toBeNull();
    expect(healthColumn(test)).toBe(kind === '2xx' ? 'clears' : 'nothing');
    const reachable = kind === '2xx' || kind === '3xx, 4xx not retried' || kind === 'retryStatus';
    expect(test(FAILING, OPEN).breakerEvents).toEqual(reachable ? ['probe_due_now'] : []);
    expect(test(FAILING, PROBING).breakerEvents).toEqual([]);
  });

  it('R-ATT-17 R-BRK-1 a failure opens the breaker, and the store is asked for the window for no other end', () => {
    for (const [, , end, [, window]] of CASES) {
      const context = contextOf(TWO, { facts: MONEY });
      expect(decider.needsWindow(endOf(end), context)).toBe(window === 'failure');
      const opened = decide(endOf(end), { ...context, window: FOUR_FAILURES }).breaker?.state === 'open';
      expect(opened).toBe(window === 'failure');
      expect(decider.needsWindow(endOf(end, { epoch: 0 }), context)).toBe(false);
      expect(decider.needsWindow(endOf(end, { trigger: 'test', epoch: null }), context)).toBe(false);
      expect(decider.needsWindow(endOf(end), { ...context, breaker: OPEN })).toBe(false);
      expect(decider.needsWindow(endOf(end), { ...context, breaker: null })).toBe(false);
      expect(decider.needsWindow(endOf(end), { ...context, delivery: null })).toBe(false);
    }
  });

  it('R-BRK-11 where the policy names no breaker nothing feeds one', () => {
    const decision = decide(endOf(failed('timeout'), { epoch: null }), contextOf(PRESETS.backoff));
    expect([decision.breaker, decision.counted, decision.health?.lastEndReachable]).toEqual([
      null,
      'failure',
      false,
    ]);
  });
});

describe('what is recorded', () => {
  it('R-ATT-12 the ladder step, class and message of the attempt', () => {
    expect(decide(endOf(failed('dns')), contextOf(STANDARD))).toMatchObject({
      record: 'insert',
      outcome: 'unavailable',
      errorClass: 'dns',
      statusCode: null,
      message: 'it was dns',
      ladder: 'fast',
      step: 1,
      counted: 'failure',
    });
  });

  it('R-ATT-4 where a redirect pointed, as text', () => {
    const end: AttemptEnd = {
      kind: 'answered',
      statusCode: 301,
      retryAfter: [],
      location: 'https://b.example/',
    };
    const decision = decide(endOf(end), contextOf(STANDARD));
    expect([decision.errorClass, decision.message]).toEqual(['redirect', 'https://b.example/']);
    expect(decide(endOf({ ...end, statusCode: 201 }), contextOf(STANDARD)).message).toBeNull();
  });

  it('R-BRK-5 R-ATT-9 a held one is no attempt: no record, no number, the lease given back', () => {
    const decision = decide(endOf(HELD), contextOf(STANDARD));
    expect(decision).toMatchObject({
      delivery: null,
      releaseLease: true,
      record: 'none',
      health: null,
      dropped: null,
    });
  });

  it('R-DEL-11 a collected lease is an attempt: `unknown`, class `lost`, its number used', () => {
    const decision = decide(endOf(LOST, { number: 4 }), contextOf(STANDARD));
    expect(decision).toMatchObject({
      record: 'insert',
      outcome: 'unknown',
      errorClass: 'lost',
      releaseLease: true,
    });
    expect(decision.delivery).toMatchObject({ attempts: 4, unknowns: 1, dueAt: 0, nextTrigger: 'retry' });
  });

  it('R-DEL-11 an engine’s own waits are its decider’s', () => {
    const delivery = { ...pendingState(STANDARD, { unknowns: 1 }), lease: { token: 'mine' } };
    const quick = createDecider({ unknownWaitsMs: [0, 20] });
    const context = contextOf(STANDARD, { delivery });
    expect(quick.decide(endOf(LOST), context, () => 0).delivery?.dueAt).toBe(20);
    expect(decide(endOf(LOST), context).delivery?.dueAt).toBe(M);
  });

  it('R-LAD-6 R-DEL-2 gives states that hold the rows’ fields and no other', () => {
    const row = { ...pendingState(STANDARD), id: 9, lease: { token: 'mine' } };
    const decision = decide(
      endOf(answered(500)),
      contextOf(STANDARD, { delivery: row, window: FOUR_FAILURES }),
    );
    expect(Object.keys(decision.delivery ?? {}).sort()).toEqual(Object.keys(pendingState(STANDARD)).sort());
    expect(Object.keys(decision.breaker ?? {}).sort()).toEqual(Object.keys(closedBreaker()).sort());
    expect(Object.keys(decision.health ?? {}).sort()).toEqual(Object.keys(freshHealth()).sort());
  });
});

describe('what an end finds', () => {
  const own = pendingState(TWO, { attempts: 2, fast: 2, nextTrigger: 'retry' });
  const newer = beginCycle(own, { facts: MONEY, ladder: TWO, now: 40, trigger: 'resend' });
  const over: DeliveryState = { ...own, status: 'failed', reason: 'exhausted', dueAt: null, endedAt: 30 };

  function found(
    end: AttemptEnd,
    delivery: DecideContext['delivery'],
    change: Partial<DecideEnd> = {},
    context: Partial<DecideContext> = {},
  ): Decision {
    return decide(
      endOf(end, { number: 3, trigger: 'retry', endedAt: 50, ...change }),
      contextOf(TWO, { facts: MONEY, now: 50, endpoint: FAILING, delivery, ...context }),
    );
  }

  const mine = (state: DeliveryState) => ({ ...state, lease: { token: 'mine' } });
  const theirs = (state: DeliveryState) => ({ ...state, lease: { token: 'theirs' } });
  const nobodys = (state: DeliveryState) => ({ ...state, lease: null });

  it('R-DEL-2 is told by token, cycle and status', () => {
    const end = { token: 'mine', cycle: 1 };
    expect(fenceOf(end, mine(own))).toBe('own');
    expect(fenceOf(end, mine(over))).toBe('settled');
    expect(fenceOf(end, mine(newer))).toBe('newer_cycle');
    expect(fenceOf(end, theirs(own))).toBe('late_pending');
    expect(fenceOf(end, nobodys(own))).toBe('late_pending');
    expect(fenceOf(end, theirs(newer))).toBe('late');
    expect(fenceOf(end, nobodys(over))).toBe('late');
    expect(fenceOf(end, null)).toBe('no_row');
  });

  it('R-DEL-2 its token, its cycle: moves the delivery, health and record of its number', () => {
    const decision = found(answered(503), mine(own));
    expect(decision).toMatchObject({
      releaseLease: true,
      record: 'insert',
      ladder: 'fast',
      step: 3,
      dropped: null,
    });
    expect(decision.delivery).toMatchObject({ attempts: 3, fast: 3, dueAt: 50 + 4 * S });
    expect(decision.health).toMatchObject({ consecutiveFailures: 4, lastFailedAt: 50 });
  });

  it('R-BRK-1 R-DEL-2 settled again after the answer was lost, it is in the window already and counts once', () => {
    const four = [1, 2, 3, 4].map((deliveryId) => ({
      attemptId: deliveryId,
      deliveryId,
      endedAt: 50,
      failure: true,
    }));
    const again = found(answered(503), nobodys(own), { deliveryId: 4 }, { window: four });
    expect(again).toMatchObject({ breaker: null, breakerEvents: [], dropped: 'lease_lost' });
    const another = found(answered(503), nobodys(own), { deliveryId: 5 }, { window: four });
    expect(another.breakerEvents).toEqual(['opened']);
  });

  it('R-DEL-2 R-RES-2 its token, a newer cycle: the new cycle stays due, and all else is as ever', () => {
    const decision = found(answered(503), mine(newer));
    expect(decision).toMatchObject({
      releaseLease: true,
      record: 'insert',
      ladder: null,
      step: null,
      dropped: null,
    });
    expect(decision.delivery).toEqual({
      ...newer,
      attempts: 3,
      lastOutcome: 'unavailable',
      lastStatusCode: 503,
      lastErrorClass: 'http_5xx',
      lastEndedAt: 50,
    });
    expect(decision.delivery).toMatchObject({ status: 'pending', dueAt: 40, nextTrigger: 'resend', fast: 0 });
    expect(decision.health).toMatchObject({ consecutiveFailures: 4 });
  });

  it('R-DEL-2 R-RES-8 its token, a newer cycle, and it was delivered: remembered, and the new cycle goes on', () => {
    const decision = found(answered(200), mine(newer));
    expect(decision.delivery).toMatchObject({ status: 'pending', cycle: 2, dueAt: 40, firstDeliveredAt: 50 });
    expect(decision.health).toEqual(freshHealth({ lastEndReachable: true }));
  });

  it('R-DEL-2 R-DEL-11 a lost end under a newer cycle keeps the row of unknowns, and the new cycle due', () => {
    const decision = found(LOST, mine({ ...newer, unknowns: 2 }));
    expect(decision).toMatchObject({ releaseLease: true, record: 'insert', outcome: 'unknown' });
    expect(decision.delivery).toMatchObject({ unknowns: 3, dueAt: 40, attempts: 3 });
  });

  it.each([
    ['someone else’s lease', theirs(own)],
    ['no lease', nobodys(own)],
  ])('R-DEL-2 R-RES-8 its token gone (%s), its cycle, pending: a 2xx settles it', (_name, row) => {
    const decision = found(answered(200), row);
    expect(decision).toMatchObject({
      releaseLease: false,
      record: 'complete',
      outcome: 'delivered',
      dropped: null,
    });
    expect(decision.delivery).toMatchObject({
      status: 'delivered',
      attempts: 3,
      firstDeliveredAt: 50,
      dueAt: null,
    });
    expect(decision.health).toMatchObject({ failingSince: null, consecutiveFailures: 0 });
  });

  it.each([answered(503), answered(404), failed('refused_address'), failed('internal')])(
    'R-DEL-2 its token gone, its cycle, pending: nothing else moves it (%j)',
    (end) => {
      const decision = found(end, theirs(own));
      expect(decision).toMatchObject({
        delivery: null,
        releaseLease: false,
        record: 'complete',
        ladder: null,
        step: null,
        health: null,
        dropped: 'lease_lost',
      });
    },
  );

  it('R-DEL-2 its token gone, anything else: a 2xx leaves its date and clears the health, no more', () => {
    for (const row of [nobodys(over), theirs(newer), nobodys({ ...over, status: 'skipped' })]) {
      const decision = found(answered(200), row);
      const { lease, ...state } = row;
      expect(decision.delivery).toEqual({ ...state, firstDeliveredAt: 50 });
      expect(decision).toMatchObject({ releaseLease: false, record: 'complete', dropped: null });
      expect(decision.health).toMatchObject({ failingSince: null });
      expect(found(answered(200), { ...row, firstDeliveredAt: 7 }).delivery).toBeNull();
      expect(found(answered(500), row)).toMatchObject({
        delivery: null,
        health: null,
        dropped: 'lease_lost',
      });
    }
  });

  it('R-DEL-2 what a collected lease finds settled already completes nothing', () => {
    expect(found(LOST, theirs(own))).toMatchObject({ delivery: null, record: 'none', dropped: 'lease_lost' });
    expect(found(HELD, theirs(own))).toMatchObject({ delivery: null, record: 'none', releaseLease: false });
  });

  it('R-DEL-2 R-DEL-1 its token, its cycle, but a late 2xx came first: recorded, and it stays delivered', () => {
    const delivered: DeliveryState = {
      ...own,
      status: 'delivered',
      reason: null,
      dueAt: null,
      firstDeliveredAt: 45,
      endedAt: 45,
    };
    const decision = found(answered(503), mine(delivered));
    expect(decision).toMatchObject({ releaseLease: true, record: 'insert', ladder: null, dropped: null });
    expect(decision.delivery).toEqual({ ...delivered, attempts: 3 });
    expect(decision.health).toMatchObject({ consecutiveFailures: 4 });
  });

  it('R-DEL-2 R-DEL-4 no row: nothing, and one reason for the log', () => {
    for (const end of [answered(200), answered(503), LOST, HELD]) {
      expect(found(end, null)).toMatchObject({
        delivery: null,
        releaseLease: false,
        record: 'none',
        health: null,
        breaker: null,
        counted: null,
        dropped: 'no_row',
      });
    }
  });

  it('R-DEL-2 never gives a number back that was recorded', () => {
    const decision = found(answered(200), theirs({ ...own, attempts: 5 }));
    expect(decision.delivery?.attempts).toBe(5);
  });
});

describe('the breaker goes by the epoch alone', () => {
  const probe = { probe: true, trigger: 'probe', epoch: PROBING.epoch } as const;
  const own = pendingState(TWO);
  const rows: DecideContext['delivery'][] = [
    { ...own, lease: { token: 'mine' } },
    { ...own, lease: { token: 'theirs' } },
    { ...own, status: 'failed', dueAt: null, lease: null },
    { ...own, cycle: 2, lease: { token: 'mine' } },
  ];

  it('R-BRK-7 the probe moves it whatever became of its delivery', () => {
    for (const delivery of rows) {
      const context = contextOf(TWO, { now: 6 * M, breaker: PROBING, delivery });
      expect(decide(endOf(answered(404), probe), context).breakerEvents).toEqual(['closed']);
      expect(decide(endOf(failed('timeout'), probe), context).breakerEvents).toEqual(['probe_failed']);
      expect(decide(endOf(LOST, probe), context).breakerEvents).toEqual(['turn_given_back']);
    }
  });

  it('R-BRK-7 a probe whose row is gone gives its turn back', () => {
    const context = contextOf(TWO, {
      now: 6 * M,
      breaker: PROBING,
      delivery: null,
      policy: null,
      ladder: null,
    });
    const decision = decide(endOf(failed('timeout'), probe), context);
    expect(decision.breakerEvents).toEqual(['turn_given_back']);
    expect(decision.breaker).toMatchObject({
      state: 'open',
      probeAt: 6 * M,
      pauseMs: 5 * M,
      epoch: PROBING.epoch + 1,
    });
    expect(decide(endOf(failed('timeout')), context).breaker).toBeNull();
  });

  it('R-BRK-7 an end of before the opening moves nothing unless it delivered', () => {
    for (const breaker of [OPEN, PROBING]) {
      const context = contextOf(TWO, { now: M, breaker, window: FOUR_FAILURES });
      for (const end of [answered(503), answered(404), answered(429), failed('internal'), LOST, HELD]) {
        expect(decide(endOf(end, { epoch: 1 }), context).breaker).toBeNull();
      }
    }
    const decision = decide(endOf(answered(200), { epoch: 1 }), contextOf(TWO, { now: M, breaker: OPEN }));
    expect([decision.breakerEvents, decision.breaker?.probeAt]).toEqual([['probe_due_now'], M]);
  });

  it('R-BRK-7 a late failure claimed under the present epoch still counts; one of another does not', () => {
    const delivery = { ...own, lease: { token: 'theirs' } };
    const context = contextOf(TWO, { delivery, window: FOUR_FAILURES });
    expect(decide(endOf(failed('timeout')), context).breakerEvents).toEqual(['opened']);
    expect(decide(endOf(failed('timeout'), { epoch: 0 }), context).breakerEvents).toEqual([]);
  });

  it('R-BRK-4 Retry-After puts a probe off where the policy honours it', () => {
    const policy = { ...TWO, honourRetryAfter: true };
    const context = contextOf(policy, { now: 6 * M, breaker: PROBING });
    const end = endOf(answered(429, ['600']), { ...probe, endedAt: 6 * M });
    expect(decide(end, context).breaker?.probeAt).toBe(16 * M);
    expect(decide(end, { ...context, ladder: TWO }).breaker?.probeAt).toBe(6 * M + 30 * S);
  });
});

describe('whether the last counted end was reachable', () => {
  const reachable = (end: DecideEnd, context: DecideContext) =>
    decide(end, context).health?.lastEndReachable ?? null;
  const probe = { probe: true, trigger: 'probe', epoch: PROBING.epoch } as const;

  it('R-BRK-3 is told by the ends that count under the present epoch', () => {
    const context = contextOf(TWO);
    expect(reachable(endOf(answered(404)), context)).toBe(true);
    expect(reachable(endOf(answered(429)), context)).toBe(true);
    expect(reachable(endOf(answered(404), { epoch: 0 }), context)).toBe(false);
    const good = contextOf(TWO, { endpoint: freshHealth({ lastEndReachable: true }) });
    expect(reachable(endOf(answered(503)), good)).toBe(false);
    expect(reachable(endOf(failed('refused_address')), good)).toBe(true);
    expect(reachable(endOf(answered(503), { trigger: 'test', epoch: null }), good)).toBeNull();
  });

  it('R-BRK-3 R-BRK-4 a probe that is put off keeps its endpoint behind the breaker, one that closes does not', () => {
    const context = contextOf(TWO, { now: 6 * M, breaker: PROBING });
    expect(reachable(endOf(answered(429), probe), context)).toBe(false);
    expect(reachable(endOf(answered(404), probe), context)).toBe(true);
  });

  it('R-BRK-7 a late 2xx of before the opening lets its endpoint pass no gate: the probe does', () => {
    const delivery = { ...pendingState(TWO), lease: { token: 'theirs' } };
    const context = contextOf(TWO, { now: M, breaker: OPEN, endpoint: FAILING, delivery });
    const decision = decide(endOf(answered(200), { epoch: 1 }), context);
    expect(decision.health).toEqual(freshHealth());
    expect(decision.breakerEvents).toEqual(['probe_due_now']);
  });
});

describe('any end on any row', () => {
  const anEnd = fc.constantFrom(...Object.values(KINDS).flat());
  const aRow = fc.record({
    status: fc.constantFrom('pending' as const, 'delivered' as const, 'failed' as const, 'skipped' as const),
    cycle: fc.integer({ min: 1, max: 2 }),
    fast: fc.integer({ min: 0, max: 9 }),
    slow: fc.integer({ min: 0, max: 5 }),
    attempts: fc.integer({ min: 0, max: 20 }),
    firstDeliveredAt: fc.option(fc.integer({ min: 0, max: 10 })),
    lease: fc.option(fc.record({ token: fc.constantFrom('mine', 'theirs') })),
  });
  const aBreaker = fc.constantFrom(closedBreaker(), OPEN, PROBING);

  it('R-DEL-1 R-RES-8 what is not pending stays so, a first success stays, counters rise by one at most', () => {
    fc.assert(
      fc.property(
        anEnd,
        aRow,
        aBreaker,
        fc.integer({ min: 0, max: 3 }),
        fc.boolean(),
        (end, row, breaker, epoch, probe) => {
          const delivery = { ...pendingState(TWO), ...row, dueAt: row.status === 'pending' ? 0 : null };
          const context = contextOf(TWO, { facts: MONEY, now: 60, delivery, breaker, window: FOUR_FAILURES });
          const decision = decide(endOf(end, { epoch, probe, number: 3, endedAt: 50 }), context);
          const next = decision.delivery ?? delivery;
          if (row.status !== 'pending') expect(next.status).toBe(row.status);
          if (row.firstDeliveredAt !== null) expect(next.firstDeliveredAt).toBe(row.firstDeliveredAt);
          expect(next.cycle).toBe(row.cycle);
          expect(next.attempts).toBeGreaterThanOrEqual(row.attempts);
          expect(next.fast + next.slow - row.fast - row.slow).toBe(decision.ladder === null ? 0 : 1);
          expect(decision.releaseLease).toBe(row.lease?.token === 'mine');
          if (decision.outcome === 'held')
            expect([decision.delivery, decision.record]).toEqual([null, 'none']);
          if (decision.dropped !== null) expect([decision.delivery, decision.health]).toEqual([null, null]);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
