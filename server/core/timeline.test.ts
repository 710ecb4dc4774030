import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { answered, CoreLoop, failed, pendingState } from '@/server/testing/core-loop';
import { beginCycle } from './cycle';
import * as deliveryState from './delivery-state';
import type { AttemptEnd, DeliveryState, GateInterval } from './model';
import { type LadderPart, type Policy, PRESETS } from './policy';
import { policyTimeline, type TimelineInput, timeline } from './timeline';

vi.mock('./delivery-state', async (original) => {
  const actual = await original<typeof deliveryState>();
  return { ...actual, transition: vi.fn(actual.transition) };
});

const S = 1_000;
const M = 60 * S;
const H = 60 * M;
const D = 24 * H;
const TWO: Policy = PRESETS['two-ladder'];
const STANDARD: Policy = PRESETS.standard;
const MONEY = { eventCreatedAt: 0, money: true, isTest: false };

function draw(change: Partial<TimelineInput> = {}) {
  const ladder = change.ladder ?? TWO;
  return timeline({
    state: pendingState(ladder),
    facts: MONEY,
    ladder,
    gate: null,
    intervals: [],
    attempts: [],
    lease: null,
    now: 0,
    ...change,
  });
}

/** The state after these ends, each at the instant it was due. */
function played(ends: readonly AttemptEnd[], ladder: LadderPart = TWO, facts = MONEY): DeliveryState {
  let state = pendingState(ladder);
  for (const end of ends) {
    const at = state.dueAt ?? 0;
    state = deliveryState.transition({
      state,
      facts,
      ladder,
      end,
      endedAt: at,
      now: at,
      random: () => 0,
      gates: [],
    }).state;
  }
  return state;
}

const ats = (planned: readonly { at: number }[]) => planned.map(({ at }) => at / S);

describe('what is still to come', () => {
  it('R-LAD-7 is drawn by the same transition that decides', () => {
    const spy = vi.mocked(deliveryState.transition);
    spy.mockClear();
    draw();
    // Ten attempts, once without and once with all jitter.
    expect(spy).toHaveBeenCalledTimes(20);
    const source = readFileSync(new URL('./timeline.ts', import.meta.url), 'utf8');
    expect(source).toMatch(/import \{ expire, transition \} from '\.\/delivery-state';/);
    expect(source).not.toMatch(/from '\.\/ladder'|waitsMs|baseMs/);
  });

  it('R-LAD-7 nothing that components reach from here is a part of Node', () => {
    const seen = new Set<string>();
    const walk = (file: string) => {
      if (seen.has(file)) return;
      seen.add(file);
      const source = readFileSync(new URL(`./${file}.ts`, import.meta.url), 'utf8');
      for (const [, from = ''] of source.matchAll(/from '([^']+)'/g)) {
        expect(from).toMatch(/^\.\//);
        walk(from.slice(2));
      }
    };
    for (const root of ['timeline', 'silences', 'error-class', 'event-filter', 'policy-check', 'drain'])
      walk(root);
    expect(seen).toContain('delivery-state');
  });

  it('R-LAD-7 a fresh delivery: unavailable repeats', () => {
    const { planned, end } = draw();
    expect(ats(planned)).toEqual([0, 1, 3, 7, 15, 31, 63, 127, 255, 511]);
    expect(planned[0]).toEqual({ number: 1, at: 0, atMax: 0, ladder: null, step: null, notBefore: false });
    expect(planned[9]).toEqual({
      number: 10,
      at: 511 * S,
      atMax: 511 * S,
      ladder: 'fast',
      step: 9,
      notBefore: false,
    });
    expect(end).toEqual({ status: 'failed', reason: 'exhausted', at: 511 * S, atMax: 511 * S });
  });

  it('R-LAD-7 R-LAD-2 the last outcome repeats, on its own ladder from where it stands', () => {
    const state = played([answered(503), answered(503), answered(400)]);
    const { planned } = draw({ state, now: 4 * S });
    expect(ats(planned)).toEqual([903, 4_503, 18_903, 62_103, 148_503]);
    expect(planned.map(({ ladder, step, number }) => [ladder, step, number])).toEqual([
      ['slow', 1, 4],
      ['slow', 2, 5],
      ['slow', 3, 6],
      ['slow', 4, 7],
      ['slow', 5, 8],
    ]);
  });

  it.each([[played([{ kind: 'lost' }])], [played([failed('internal'), { kind: 'lost' }])]])(
    'R-LAD-7 an outcome of ours does not repeat for ever: unavailable does',
    (state) => {
      expect(draw({ state, now: state.dueAt ?? 0 }).planned).toHaveLength(10);
    },
  );

  it('R-LAD-7 a refused address and a network failure repeat as themselves', () => {
    expect(draw({ state: played([failed('refused_address')]) }).planned[0]).toMatchObject({
      ladder: 'slow',
      at: 15 * M,
    });
    expect(draw({ state: played([failed('dns')]) }).planned[0]).toMatchObject({ ladder: 'fast', at: S });
  });

  it('R-LAD-7 R-RES-1 a resent delivery that was delivered is taken to be so again', () => {
    const state = beginCycle(played([answered(200)]), {
      facts: MONEY,
      ladder: TWO,
      now: H,
      trigger: 'resend',
    });
    const { planned, end } = draw({ state, now: H });
    expect(planned).toEqual([{ number: 2, at: H, atMax: H, ladder: null, step: null, notBefore: false }]);
    expect(end).toMatchObject({ status: 'delivered', at: H });
  });

  it('R-LAD-7 R-LAD-5 the present instant is the drawn one; jitter of those after it is a range', () => {
    const state = { ...played([answered(503)], STANDARD), dueAt: 5_700 };
    const { planned } = draw({ state, ladder: STANDARD, now: 2 * S });
    expect(planned.slice(0, 3).map(({ at, atMax }) => [at, atMax])).toEqual([
      [5_700, 5_700],
      [35_700, 41_700],
      [155_700, 185_700],
    ]);
  });

  it('R-LAD-7 nothing is to come of what is over', () => {
    expect(draw({ state: played([answered(200)]) })).toMatchObject({ planned: [], end: null, deadlines: [] });
  });

  it('R-LAD-7 R-PUB-3 what waits for an endpoint has no attempt to come, and its age', () => {
    const state = pendingState(TWO, { reason: 'no_endpoint', dueAt: null });
    expect(draw({ state })).toMatchObject({
      planned: [],
      end: { status: 'failed', reason: 'too_old', at: 30 * D },
      deadlines: [{ kind: 'age', at: 30 * D }],
    });
  });

  it('R-LAD-7 an attempt in flight is none of the planned ones: they follow it', () => {
    const state = played([answered(503)]);
    const { planned } = draw({ state, now: 5 * S, lease: { number: 2, cycle: 1 } });
    expect(ats(planned)).toEqual([7, 11, 19, 35, 67, 131, 259, 515]);
    expect(planned[0]).toMatchObject({ number: 3, step: 2 });
  });

  it('R-LAD-7 R-RES-2 behind an attempt of an older cycle the new cycle is due', () => {
    const state = beginCycle(played([answered(503)]), {
      facts: MONEY,
      ladder: TWO,
      now: 5 * S,
      trigger: 'resend',
    });
    const { planned } = draw({ state, now: 6 * S, lease: { number: 2, cycle: 1 } });
    expect(planned[0]).toMatchObject({ at: 6 * S, number: 3, ladder: null });
    expect(planned).toHaveLength(10);
  });
});

