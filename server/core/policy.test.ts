import { describe, expect, it } from 'vitest';
import { ladderAttempts, ladderPartOf, ladderWait, type Policy, PRESETS } from './policy';
import { policyIssues } from './policy-check';
import { policyTimeline } from './timeline';

const S = 1_000;
const M = 60 * S;
const H = 60 * M;
const D = 24 * H;

/** Instants of every attempt to a receiver that never answers, without and with all jitter, and the end's. */
function drawn(policy: Policy, outcome: 'unavailable' | 'rejected', money: boolean) {
  const { planned, end } = policyTimeline(policy, { outcome, money });
  return { at: planned.map(({ at }) => at), atMax: planned.map(({ atMax }) => atMax), end };
}

describe('the presets', () => {
  it('R-LAD-1 two-ladder: ten attempts at 0, 1, 3, 7, 15, 31, 63, 127, 255, 511 s', () => {
    const { at, atMax, end } = drawn(PRESETS['two-ladder'], 'unavailable', true);
    expect(at).toEqual([0, 1, 3, 7, 15, 31, 63, 127, 255, 511].map((s) => s * S));
    expect(atMax).toEqual(at);
    expect(end).toEqual({ status: 'failed', reason: 'exhausted', at: 511 * S, atMax: 511 * S });
  });

  it('R-LAD-1 two-ladder: money that is rejected is tried at 0, 900, 4,500, 18,900, 62,100, 148,500 s', () => {
    const { at, atMax, end } = drawn(PRESETS['two-ladder'], 'rejected', true);
    expect(at).toEqual([0, 900, 4_500, 18_900, 62_100, 148_500].map((s) => s * S));
    expect(atMax).toEqual(at);
    expect(end).toMatchObject({ status: 'failed', reason: 'exhausted' });
  });

  it('R-LAD-1 two-ladder: anything else that is rejected has failed with its first attempt', () => {
    const { at, end } = drawn(PRESETS['two-ladder'], 'rejected', false);
    expect(at).toEqual([0]);
    expect(end).toEqual({ status: 'failed', reason: 'rejected', at: 0, atMax: 0 });
  });

  it('R-LAD-1 backoff: eight attempts, 3,810 s without and 4,953 s with all jitter', () => {
    for (const outcome of ['unavailable', 'rejected'] as const) {
      const { at, atMax, end } = drawn(PRESETS.backoff, outcome, false);
      expect(at).toEqual([0, 30, 90, 210, 450, 930, 1_890, 3_810].map((s) => s * S));
      expect(atMax).toEqual([0, 39, 117, 273, 585, 1_209, 2_457, 4_953].map((s) => s * S));
      expect(end).toMatchObject({ status: 'failed', reason: 'exhausted' });
    }
  });

  it('R-LAD-1 schedule: eight attempts over 44 h 36 m', () => {
    for (const outcome of ['unavailable', 'rejected'] as const) {
      const { at, atMax, end } = drawn(PRESETS.schedule, outcome, true);
      expect(at).toEqual([0, 60, 360, 2_160, 9_360, 30_960, 74_160, 160_560].map((s) => s * S));
      expect(at.at(-1)).toBe(44 * H + 36 * M);
      expect(atMax).toEqual(at);
      expect(end).toMatchObject({ status: 'failed', reason: 'exhausted' });
    }
  });

  it('R-LAD-1 standard: nine attempts over about 41 h, at most a fifth later', () => {
    for (const outcome of ['unavailable', 'rejected'] as const) {
      const { at, atMax, end } = drawn(PRESETS.standard, outcome, true);
      expect(at).toEqual([0, 5, 35, 155, 755, 4_355, 18_755, 61_955, 148_355].map((s) => s * S));
      expect(atMax).toEqual([0, 6, 42, 186, 906, 5_226, 22_506, 74_346, 178_026].map((s) => s * S));
      expect(end).toMatchObject({ status: 'failed', reason: 'exhausted' });
    }
  });

  it('R-LAD-1 every other value of the table', () => {
    const rows = Object.values(PRESETS).map((policy: Policy) => [
      policy.name,
      policy.retryStatuses.join(),
      policy.rejected.money,
      policy.rejected.other,
      policy.slowWindowMs ?? null,
      policy.maxAgeMs,
      policy.whenNoEndpoint,
      policy.breaker?.scope ?? null,
      policy.autoDisable ?? null,
      policy.onGone,
      policy.honourRetryAfter,
      policy.signature.scheme,
      policy.timeoutMs,
    ]);
    const told = { warnAfterMs: D, disableAfterMs: 5 * D };
    const as = 'as_unavailable';
    expect(rows).toEqual([
      [
        'two-ladder',
        '429',
        'slow',
        'fail',
        48 * H,
        30 * D,
        'wait',
        'app',
        null,
        'ignore',
        false,
        'timestamped',
        10 * S,
      ],
      ['backoff', '408,425,429', as, as, null, 30 * D, 'skip', null, null, 'ignore', false, 'body', 10 * S],
      ['schedule', '408,425,429', as, as, null, 30 * D, 'skip', null, told, 'ignore', false, 't-v1', 10 * S],
      [
        'standard',
        '408,425,429',
        as,
        as,
        null,
        30 * D,
        'skip',
        'endpoint',
        told,
        'disable',
        true,
        'standard-webhooks',
        10 * S,
      ],
    ]);
  });

  it('R-BRK-1 R-BRK-2 both breakers have the same numbers', () => {
    const numbers = {
      windowMs: 5 * M,
      minAttempts: 5,
      failureRatio: 0.8,
      pauseMs: 5 * M,
      maxPauseMs: 30 * M,
    };
    expect(PRESETS['two-ladder'].breaker).toEqual({ scope: 'app', ...numbers });
    expect(PRESETS.standard.breaker).toEqual({ scope: 'endpoint', ...numbers });
  });

  it('R-LAD-8 are valid policies', () => {
    for (const policy of Object.values(PRESETS)) expect(policyIssues(policy)).toEqual([]);
  });
});

describe('a ladder', () => {
  it('R-LAD-1 has one attempt more than waits, and no wait before the first or after the last', () => {
    for (const { ladder } of Object.values(PRESETS)) {
      const attempts = ladderAttempts(ladder);
      expect(ladderWait(ladder, 0)).toBeNull();
      expect(ladderWait(ladder, 1)).not.toBeNull();
      expect(ladderWait(ladder, attempts - 1)).not.toBeNull();
      expect(ladderWait(ladder, attempts)).toBeNull();
    }
  });

  it('R-LAD-1 an exponential wait stops at its cap', () => {
    const ladder = {
      kind: 'exponential',
      baseMs: 30 * S,
      factor: 2,
      capMs: 6 * H,
      attempts: 20,
      jitter: 0.3,
    } as const;
    expect([1, 7, 10, 11, 19].map((k) => ladderWait(ladder, k))).toEqual([
      30 * S,
      1_920 * S,
      15_360 * S,
      6 * H,
      6 * H,
    ]);
  });
});

describe('the part that a cycle keeps', () => {
  it('R-LAD-8 holds the ladders, what they answer to, and nothing that is read at the moment', () => {
    expect(Object.keys(ladderPartOf(PRESETS['two-ladder'])).sort()).toEqual([
      'honourRetryAfter',
      'ladder',
      'maxAgeMs',
      'rejected',
      'retryStatuses',
      'slowLadder',
      'slowWindowMs',
    ]);
  });
});
