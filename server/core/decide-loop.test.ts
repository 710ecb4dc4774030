import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answered, CoreLoop, failed, type LoopOptions } from '@/server/testing/core-loop';
import { createSeededRandom } from '@/server/testing/seeded-random';
import { closedBreaker } from './breaker';
import { type Policy, PRESETS } from './policy';

const S = 1_000;
const M = 60 * S;
const H = 60 * M;
const D = 24 * H;
const TWO: Policy = PRESETS['two-ladder'];
const WITHOUT_BREAKER: Policy = { ...TWO, breaker: undefined };

const dead = () => failed('timeout');
const seconds = (instants: readonly number[]) => instants.map((at) => at / S);

function lone(policy: Policy, answer: LoopOptions['answer']) {
  const loop = new CoreLoop({ policy, answer });
  loop.endpoint(1);
  return loop;
}

describe('a lone delivery to a dead endpoint', () => {
  it('R-LAD-1 breaker closed: 0, 1, 3, 7, 15, 31, 63, 127, 255, 511 s, then failed', () => {
    const loop = lone(WITHOUT_BREAKER, dead);
    loop.publish({ id: 1, endpointId: 1 });
    loop.run(D);
    expect(seconds(loop.instants(1))).toEqual([0, 1, 3, 7, 15, 31, 63, 127, 255, 511]);
    expect(loop.stateOf(1)).toMatchObject({
      status: 'failed',
      reason: 'exhausted',
      endedAt: 511 * S,
      attempts: 10,
    });
  });

  it('R-LAD-1 R-BRK-2 as the probe: 0, 1, 3, 7, 15, 315, 915, 2,115, 3,915, 5,715 s, then failed', () => {
    const loop = lone(TWO, dead);
    loop.publish({ id: 1, endpointId: 1 });
    loop.run(D);
    expect(seconds(loop.instants(1))).toEqual([0, 1, 3, 7, 15, 315, 915, 2_115, 3_915, 5_715]);
    expect(loop.attempts.map(({ probe }) => probe)).toEqual([
      ...new Array(5).fill(false),
      ...new Array(5).fill(true),
    ]);
    expect(loop.stateOf(1)).toMatchObject({ status: 'failed', reason: 'exhausted', endedAt: 5_715 * S });
    expect(loop.breakerOf(1)).toMatchObject({ state: 'open', openedAt: 15 * S, pauseMs: 30 * M });
  });
});

