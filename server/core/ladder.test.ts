import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSeededRandom } from '@/server/testing/seeded-random';
import { drawWait, postponedWait, timerMs } from './ladder';
import { type Ladder, ladderAttempts, ladderWait, PRESETS } from './policy';

const H = 3_600_000;

const aLadder: fc.Arbitrary<Ladder> = fc.oneof(
  fc.record({
    kind: fc.constant('schedule' as const),
    waitsMs: fc.array(fc.integer({ min: 1, max: 604_800_000 }), { maxLength: 49 }),
    jitter: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
  fc.record({
    kind: fc.constant('exponential' as const),
    baseMs: fc.integer({ min: 1, max: 604_800_000 }),
    factor: fc.double({ min: 1, max: 100, noNaN: true }),
    capMs: fc.integer({ min: 1, max: 604_800_000 }),
    attempts: fc.integer({ min: 1, max: 50 }),
    jitter: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
);

describe('a drawn wait', () => {
  it('R-LAD-5 is a whole number between the wait and the wait × (1 + jitter), the cap before the jitter', () => {
    fc.assert(
      fc.property(
        aLadder,
        fc.integer({ min: -1, max: 60 }),
        fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
        (ladder, k, draw) => {
          const wait = drawWait(ladder, k, () => draw);
          const table = ladderWait(ladder, k);
          expect(wait === null).toBe(k < 1 || k >= ladderAttempts(ladder));
          if (wait === null || table === null) return;
          expect(Number.isInteger(wait)).toBe(true);
          expect(wait).toBeGreaterThanOrEqual(table);
          expect(wait).toBeLessThanOrEqual(table * (1 + ladder.jitter));
          if (ladder.kind === 'exponential')
            expect(wait).toBeLessThanOrEqual(ladder.capMs * (1 + ladder.jitter));
        },
      ),
    );
  });

  it('R-LAD-5 draws nothing where there is no jitter', () => {
    const never = () => {
      throw new Error('drawn');
    };
    expect(drawWait(PRESETS['two-ladder'].ladder, 3, never)).toBe(4_000);
  });

  it('R-LAD-5 P16: 10,000 draws lie evenly between 0 and 30 %, and the busiest second holds no crowd', () => {
    const random = createSeededRandom(7).next;
    const buckets = new Array<number>(10).fill(0);
    for (let i = 0; i < 10_000; i += 1) {
      const wait = drawWait(PRESETS.backoff.ladder, 1, random) ?? 0;
      const share = (wait - 30_000) / 9_000;
      expect(share).toBeGreaterThanOrEqual(0);
      expect(share).toBeLessThan(1);
      const bucket = Math.floor(share * 10);
      buckets[bucket] = (buckets[bucket] ?? 0) + 1;
    }
    for (const count of buckets) {
      expect(count).toBeGreaterThan(900);
      expect(count).toBeLessThan(1_100);
    }
  });
});

describe('Retry-After', () => {
  const OWN = 8_000;
  const FAR = 30 * 24 * H;

  it.each([
    [null, 8_000],
    [0, 8_000],
    [1_000, 8_000],
    [8_000, 8_000],
    [8_001, 8_001],
    [120_000, 120_000],
    [OWN + 2 * H, OWN + 2 * H],
    [OWN + 2 * H + 1, OWN + 2 * H],
    [999_999_000, OWN + 2 * H],
    [9_999_999_999_000, OWN + 2 * H],
  ])('R-ATT-11 O10 O11: asked for %s ms where the ladder waits 8 s, it waits %i ms', (asked, waits) => {
    expect(postponedWait(OWN, asked, FAR)).toBe(waits);
  });

  it('R-ATT-11 never passes a deadline that the own wait would have met', () => {
    expect(postponedWait(OWN, 120_000, 60_000)).toBe(60_000);
    expect(postponedWait(OWN, 120_000, OWN)).toBe(OWN);
  });

  it('R-ATT-11 never brings an attempt forward, and never puts it off by more than 2 h', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 604_800_000 }),
        fc.option(fc.integer({ min: 0, max: 9_999_999_999_000 })),
        fc.integer({ min: 0, max: FAR }),
        (own, asked, more) => {
          const wait = postponedWait(own, asked, own + more);
          expect(wait).toBeGreaterThanOrEqual(own);
          expect(wait).toBeLessThanOrEqual(Math.min(own + 2 * H, own + more));
        },
      ),
    );
  });
});

it('R-LAD-9 O11 P20: no timer gets more than 2^31 − 1 ms, or less than nothing', () => {
  expect(timerMs(10, 4)).toBe(6);
  expect(timerMs(4, 10)).toBe(0);
  expect(timerMs(2 ** 31 - 1, 0)).toBe(2_147_483_647);
  expect(timerMs(2 ** 31, 0)).toBe(2_147_483_647);
  expect(timerMs(400 * 24 * H, 0)).toBe(2_147_483_647);
});
