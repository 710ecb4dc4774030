import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createSystemRandom } from '@/server/adapters/system-random';
import { createFakeClock } from '@/server/testing/fake-clock';
import { createSeededRandom } from '@/server/testing/seeded-random';

const DAY_MS = 86_400_000;

describe('the fake clock', () => {
  it('R-LAD-9 fires timers in order of their instants, equal ones as they were set, each at its own instant', async () => {
    const clock = createFakeClock(1000);
    const seen: string[] = [];
    const note = (name: string) => () => seen.push(`${name}@${clock.now()}`);
    clock.setTimer(1300, note('c'));
    clock.setTimer(1100, note('a'));
    clock.setTimer(1100, note('b'));
    clock.setTimer(1000 + 60 * DAY_MS, note('far'));
    await clock.advance(300);
    expect(seen).toEqual(['a@1100', 'b@1100', 'c@1300']);
    expect([clock.now(), clock.monotonic(), clock.pending, clock.timersSet]).toEqual([1300, 300, 1, 4]);
    await clock.runUntil(1000 + 60 * DAY_MS);
    expect(seen.at(-1)).toBe(`far@${1000 + 60 * DAY_MS}`);
  });

  it('R-LAD-9 work begun by one timer is done before the next one fires, timers it sets included', async () => {
    const clock = createFakeClock(0);
    const seen: string[] = [];
    clock.setTimer(10, async () => {
      await setImmediate();
      await Promise.resolve();
      seen.push('first done');
      clock.setTimer(15, () => seen.push('set meanwhile'));
    });
    clock.setTimer(20, () => seen.push('second'));
    await clock.advance(20);
    expect(seen).toEqual(['first done', 'set meanwhile', 'second']);
  });

  it('R-LAD-9 a cancelled timer does not fire, a past instant fires without time moving', async () => {
    const clock = createFakeClock(500);
    let fired = 0;
    const cancel = clock.setTimer(600, () => {
      fired += 10;
    });
    cancel();
    clock.setTimer(1, () => {
      fired += 1;
    });
    expect(fired).toBe(0);
    await clock.advance(0);
    expect([fired, clock.now()]).toEqual([1, 500]);
    await clock.advance(1000);
    expect(fired).toBe(1);
  });

  it('R-TIM-1 a step of the wall clock leaves the monotonic one alone and delays a timer by the step', async () => {
    const clock = createFakeClock(10_000);
    const firedAt: number[] = [];
    clock.setTimer(11_000, () => firedAt.push(clock.now()));
    clock.stepWall(-500);
    expect([clock.now(), clock.monotonic()]).toEqual([9500, 0]);
    await clock.advance(1499);
    expect(firedAt).toEqual([]);
    await clock.advance(1);
    expect(firedAt).toEqual([11_000]);
    clock.setTimer(12_000, () => firedAt.push(clock.now()));
    clock.stepWall(5000);
    expect(clock.nextTimerAt).toBe(12_000);
    await clock.advance(1000);
    expect(firedAt).toEqual([11_000, 17_000]);
  });
});

describe('chance', () => {
  it('R-LAD-5 a seed repeats its draws, another seed does not, all lie in [0, 1)', () => {
    const draw = (seed: number) => {
      const random = createSeededRandom(seed);
      return Array.from({ length: 1000 }, () => random.next());
    };
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
    const values = draw(7);
    expect(Math.min(...values)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...values)).toBeLessThan(1);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    expect(Math.abs(mean - 0.5)).toBeLessThan(0.03);
    expect(createSeededRandom(7).bytes(16)).toEqual(createSeededRandom(7).bytes(16));
    expect(new Set(createSeededRandom(7).bytes(4096)).size).toBe(256);
  });

  it('R-LAD-5 R-SIG-0 the system draws bytes of the asked length that differ', () => {
    const random = createSystemRandom();
    expect(random.bytes(32)).toHaveLength(32);
    expect(random.bytes(32)).not.toEqual(random.bytes(32));
    expect(random.next()).toBeGreaterThanOrEqual(0);
    expect(random.next()).toBeLessThan(1);
  });
});
