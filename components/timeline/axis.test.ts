import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeAxis, spread, warp } from './axis';
import { fitLabels, textWidth } from './labels';

const NOW = 1_767_225_600_000;
const S = 1_000;
const H = 3_600 * S;
const D = 24 * H;

describe('the logarithm', () => {
  it.each([
    [0, 0],
    [1 * S, Math.log(2)],
    [-1 * S, -Math.log(2)],
    [9 * S, Math.log(10)],
    [-9 * S, -Math.log(10)],
  ])('R-LAD-7 an instant %i ms from now stands at its symmetric logarithm', (distance, expected) => {
    expect(warp(NOW + distance, NOW)).toBeCloseTo(expected, 10);
  });

  it('R-LAD-7 a second, an hour and thirty days from now all get room', () => {
    const [second, hour, month] = [S, H, 30 * D].map((distance) => warp(NOW + distance, NOW));
    expect((second ?? 0) / (month ?? 1)).toBeGreaterThan(0.04);
    expect((hour ?? 0) / (month ?? 1)).toBeGreaterThan(0.5);
    expect((hour ?? 0) / (month ?? 1)).toBeLessThan(0.6);
  });
});

describe('spreading', () => {
  it('R-LAD-7 what stands apart already stays where it is', () => {
    expect(spread([0, 50, 100], { gap: 20, from: 0, to: 100 })).toEqual([0, 50, 100]);
  });
  it('R-LAD-7 neighbours are moved apart to the gap', () => {
    expect(spread([0, 1, 2, 100], { gap: 20, from: 0, to: 100 })).toEqual([0, 20, 40, 100]);
  });
  it('R-LAD-7 what is crowded at the far end is pushed back, not out', () => {
    expect(spread([0, 98, 99, 100], { gap: 20, from: 0, to: 100 })).toEqual([0, 60, 80, 100]);
  });
  it('R-LAD-7 with too little room the gap shrinks evenly', () => {
    expect(spread([0, 0, 0, 0, 0], { gap: 50, from: 0, to: 100 })).toEqual([0, 25, 50, 75, 100]);
  });
  it('R-LAD-7 nothing and one', () => {
    expect(spread([], { gap: 20, from: 0, to: 100 })).toEqual([]);
    expect(spread([40], { gap: 20, from: 0, to: 100 })).toEqual([40]);
  });
});

const instants = fc.array(fc.integer({ min: -30 * D, max: 30 * D }), { minLength: 1, maxLength: 40 });

describe('the axis', () => {
  it('R-LAD-7 keeps order, bounds and the side of now, whatever is drawn', () => {
    fc.assert(
      fc.property(instants, fc.integer({ min: 200, max: 1_400 }), (distances, width) => {
        const all = distances.map((d) => NOW + d);
        const axis = makeAxis({ instants: all, now: NOW, width, pad: 12, gap: 24 });
        const sorted = [...all].sort((a, b) => a - b);
        const xs = sorted.map((at) => axis.place(at));
        for (const [i, x] of xs.entries()) {
          expect(x).toBeGreaterThanOrEqual(12 - 1e-6);
          expect(x).toBeLessThanOrEqual(width - 12 + 1e-6);
          if (i > 0) expect(x).toBeGreaterThanOrEqual((xs[i - 1] ?? 0) - 1e-6);
        }
        if (sorted.some((at) => at > NOW)) {
          for (const [i, at] of sorted.entries()) {
            if (at < NOW) expect(xs[i]).toBeLessThanOrEqual(axis.nowX + 1e-6);
            if (at > NOW) expect(xs[i]).toBeGreaterThanOrEqual(axis.nowX - 1e-6);
          }
        }
      }),
    );
  });

  it('R-LAD-7 different instants of one side keep the gap, or the even share of the room', () => {
    fc.assert(
      fc.property(instants, (distances) => {
        const all = [...new Set(distances.map((d) => NOW + d))].sort((a, b) => a - b);
        const axis = makeAxis({ instants: all, now: NOW, width: 900, pad: 12, gap: 24 });
        const future = all.filter((at) => at > NOW).map((at) => axis.place(at));
        const room = Math.min(24, (900 - 12 - axis.nowX) / Math.max(1, future.length));
        for (let i = 1; i < future.length; i += 1)
          expect((future[i] ?? 0) - (future[i - 1] ?? 0)).toBeGreaterThanOrEqual(room - 1e-6);
      }),
    );
  });

  it('R-LAD-7 any instant between two marks stands between them', () => {
    const axis = makeAxis({
      instants: [NOW - H, NOW - 10 * S, NOW + 15 * 60 * S, NOW + 30 * D],
      now: NOW,
      width: 800,
      pad: 10,
      gap: 24,
    });
    let last = -1;
    for (let at = NOW - H; at <= NOW + 30 * D; at += 7 * H) {
      expect(axis.place(at)).toBeGreaterThanOrEqual(last);
      last = axis.place(at);
    }
    expect(axis.place(NOW)).toBeCloseTo(axis.nowX, 6);
  });

  it('R-LAD-1 R-LAD-7 the ended two-ladder run 0, 1, 3 … 511 s stands almost evenly', () => {
    const run = [0, 1, 3, 7, 15, 31, 63, 127, 255, 511].map((s) => NOW - D + s * S);
    const axis = makeAxis({ instants: run, now: NOW, width: 920, pad: 10, gap: 24 });
    const xs = run.map((at) => axis.place(at));
    const steps = xs.slice(1).map((x, i) => x - (xs[i] ?? 0));
    for (const step of steps) expect(step).toBeCloseTo(100, 6);
    expect(axis.nowX).toBe(910);
  });

  it('R-LAD-7 an attempt in flight and nothing after it: now is the end, beside what was', () => {
    const axis = makeAxis({ instants: [NOW - 30, NOW], now: NOW, width: 920, pad: 10, gap: 24 });
    expect([axis.place(NOW - 30), axis.place(NOW), axis.nowX]).toEqual([10, 170, 170]);
  });

  it('R-LAD-7 a story of two marks is not stretched over the whole width', () => {
    const axis = makeAxis({ instants: [NOW - D, NOW - D + 70], now: NOW, width: 920, pad: 10, gap: 24 });
    expect([axis.place(NOW - D), axis.place(NOW - D + 70)]).toEqual([10, 170]);
  });
});

describe('labels', () => {
  it('R-LAD-7 no two kept labels overlap, none leaves the picture, the first by rank is kept', () => {
    const label = fc.record({
      x: fc.integer({ min: 0, max: 600 }),
      text: fc.string({ minLength: 1, maxLength: 12 }),
      rank: fc.integer({ min: 0, max: 3 }),
    });
    fc.assert(
      fc.property(fc.array(label, { minLength: 1, maxLength: 30 }), (raw) => {
        const labels = raw.map((l, i) => ({ ...l, key: String(i) }));
        const kept = fitLabels(labels, { width: 600, em: 7, air: 6 });
        for (const [i, one] of kept.entries()) {
          const half = textWidth(one.text, 7) / 2;
          expect(one.middle - half).toBeGreaterThanOrEqual(-1e-6);
          expect(one.middle + half).toBeLessThanOrEqual(600 + 1e-6);
          const next = kept[i + 1];
          if (next)
            expect(next.middle - one.middle).toBeGreaterThanOrEqual(
              half + textWidth(next.text, 7) / 2 + 6 - 1e-6,
            );
        }
        const best = Math.min(...labels.map((l) => l.rank));
        const first = labels.find((l) => l.rank === best);
        expect(kept.some((l) => l.key === first?.key)).toBe(true);
      }),
    );
  });
});