describe('gates', () => {
  it('R-LAD-7 nothing is drawn before the next probe, and all behind it reads "not before"', () => {
    const gate = { kind: 'held_by_breaker', until: 5 * M } as const;
    const { planned } = draw({ gate });
    expect(ats(planned).slice(0, 4)).toEqual([300, 301, 303, 307]);
    expect(planned.every(({ notBefore }) => notBefore)).toBe(true);
  });

  it('R-LAD-7 a probe in flight or due has no instant of its own: not before now', () => {
    const { planned } = draw({ gate: { kind: 'held_by_breaker', until: null }, now: 9 * M });
    expect(planned[0]).toMatchObject({ at: 9 * M, notBefore: true });
  });

  it('R-LAD-7 R-FAIL-7 nothing is drawn before the end of a pause', () => {
    const { planned } = draw({ gate: { kind: 'held_by_pause', until: D } });
    expect(ats(planned).slice(0, 2)).toEqual([86_400, 86_401]);
    expect(planned.some(({ notBefore }) => notBefore)).toBe(false);
  });

  it('R-LAD-7 what is due after the gate keeps its instant; what follows an attempt in flight waits for the gate', () => {
    const gate = { kind: 'held_by_pause', until: 10 * S } as const;
    expect(draw({ gate, state: pendingState(TWO, { dueAt: 20 * S }) }).planned[0]?.at).toBe(20 * S);
    expect(draw({ gate, lease: { number: 1, cycle: 1 } }).planned[0]?.at).toBe(10 * S);
  });

  it('R-LAD-7 R-FAIL-8 a pause that runs extends the slow window up to its end', () => {
    const state = pendingState(TWO, {
      slow: 1,
      slowStartedAt: 0,
      dueAt: 47 * H,
      lastOutcome: 'rejected',
      lastStatusCode: 400,
    });
    const intervals: GateInterval[] = [{ kind: 'pause', fromAt: 34 * H, toAt: null }];
    const gate = { kind: 'held_by_pause', until: 60 * H } as const;
    const { planned, end } = draw({ state, intervals, gate, now: 41 * H });
    expect(planned.map(({ at }) => at / H)).toEqual([60, 61, 65]);
    expect(end).toEqual({ status: 'failed', reason: 'slow_window_over', at: 65 * H, atMax: 65 * H });
  });

  it('R-LAD-7 a gate that outlasts the age leaves nothing to come', () => {
    const state = pendingState(TWO, { dueAt: 29 * D });
    const { planned, end } = draw({ state, gate: { kind: 'held_by_pause', until: 31 * D }, now: 29 * D });
    expect(planned).toEqual([]);
    expect(end).toMatchObject({ status: 'failed', reason: 'too_old' });
  });

  it('R-LAD-7 R-FAIL-4 behind an endpoint that is not active it is skipped when its turn comes', () => {
    const state = pendingState(TWO, { dueAt: H });
    const { planned, end } = draw({ state, gate: { kind: 'endpoint_disabled', until: null } });
    expect(planned).toEqual([]);
    expect(end).toEqual({ status: 'skipped', reason: 'endpoint_disabled', at: H, atMax: H });
  });

  it('R-LAD-7 R-RES-3 the first attempt of a test passes', () => {
    const state = pendingState(TWO, { nextTrigger: 'test' });
    expect(draw({ state, gate: { kind: 'held_by_pause', until: D } }).planned[0]?.at).toBe(0);
  });
});

