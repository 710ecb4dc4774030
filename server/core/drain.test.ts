import fc from 'fast-check';
import { expect, it } from 'vitest';
import { drainEstimate } from './drain';

it('R-BRK-10 is what is held through the cap at the median duration, as a range', () => {
  const durationsMs = [100, 200, 400, 800];
  expect(drainEstimate({ held: 80, ratePerSecond: null, cap: 8, durationsMs })).toEqual({
    fromMs: 2_000,
    medianMs: 4_000,
    toMs: 8_000,
  });
});

it('R-BRK-10 or through the rate, where that is less', () => {
  const estimate = drainEstimate({ held: 80, ratePerSecond: 10, cap: 8, durationsMs: [100, 200, 400, 800] });
  expect(estimate).toEqual({ fromMs: 8_000, medianMs: 8_000, toMs: 8_000 });
});

it('R-BRK-10 takes the last 50 attempts, a second where there are none, and no cap for no estimate', () => {
  const durationsMs = [...new Array(50).fill(100), ...new Array(50).fill(9_000)];
  expect(drainEstimate({ held: 8, ratePerSecond: null, cap: 8, durationsMs })?.toMs).toBe(100);
  expect(drainEstimate({ held: 8, ratePerSecond: null, cap: 8, durationsMs: [] })?.medianMs).toBe(1_000);
  expect(drainEstimate({ held: 8, ratePerSecond: null, cap: 0, durationsMs: [] })).toBeNull();
});

it('R-BRK-10 is a range, and nothing held takes no time', () => {
  const durations = fc.array(fc.integer({ min: 0, max: 30_000 }), { maxLength: 60 });
  fc.assert(
    fc.property(
      fc.nat(10_000),
      fc.option(fc.integer({ min: 1, max: 500 })),
      durations,
      (held, ratePerSecond, durationsMs) => {
        const estimate = drainEstimate({ held, ratePerSecond, cap: 8, durationsMs });
        expect(estimate?.fromMs).toBeLessThanOrEqual(estimate?.medianMs ?? -1);
        expect(estimate?.medianMs).toBeLessThanOrEqual(estimate?.toMs ?? -1);
        if (held === 0) expect(estimate?.toMs).toBe(0);
      },
    ),
  );
});
