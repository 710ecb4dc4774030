import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answered, failed, pendingState } from '@/server/testing/core-loop';
import { beginCycle } from './cycle';
import { deadlineOf } from './deadline';
import {
  dueAfterClosing,
  type ExpiryInput,
  expire,
  isDeadLetter,
  isSuspect,
  type TransitionInput,
  transition,
} from './delivery-state';
import type { AttemptEnd, DeliveryState } from './model';
import { type LadderPart, ladderAttempts, type Policy, PRESETS } from './policy';

const S = 1_000;
const M = 60 * S;
const H = 60 * M;
const D = 24 * H;
const TWO: Policy = PRESETS['two-ladder'];
const STANDARD: Policy = PRESETS.standard;
const LOST: AttemptEnd = { kind: 'lost' };
const HELD: AttemptEnd = { kind: 'held' };

const MONEY = { eventCreatedAt: 0, money: true, isTest: false };
const OTHER = { eventCreatedAt: 0, money: false, isTest: false };

function step(end: AttemptEnd, change: Partial<TransitionInput> = {}) {
  const ladder = change.ladder ?? TWO;
  const now = change.now ?? change.endedAt ?? 0;
  return transition({
    state: pendingState(ladder),
    facts: MONEY,
    ladder,
    end,
    endedAt: now,
    now,
    random: () => 0,
    gates: [],
    ...change,
  });
}

/** Runs ends one after another, each at the instant its delivery is due, and gives the waits between them. */
function play(ends: readonly AttemptEnd[], change: Partial<TransitionInput> = {}) {
  let state = change.state ?? pendingState(change.ladder ?? TWO);
  const waits: (number | null)[] = [];
  for (const end of ends) {
    const at = state.dueAt ?? 0;
    state = step(end, { ...change, state, endedAt: at, now: at }).state;
    waits.push(state.dueAt === null ? null : state.dueAt - at);
  }
  return { state, waits };
}

describe('one end', () => {
  it('R-LAD-6 R-ATT-3 a 2xx delivers, and leaves nothing to come', () => {
    const { state, ladder } = step(answered(204), { endedAt: 5 * S, now: 6 * S });
    expect(state).toEqual({
      ...pendingState(TWO),
      status: 'delivered',
      reason: null,
      attempts: 1,
      dueAt: null,
      nextTrigger: 'retry',
      lastOutcome: 'delivered',
      lastStatusCode: 204,
      lastEndedAt: 5 * S,
      firstDeliveredAt: 5 * S,
      endedAt: 6 * S,
    });
    expect(ladder).toBeNull();
  });

  it('R-LAD-6 R-DEL-6 an unavailable one waits on the fast ladder and says what it waits for', () => {
    const { state, ladder, step: counter } = step(failed('tls'), { endedAt: 5 * S, now: 6 * S });
    expect(state).toEqual({
      ...pendingState(TWO),
      reason: 'retrying',
      attempts: 1,
      fast: 1,
      dueAt: 6 * S,
      waitCause: 'fast',
      ladderWaitMs: S,
      nextTrigger: 'retry',
      lastOutcome: 'unavailable',
      lastErrorClass: 'tls',
      lastEndedAt: 5 * S,
    });
    expect([ladder, counter]).toEqual(['fast', 1]);
  });

  it('R-LAD-2 R-LAD-3 a rejected one of a money event begins the slow ladder and its window', () => {
    const { state, ladder, step: counter } = step(answered(404), { endedAt: 5 * S });
    expect(state).toMatchObject({
      status: 'pending',
      fast: 0,
      slow: 1,
      slowStartedAt: 5 * S,
      dueAt: 5 * S + 15 * M,
      waitCause: 'slow',
      deadlineAt: 5 * S + 48 * H,
    });
    expect([ladder, counter]).toEqual(['slow', 1]);
  });

  it('R-ATT-7 R-ATT-10 a refused address is rejected like a 4xx', () => {
    expect(step(failed('refused_address')).state).toMatchObject({ slow: 1, waitCause: 'slow' });
    expect(step(failed('refused_address'), { facts: OTHER }).state).toMatchObject({ status: 'failed' });
  });

  it('R-LAD-2 a rejected one of any other event ends it where the policy says fail', () => {
    expect(step(answered(404), { facts: OTHER, now: 7 * S }).state).toMatchObject({
      status: 'failed',
      reason: 'rejected',
      dueAt: null,
      endedAt: 7 * S,
      fast: 0,
      slow: 0,
    });
  });

  it('R-LAD-2 a rejected one raises the fast counter where the policy takes it as unavailable', () => {
    expect(step(answered(404), { ladder: STANDARD }).state).toMatchObject({
      fast: 1,
      slow: 0,
      waitCause: 'fast',
    });
  });

  it('R-LAD-2 429 takes the fast ladder of two-ladder, for money too', () => {
    expect(step(answered(429)).state).toMatchObject({ fast: 1, slow: 0 });
  });

  it('R-LAD-5 the drawn wait is stored', () => {
    const { state } = step(answered(500), { ladder: STANDARD, random: () => 0.5 });
    expect(state).toMatchObject({ dueAt: 5_500, ladderWaitMs: 5_500 });
  });

  it('R-BRK-5 a held one leaves the delivery exactly as it is', () => {
    const state = pendingState(TWO, { attempts: 3, fast: 3, unknowns: 2, nextTrigger: 'resend' });
    expect(step(HELD, { state })).toEqual({ state, ladder: null, step: null });
  });
});

