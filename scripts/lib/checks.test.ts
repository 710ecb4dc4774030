import { describe, expect, it } from 'vitest';
import { playwrightTotals, vitestTotals } from './checks.mjs';

const vitest = (passed: number, failed: number, files: readonly object[] = []) => ({
  numPassedTests: passed,
  numFailedTests: failed,
  numPendingTests: 0,
  testResults: files,
});
const playwright = (stats: object) => ({
  stats: { expected: 0, unexpected: 0, flaky: 0, skipped: 0, ...stats },
});

describe('the totals', () => {
  it('OPS-6 are the runner’s own', () => {
    expect(vitestTotals(vitest(7, 0), 0)).toEqual({ passed: 7, failed: 0, skipped: 0 });
    expect(vitestTotals(vitest(7, 2), 1)).toEqual({ passed: 7, failed: 2, skipped: 0 });
    expect(playwrightTotals(playwright({ expected: 3, unexpected: 1, skipped: 2 }), 1)).toEqual({
      passed: 3,
      failed: 1,
      skipped: 2,
    });
  });

  it('OPS-6 a file that did not load is a failure', () => {
    const broken = { status: 'failed', assertionResults: [] };
    expect(vitestTotals(vitest(7, 0, [broken]), 1)).toMatchObject({ passed: 7, failed: 1 });
  });

  it('OPS-6 a runner that broke, wrote nothing or found nothing is a failure', () => {
    expect(vitestTotals(vitest(7, 0), 1)).toMatchObject({ passed: 7, failed: 1 });
    expect(vitestTotals(undefined, 0)).toEqual({ passed: 0, failed: 1 });
    expect(vitestTotals(vitest(0, 0), 0)).toMatchObject({ passed: 0, failed: 1 });
    expect(playwrightTotals(undefined, 0)).toEqual({ passed: 0, failed: 1 });
    expect(playwrightTotals(playwright({}), 0)).toMatchObject({ passed: 0, failed: 1 });
  });

  it('OPS-6 what passed only on a second try is a failure', () => {
    expect(playwrightTotals(playwright({ expected: 3, flaky: 1 }), 0)).toMatchObject({
      passed: 3,
      failed: 1,
    });
  });
});
