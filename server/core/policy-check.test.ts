import { expect, it } from 'vitest';
import { type Policy, PRESETS } from './policy';
import { policyIssues } from './policy-check';

const two: Policy = PRESETS['two-ladder'];
const breaker = {
  scope: 'app',
  windowMs: 300_000,
  minAttempts: 5,
  failureRatio: 0.8,
  pauseMs: 300_000,
  maxPauseMs: 1_800_000,
} as const;

const BROKEN: readonly [path: string, change: Partial<Policy>][] = [
  ['timeoutMs', { timeoutMs: 30_001 }],
  ['timeoutMs', { timeoutMs: 0 }],
  ['maxAgeMs', { maxAgeMs: 30 * 86_400_000 + 1 }],
  ['retryStatuses', { retryStatuses: [429, 500] }],
  ['retryStatuses', { retryStatuses: [399] }],
  ['ladder.jitter', { ladder: { kind: 'schedule', waitsMs: [1_000], jitter: 1.01 } }],
  ['ladder.jitter', { ladder: { kind: 'schedule', waitsMs: [1_000], jitter: Number.NaN } }],
  ['ladder.waitsMs.1', { ladder: { kind: 'schedule', waitsMs: [1_000, -1], jitter: 0 } }],
  ['ladder.waitsMs.0', { ladder: { kind: 'schedule', waitsMs: [2 ** 31], jitter: 0 } }],
  ['ladder', { ladder: { kind: 'exponential', baseMs: 1, factor: 2, capMs: 2, attempts: 51, jitter: 0 } }],
  [
    'ladder.factor',
    { ladder: { kind: 'exponential', baseMs: 1, factor: 0.5, capMs: 2, attempts: 5, jitter: 0 } },
  ],
  ['slowLadder', { slowLadder: undefined }],
  ['slowWindowMs', { slowWindowMs: 31 * 86_400_000 }],
  ['breaker.failureRatio', { breaker: { ...breaker, failureRatio: 0 } }],
  ['breaker.maxPauseMs', { breaker: { ...breaker, maxPauseMs: 1_000 } }],
  ['autoDisable', { autoDisable: { warnAfterMs: 2_000, disableAfterMs: 1_000 } }],
];

it.each(BROKEN)('R-LAD-6 a policy that would break the transition is refused at %s', (path, change) => {
  expect(policyIssues({ ...two, ...change }).map((issue) => issue.path)).toContain(path);
});

it('R-LAD-6 a policy without breaker, slow ladder and auto-disable is fine', () => {
  const policy = { ...PRESETS.backoff, ladder: { kind: 'schedule', waitsMs: [], jitter: 0 } } as const;
  expect(policyIssues(policy)).toEqual([]);
});