describe('two counters', () => {
  const REJECTED = answered(400);
  const DOWN = answered(503);

  it('R-LAD-2 400, 400, 503, 503, 400, 200: 15 m, 1 h, 1 s, 2 s, 4 h', () => {
    const { waits, state } = play([REJECTED, REJECTED, DOWN, DOWN, REJECTED, answered(200)]);
    expect(waits).toEqual([15 * M, H, S, 2 * S, 4 * H, null]);
    expect(state).toMatchObject({ status: 'delivered', fast: 2, slow: 3, attempts: 6 });
  });

  it('R-LAD-2 P15: a counter at its ladder’s end ends the delivery, whatever the other has left', () => {
    const fast = play([REJECTED, ...new Array<AttemptEnd>(10).fill(DOWN)]);
    expect(fast.state).toMatchObject({ status: 'failed', reason: 'exhausted', fast: 10, slow: 1 });
    const slow = play([DOWN, ...new Array<AttemptEnd>(6).fill(REJECTED)]);
    expect(slow.state).toMatchObject({ status: 'failed', reason: 'exhausted', fast: 1, slow: 6 });
  });

  it('R-LAD-2 P15: 500, 404, 500, 429, 410 by a model of its own', () => {
    const { waits } = play([500, 404, 500, 429, 410].map((code) => answered(code)));
    expect(waits).toEqual([S, 15 * M, 2 * S, 4 * S, H]);
  });

  it('R-LAD-2 counters never mix: any interleaving waits each ladder’s waits in their own order', () => {
    const fastWaits = [1, 2, 4, 8, 16, 32, 64, 128, 256].map((s) => s * S);
    const slowWaits = [900, 3_600, 14_400, 43_200, 86_400].map((s) => s * S);
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 14 }), (rejections) => {
        const { waits, state } = play(rejections.map((rejected) => (rejected ? REJECTED : DOWN)));
        let fast = 0;
        let slow = 0;
        for (const [index, rejected] of rejections.entries()) {
          if (fast > fastWaits.length || slow > slowWaits.length) break;
          const expected = rejected ? slowWaits[slow] : fastWaits[fast];
          expect(waits[index]).toBe(expected ?? null);
          if (rejected) slow += 1;
          else fast += 1;
        }
        expect([state.fast, state.slow]).toEqual([fast, slow]);
      }),
    );
  });
});