describe('behind a breaker', () => {
  it('R-LAD-3 what lay five days unattempted gets its whole slow ladder from its first slow answer', () => {
    const back = 5 * D;
    const loop = lone(TWO, ({ deliveryId, at }) => (deliveryId === 99 || at < back ? dead() : answered(400)));
    for (let id = 1; id <= 3; id += 1) loop.publish({ id, endpointId: 1, money: true });
    // A quiet merchant: one event each 10 minutes keeps the probes going and the old ones held.
    for (let id = 100; id < 840; id += 1)
      loop.publish({ id, endpointId: 1, at: (id - 100) * 10 * M, money: true });
    loop.run(back + 3 * D);
    const slowest = loop.stateOf(500);
    expect(slowest.slow).toBe(6);
    expect(slowest).toMatchObject({ status: 'failed', reason: 'exhausted' });
    const own = loop.instants(500).filter((at) => at >= back);
    const began = own[0] ?? 0;
    expect(own.map((at) => (at - began) / S)).toEqual([0, 900, 4_500, 18_900, 62_100, 148_500]);
  });

  it('R-BRK-5 R-BRK-9 what is held spends no attempt and writes nothing', () => {
    const loop = lone(TWO, dead);
    for (let id = 1; id <= 5; id += 1) loop.publish({ id, endpointId: 1 });
    loop.publish({ id: 6, endpointId: 1, at: 20 * S });
    loop.run(4 * M);
    const fresh = loop.stateOf(6);
    expect(fresh).toMatchObject({ status: 'pending', attempts: 0, fast: 0, dueAt: 20 * S });
    expect(loop.attempts).toHaveLength(5);
  });

  it('R-BRK-1 O03: one event each 10 minutes through a 5-day outage: none of 720 is lost', () => {
    const back = 5 * D;
    const loop = lone(TWO, ({ at }) => (at < back ? dead() : answered(200)));
    for (let id = 1; id <= 720; id += 1) loop.publish({ id, endpointId: 1, at: (id - 1) * 10 * M });
    loop.run(back + D);
    const statuses = [...loop.deliveries.values()].map(({ state }) => state.status);
    expect(statuses.filter((status) => status === 'delivered')).toHaveLength(720);
  });

  it('R-BRK-3 probing rotates: no delivery spends its ladder while others have used less', () => {
    const loop = lone(TWO, dead);
    for (let id = 1; id <= 20; id += 1) loop.publish({ id, endpointId: 1, at: (id - 1) * 10 });
    loop.run(10 * H);
    const used = [...loop.deliveries.values()].map(({ state }) => state.fast);
    expect(Math.max(...used) - Math.min(...used)).toBeLessThanOrEqual(1);
  });

  it('R-BRK-4 on closing, what last ended unavailable goes at once, a slow wait stays', () => {
    const loop = lone(TWO, ({ deliveryId, at }) => {
      if (deliveryId === 2) return at < M ? answered(400) : answered(200);
      return at < 4 * M ? dead() : answered(200);
    });
    loop.publish({ id: 2, endpointId: 1, money: true });
    for (let id = 3; id <= 8; id += 1) loop.publish({ id, endpointId: 1, at: S });
    loop.run(30 * M);
    const closed = loop.attempts.find(({ decision }) => decision.breakerEvents.includes('closed'))?.at ?? 0;
    expect(closed).toBe(301 * S);
    for (let id = 3; id <= 8; id += 1) expect(loop.instants(id).at(-1)).toBe(closed);
    expect(loop.instants(2)).toEqual([0, 15 * M]);
  });

  it('R-BRK-3 a dead endpoint of an app does not hold its healthy ones', () => {
    const loop = new CoreLoop({
      policy: TWO,
      answer: ({ endpointId }) => (endpointId === 1 ? dead() : answered(200)),
    });
    loop.endpoint(1);
    loop.endpoint(2);
    loop.publish({ id: 1_000, endpointId: 2 });
    for (let id = 1; id <= 50; id += 1) {
      loop.publish({ id, endpointId: 1, at: id * S });
      loop.publish({ id: 1_000 + id, endpointId: 2, at: id * S });
    }
    loop.run(H);
    expect(loop.breakerOf(1)?.state).not.toBe('closed');
    for (let id = 1; id <= 50; id += 1) expect(loop.instants(1_000 + id)).toEqual([id * S]);
  });

  it('R-BRK-3 in endpoint scope each endpoint has its own', () => {
    const policy: Policy = PRESETS.standard;
    const loop = new CoreLoop({
      policy,
      answer: ({ endpointId }) => (endpointId === 1 ? dead() : answered(503)),
    });
    loop.endpoint(1);
    loop.endpoint(2);
    for (let id = 1; id <= 5; id += 1) loop.publish({ id, endpointId: 1 });
    loop.publish({ id: 9, endpointId: 2 });
    loop.run(S);
    expect(loop.breakerOf(1)?.state).toBe('open');
    expect(loop.breakerOf(2) ?? closedBreaker()).toMatchObject({ state: 'closed' });
  });

  it('R-BRK-4 R-ATT-17 a probe answered 429 comes again in 30 s, and the breaker closes when it is better', () => {
    let limited = 3;
    const loop = lone(TWO, ({ at }) => {
      if (at < M) return dead();
      limited -= 1;
      return limited >= 0 ? answered(429) : answered(200);
    });
    for (let id = 1; id <= 6; id += 1) loop.publish({ id, endpointId: 1 });
    loop.run(H);
    const probes = loop.attempts.filter(({ probe }) => probe).map(({ at }) => at);
    expect(seconds(probes)).toEqual([300, 330, 360, 390]);
    expect(loop.breakerOf(1)?.state).toBe('closed');
    for (let id = 1; id <= 6; id += 1) expect(loop.stateOf(id).status).toBe('delivered');
  });
});

describe('any receiver', () => {
  const CODES = [200, 200, 302, 400, 404, 429, 500, 503];

  it('R-DEL-1 R-BRK-7 R-BRK-3 whatever it answers, every delivery ends, and the breaker lets go of a healthy one', () => {
    fc.assert(
      fc.property(
        fc.integer(),
        fc.constantFrom<Policy>(TWO, PRESETS.standard, PRESETS.backoff),
        fc.integer({ min: 1, max: 12 }),
        (seed, policy, count) => {
          const draw = createSeededRandom(seed).next;
          const sick = 2 * D;
          const answer = ({ at }: { at: number }) => {
            if (at > sick) return answered(200);
            const code = CODES[Math.floor(draw() * CODES.length)] ?? 200;
            return draw() < 0.3 ? failed(draw() < 0.5 ? 'timeout' : 'internal') : answered(code);
          };
          const loop = new CoreLoop({ policy, answer, random: draw });
          loop.endpoint(1);
          loop.endpoint(2);
          for (let id = 1; id <= count; id += 1) {
            loop.publish({ id, endpointId: 1 + (id % 2), at: Math.floor(draw() * D), money: draw() < 0.5 });
          }
          loop.run(40 * D);
          for (const { state } of loop.deliveries.values()) {
            expect(state.status === 'delivered' || state.status === 'failed').toBe(true);
            expect(state.fast + state.slow).toBeLessThanOrEqual(15);
          }
          const perDelivery = new Map<number, number[]>();
          for (const { deliveryId, number } of loop.attempts) {
            perDelivery.set(deliveryId, [...(perDelivery.get(deliveryId) ?? []), number]);
          }
          for (const numbers of perDelivery.values())
            expect(numbers).toEqual(numbers.map((_, index) => index + 1));
        },
      ),
      { numRuns: 60 },
    );
  });
});
