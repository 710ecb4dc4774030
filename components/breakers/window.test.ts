import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { opensAt } from '@/server/core/breaker';
import { attemptsMeter, failedPercent, failuresMeter, failuresToOpen } from './window';

const rule = { minAttempts: 5, failureRatio: 0.8 };

describe('how near a closed breaker is to opening', () => {
  it.each([
    [0, 0, 5],
    [1, 1, 4],
    [4, 4, 1],
    [4, 3, 1],
    [5, 3, 5],
    [10, 0, 40],
    [2, 0, 8],
    [1_000, 0, 4_000],
  ])('R-BRK-1 %i attempts, %i failed: %i more in a row open it', (attempts, failures, more) => {
    expect(failuresToOpen({ attempts, failures }, rule)).toBe(more);
  });
  it('R-BRK-1 the number is the least one that core lets open it', () => {
    fc.assert(
      fc.property(fc.nat(1_000), fc.nat(1_000), (attempts, some) => {
        const failures = Math.min(attempts, some);
        const more = failuresToOpen({ attempts, failures }, rule);
        expect(opensAt({ attempts: attempts + more, failures: failures + more }, rule)).toBe(true);
        if (more > 1) {
          const before = { attempts: attempts + more - 1, failures: failures + more - 1 };
          expect(opensAt(before, rule)).toBe(false);
        }
      }),
    );
  });
});

describe('the meters', () => {
  it.each([
    [0, 0, 0],
    [7, 2, 28],
    [9, 7, 77],
    [1_000, 799, 79],
    [5, 5, 100],
  ])('R-BRK-8 %i attempts, %i failed read %i percent, never rounded up', (attempts, failures, percent) => {
    expect(failedPercent({ attempts, failures })).toBe(percent);
  });
  it('R-BRK-8 attempts are measured against the number that decides', () => {
    expect(attemptsMeter({ attempts: 4, failures: 4 }, rule)).toEqual({
      share: 0.4,
      mark: 0.5,
    });
    expect(attemptsMeter({ attempts: 50, failures: 0 }, rule)).toEqual({
      share: 1,
      mark: 0.5,
    });
  });
  it('R-BRK-8 failures are measured against the ratio', () => {
    expect(failuresMeter({ attempts: 0, failures: 0 }, rule)).toEqual({
      share: 0,
      mark: 0.8,
    });
    expect(failuresMeter({ attempts: 5, failures: 4 }, rule)).toEqual({
      share: 0.8,
      mark: 0.8,
    });
  });
});