describe('deadlines', () => {
  it('R-LAD-3 what lay for five days unattempted still gets its whole slow ladder', () => {
    const state = pendingState(TWO, { dueAt: 5 * D });
    const { waits, state: last } = play(new Array<AttemptEnd>(6).fill(answered(400)), { state });
    expect(waits).toEqual([15 * M, H, 4 * H, 12 * H, 24 * H, null]);
    expect(last).toMatchObject({ status: 'failed', reason: 'exhausted', slowStartedAt: 5 * D });
  });

  it('R-LAD-3 the window binds every later attempt of the cycle, those of the fast ladder too', () => {
    const state = pendingState(TWO, { slow: 1, slowStartedAt: 0, fast: 1 });
    const at = 48 * H - 2 * S;
    expect(step(answered(503), { state, endedAt: at }).state).toMatchObject({
      status: 'pending',
      dueAt: 48 * H,
    });
    expect(step(answered(503), { state, endedAt: at + 1 }).state).toMatchObject({
      status: 'failed',
      reason: 'slow_window_over',
      endedAt: at + 1,
    });
  });

  it('R-LAD-10 R-LAD-4 P18: a wait that would end after the age ends the delivery now', () => {
    const at = 30 * D - S;
    expect(step(answered(503), { endedAt: at }).state).toMatchObject({ status: 'pending', dueAt: 30 * D });
    expect(step(answered(503), { endedAt: at + 1 }).state).toMatchObject({
      status: 'failed',
      reason: 'too_old',
    });
  });

  it('R-FAIL-8 a pause since makes room for the wait that the window would have cut off', () => {
    const state = pendingState(TWO, { slow: 4, slowStartedAt: 0 });
    const gates = [{ kind: 'pause', fromAt: H, toAt: 3 * H }] as const;
    expect(step(answered(400), { state, endedAt: 26 * H, gates }).state).toMatchObject({
      status: 'pending',
      dueAt: 50 * H,
      deadlineAt: 50 * H,
    });
    expect(step(answered(400), { state, endedAt: 26 * H }).state).toMatchObject({
      reason: 'slow_window_over',
    });
  });

  it('R-LAD-10 R-RES-1 the age that a person’s cycle has is its own', () => {
    const state = pendingState(TWO, { cycleByPerson: true, cycleStartedAt: 30 * D });
    expect(step(answered(503), { state, endedAt: 30 * D }).state).toMatchObject({
      status: 'pending',
      deadlineAt: 32 * D,
    });
  });
});

describe('Retry-After', () => {
  const asked = (value: string, change: Partial<TransitionInput> = {}, code = 429) =>
    step(answered(code, [value]), { ladder: STANDARD, ...change }).state;

  it('R-ATT-11 O10 the larger of the two waits; both numbers are kept', () => {
    expect(asked('120')).toMatchObject({
      dueAt: 120 * S,
      waitCause: 'retry_after',
      ladderWaitMs: 5 * S,
      retryAfterMs: 120 * S,
      fast: 1,
    });
    expect(asked('1')).toMatchObject({
      dueAt: 5 * S,
      waitCause: 'fast',
      ladderWaitMs: 5 * S,
      retryAfterMs: S,
    });
    expect(asked('999999')).toMatchObject({ dueAt: 5 * S + 2 * H, retryAfterMs: 999_999 * S });
  });

  it.each([
    ['9999999999', 5 * S + 2 * H],
    ['-5', 5 * S],
    ['0', 5 * S],
    ['1.5', 5 * S],
    ['soon', 5 * S],
    ['Wed, 21 Oct 2015 07:28:00 GMT', 5 * S],
    ['Fri, 01 Jan 2038 00:00:00 GMT', 5 * S + 2 * H],
  ])('R-ATT-11 O11: `%s` waits neither less than the ladder nor more than 2 h beyond it', (value, waits) => {
    const at = Date.UTC(2026, 10, 30);
    const state = pendingState(STANDARD, { dueAt: at });
    const facts = { ...MONEY, eventCreatedAt: at };
    expect((asked(value, { state, facts, endedAt: at }).dueAt ?? 0) - at).toBe(waits);
  });

  it('R-ATT-11 O11: of two fields the larger', () => {
    expect(step(answered(503, ['60', '120']), { ladder: STANDARD }).state.dueAt).toBe(120 * S);
  });

  it('R-ATT-11 only 429 and 503, and only where the policy honours it', () => {
    expect(asked('120', {}, 503).dueAt).toBe(120 * S);
    expect(asked('120', {}, 500)).toMatchObject({ dueAt: 5 * S, retryAfterMs: null });
    expect(asked('120', {}, 408)).toMatchObject({ dueAt: 5 * S, retryAfterMs: null });
    expect(step(answered(429, ['120']), { ladder: TWO }).state).toMatchObject({
      dueAt: S,
      retryAfterMs: null,
    });
  });

  it('R-ATT-11 never passes a deadline that the ladder’s own wait would have met', () => {
    const at = 30 * D - M;
    const state = pendingState(STANDARD, { dueAt: at });
    expect(asked('120', { state, endedAt: at })).toMatchObject({ status: 'pending', dueAt: 30 * D });
  });

  it('R-ATT-11 postpones on the slow ladder too', () => {
    const ladder: LadderPart = { ...TWO, retryStatuses: [], honourRetryAfter: true };
    expect(step(answered(429, ['1800']), { ladder }).state).toMatchObject({
      slow: 1,
      ladderWaitMs: 15 * M,
      dueAt: 30 * M,
      waitCause: 'retry_after',
    });
  });
});