describe('deadlines', () => {
  it('R-LAD-7 the age always, the slow window once it has begun, with its extensions', () => {
    expect(draw().deadlines).toEqual([{ kind: 'age', at: 30 * D }]);
    const state = pendingState(TWO, { slow: 1, slowStartedAt: H });
    const intervals: GateInterval[] = [{ kind: 'unsigned', fromAt: 2 * H, toAt: 5 * H }];
    expect(draw({ state, intervals }).deadlines).toEqual([
      { kind: 'slow_window', at: 52 * H },
      { kind: 'age', at: 30 * D },
    ]);
  });

  it('R-LAD-7 R-LAD-10 the drawing ends where a wait would pass one', () => {
    const state = pendingState(TWO, {
      slow: 4,
      slowStartedAt: 0,
      dueAt: 30 * H,
      lastOutcome: 'rejected',
      lastStatusCode: 404,
    });
    const { planned, end } = draw({ state, now: 30 * H });
    expect(planned).toHaveLength(1);
    expect(end).toEqual({ status: 'failed', reason: 'slow_window_over', at: 30 * H, atMax: 30 * H });
  });
});

describe('the drawing and what then happens', () => {
  const CODES = [400, 404, 410, 429, 500, 503];

  it('R-LAD-7 agree: a receiver that goes on as it did is attempted at the drawn instants, and no others', () => {
    fc.assert(
      fc.property(
        fc.constantFrom<Policy>(
          ...Object.values(PRESETS).map((policy: Policy) => ({ ...policy, breaker: undefined })),
        ),
        fc.array(fc.constantFrom(...CODES), { maxLength: 5 }),
        fc.boolean(),
        fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
        (policy, codes, money, drawn) => {
          const answers = [...codes];
          const loop = new CoreLoop({
            policy,
            random: () => drawn,
            answer: () => answered(answers.length > 1 ? (answers.shift() ?? 503) : (answers[0] ?? 503)),
          });
          loop.endpoint(1);
          loop.publish({ id: 1, endpointId: 1, money });
          // Up to the last of the codes, so that it is what repeats.
          let before = loop.stateOf(1);
          for (let count = 0; count < codes.length && before.status === 'pending'; count += 1) {
            loop.run(before.dueAt ?? 0);
            before = loop.stateOf(1);
          }
          const known = loop.attempts.length;
          const { planned, end } = draw({
            state: before,
            ladder: policy,
            facts: { ...MONEY, money },
            now: loop.now,
          });
          loop.run(100 * D);
          const happened = loop.attempts.slice(known);
          expect(planned.length).toBe(before.status === 'pending' ? happened.length : 0);
          happened.forEach(({ at, number }, index) => {
            const plan = planned[index];
            expect(plan?.number).toBe(number);
            expect(at).toBeGreaterThanOrEqual(plan?.at ?? Number.NaN);
            expect(at).toBeLessThanOrEqual(plan?.atMax ?? Number.NaN);
          });
          if (before.status === 'pending') {
            expect([end?.status, end?.reason]).toEqual([loop.stateOf(1).status, loop.stateOf(1).reason]);
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  it('R-LAD-7 any policy that validates is drawn to its end', () => {
    const longest: LadderPart = {
      ...TWO,
      ladder: { kind: 'exponential', baseMs: 1, factor: 1, capMs: 1, attempts: 50, jitter: 1 },
    };
    const { planned, end } = policyTimeline(longest, { outcome: 'unavailable', money: false });
    expect(planned).toHaveLength(50);
    expect(end).toMatchObject({ reason: 'exhausted', at: 49, atMax: 98 });
  });
});

it('R-LAD-7 R-ATT-12 past attempts are shown as they were', () => {
  const attempts = [
    {
      number: 1,
      cycle: 1,
      trigger: 'first',
      startedAt: 0,
      endedAt: 5,
      durationMs: 5,
      outcome: 'unavailable',
      statusCode: 503,
      errorClass: 'http_5xx',
      ladder: 'fast',
      step: 1,
    },
  ] as const;
  expect(draw({ attempts }).past).toEqual(attempts);
});