describe('unknown ends', () => {
  it('R-DEL-11 wait 0, 1 min, 5 min, then 30 min each, and spend no budget', () => {
    const { waits, state } = play(new Array<AttemptEnd>(6).fill(LOST));
    expect(waits).toEqual([0, M, 5 * M, 30 * M, 30 * M, 30 * M]);
    expect(state).toMatchObject({
      status: 'pending',
      fast: 0,
      slow: 0,
      unknowns: 6,
      attempts: 6,
      waitCause: 'unknown',
    });
  });

  it('R-DEL-11 R-ATT-17 an internal error of ours waits like one', () => {
    const { waits, state } = play([failed('internal'), LOST, failed('internal')]);
    expect(waits).toEqual([0, M, 5 * M]);
    expect(state).toMatchObject({ fast: 0, lastErrorClass: 'internal', lastOutcome: 'unknown' });
  });

  it('R-DEL-11 are counted in a row: any other end starts anew', () => {
    const { waits, state } = play([LOST, LOST, answered(500), LOST]);
    expect(waits).toEqual([0, M, S, 0]);
    expect(state.unknowns).toBe(1);
  });

  it('R-DEL-11 from the third in a row on the delivery is a suspect', () => {
    expect([0, 1, 2, 3, 4].map((unknowns) => isSuspect({ unknowns }))).toEqual([
      false,
      false,
      false,
      true,
      true,
    ]);
  });

  it('R-DEL-11 an engine may have waits of its own', () => {
    const { waits } = play([LOST, LOST, LOST], { unknownWaitsMs: [0, 10, 20] });
    expect(waits).toEqual([0, 10, 20]);
    expect(play([LOST], { unknownWaitsMs: [] }).waits).toEqual([0]);
  });
});

describe('expiry', () => {
  const over = (state: Partial<DeliveryState>, change: Partial<ExpiryInput> = {}) =>
    expire({
      state: pendingState(TWO, state),
      facts: MONEY,
      ladder: TWO,
      gates: [],
      endpointStatus: 'active',
      now: 0,
      ...change,
    });

  it('R-BRK-9 R-LAD-4 P18: too old one ms after its age', () => {
    expect(over({}, { now: 30 * D })).toBeNull();
    expect(over({}, { now: 30 * D + 1 })).toMatchObject({
      status: 'failed',
      reason: 'too_old',
      dueAt: null,
      endedAt: 30 * D + 1,
    });
  });

  it('R-BRK-9 R-LAD-3 P18: the slow window over one ms after its end, with its gates', () => {
    const state = { slow: 1, slowStartedAt: 0 };
    const gates = [{ kind: 'unsigned', fromAt: 0, toAt: H }] as const;
    expect(over(state, { now: 48 * H })).toBeNull();
    expect(over(state, { now: 48 * H + 1 })).toMatchObject({ status: 'failed', reason: 'slow_window_over' });
    expect(over(state, { now: 49 * H, gates })).toBeNull();
    expect(over(state, { now: 49 * H + 1, gates })).toMatchObject({ reason: 'slow_window_over' });
  });

  it('R-FAIL-4 R-BRK-9 skipped behind a disabled endpoint when its turn comes, not before', () => {
    expect(over({ dueAt: 10 }, { now: 9, endpointStatus: 'disabled' })).toBeNull();
    expect(over({ dueAt: 10 }, { now: 10, endpointStatus: 'disabled' })).toMatchObject({
      status: 'skipped',
      reason: 'endpoint_disabled',
      dueAt: null,
      endedAt: 10,
    });
  });

  it('R-FAIL-2 R-BRK-9 skipped behind an auto-disabled one, due or not', () => {
    expect(over({ dueAt: 10 }, { now: 9, endpointStatus: 'auto_disabled' })).toMatchObject({
      status: 'skipped',
    });
  });

  it('R-BRK-9 R-RES-3 not the first attempt of a test, but its retries', () => {
    for (const endpointStatus of ['disabled', 'auto_disabled'] as const) {
      expect(over({ nextTrigger: 'test' }, { endpointStatus })).toBeNull();
      expect(over({ nextTrigger: 'retry' }, { endpointStatus })).toMatchObject({ status: 'skipped' });
    }
  });

  it('R-BRK-9 R-PUB-3 what waits for an endpoint has none to be inactive, and gets too old', () => {
    const state = { reason: 'no_endpoint', dueAt: null } as const;
    expect(over(state, { endpointStatus: null, now: 29 * D })).toBeNull();
    expect(over(state, { endpointStatus: null, now: 30 * D + 1 })).toMatchObject({
      status: 'failed',
      reason: 'too_old',
    });
  });

  it('R-DEL-1 touches nothing that is not pending', () => {
    for (const status of ['delivered', 'failed', 'skipped'] as const) {
      expect(over({ status }, { now: 99 * D, endpointStatus: 'auto_disabled' })).toBeNull();
    }
  });
});

describe('a closing breaker', () => {
  const fastWait = pendingState(TWO, {
    fast: 3,
    dueAt: 100,
    waitCause: 'fast',
    ladderWaitMs: 90,
    lastOutcome: 'unavailable',
    lastEndedAt: 10,
  });
  const drained = (change: Partial<DeliveryState>) =>
    dueAfterClosing({ ...fastWait, ...change }, { closedAt: 50, now: 60 });

  it('R-BRK-4 makes due now what last ended unavailable before the closing', () => {
    expect(drained({})).toEqual({ ...fastWait, dueAt: 60, waitCause: null, ladderWaitMs: null });
    expect(drained({ lastEndedAt: 50 })).not.toBeNull();
  });

  it('R-BRK-4 leaves a wait set by a rejected answer, by Retry-After or after a fault of ours', () => {
    expect(drained({ waitCause: 'slow', lastOutcome: 'rejected' })).toBeNull();
    expect(drained({ waitCause: 'fast', lastOutcome: 'rejected' })).toBeNull();
    expect(drained({ waitCause: 'retry_after' })).toBeNull();
    expect(drained({ waitCause: 'unknown', lastOutcome: 'unknown' })).toBeNull();
  });

  it('R-BRK-4 leaves what ended after the closing, is due anyway, or is over; and moves nothing twice', () => {
    expect(drained({ lastEndedAt: 51 })).toBeNull();
    expect(drained({ dueAt: 60 })).toBeNull();
    expect(drained({ status: 'failed', dueAt: null })).toBeNull();
    const once = drained({});
    expect(once === null ? null : dueAfterClosing(once, { closedAt: 50, now: 70 })).toBeNull();
  });
});

it('R-RES-8 what was ever delivered is no dead letter', () => {
  expect(isDeadLetter({ status: 'failed', firstDeliveredAt: null })).toBe(true);
  expect(isDeadLetter({ status: 'failed', firstDeliveredAt: 5 })).toBe(false);
  expect(isDeadLetter({ status: 'skipped', firstDeliveredAt: null })).toBe(false);
});

it('R-RES-8 the first success stays through every later cycle', () => {
  const delivered = step(answered(200), { endedAt: 5 }).state;
  const again = beginCycle(delivered, { facts: MONEY, ladder: TWO, now: 100, trigger: 'resend' });
  expect(step(answered(404), { state: again, facts: OTHER, endedAt: 100 }).state).toMatchObject({
    status: 'failed',
    firstDeliveredAt: 5,
  });
  expect(step(answered(200), { state: again, endedAt: 100 }).state.firstDeliveredAt).toBe(5);
});

describe('properties', () => {
  const anEnd: fc.Arbitrary<AttemptEnd> = fc.oneof(
    fc
      .constantFrom(200, 204, 302, 400, 404, 408, 410, 429, 500, 503)
      .chain((code) =>
        fc
          .array(fc.constantFrom('0', '7', '99999999', 'soon'), { maxLength: 2 })
          .map((values) => answered(code, values)),
      ),
    fc
      .constantFrom('dns', 'tls', 'timeout', 'refused_address', 'internal')
      .map((it) => failed(it as 'dns' | 'tls' | 'timeout' | 'refused_address' | 'internal')),
    fc.constantFrom(LOST, HELD),
  );
  const aPolicy = fc.constantFrom<Policy>(...Object.values(PRESETS));
  const aGate = fc.record({
    kind: fc.constantFrom('pause' as const, 'unsigned' as const, 'breaker' as const),
    fromAt: fc.integer({ min: 0, max: 3 * D }),
    toAt: fc.option(fc.integer({ min: 3 * D, max: 5 * D })),
  });

  it('R-LAD-6 R-LAD-5 R-LAD-10 R-DEL-1 any course of ends keeps every promise of the transition', () => {
    fc.assert(
      fc.property(
        aPolicy,
        fc.boolean(),
        fc.array(fc.tuple(anEnd, fc.integer({ min: 0, max: 2 * H })), { maxLength: 40 }),
        fc.array(aGate, { maxLength: 3 }),
        fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
        (policy, money, ends, gates, draw) => {
          let state = pendingState(policy);
          for (const [end, late] of ends) {
            const endedAt = (state.dueAt ?? state.lastEndedAt ?? 0) + late;
            const facts = { ...MONEY, money };
            const input = {
              state,
              facts,
              ladder: policy,
              end,
              endedAt,
              now: endedAt,
              random: () => draw,
              gates,
            };
            const { state: next, ladder, step: counter } = transition(input);
            if (state.status !== 'pending') {
              expect(next).toEqual(state);
              continue;
            }
            expect(next.status === 'pending').toBe(next.dueAt !== null);
            expect(next.status === 'pending').toBe(next.endedAt === null);
            expect(next.fast + next.slow).toBe(state.fast + state.slow + (ladder === null ? 0 : 1));
            if (ladder !== null) expect(next[ladder]).toBe(counter);
            expect(next.attempts).toBe(state.attempts + (end.kind === 'held' ? 0 : 1));
            if (next.dueAt !== null && end.kind !== 'held') {
              const wait = next.dueAt - endedAt;
              expect(wait).toBeGreaterThanOrEqual(0);
              expect(wait).toBeLessThanOrEqual(24 * H * 1.3 + 2 * H);
              expect(wait).toBeGreaterThanOrEqual(next.ladderWaitMs ?? 0);
              expect(next.dueAt).toBeLessThanOrEqual(
                deadlineOf({ state: next, facts, ladder: policy, gates, now: endedAt }).at,
              );
            }
            state = next;
          }
          expect(state.fast).toBeLessThanOrEqual(ladderAttempts(policy.ladder));
          expect(state.slow).toBeLessThanOrEqual(6);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('R-DEL-1 a delivery that nobody holds ends: at most 16 ends that say something of the receiver', () => {
    fc.assert(
      fc.property(
        aPolicy,
        fc.array(fc.constantFrom(400, 503), { minLength: 17, maxLength: 17 }),
        (ladder, codes) => {
          const { state } = play(
            codes.map((code) => answered(code)),
            { ladder, state: pendingState(ladder) },
          );
          expect(state.status).toBe('failed');
        },
      ),
    );
  });
});
