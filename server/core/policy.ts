// Invariant: a policy is data; the four presets are its only built-in values, and no code branches on a name.
import type { BreakerScope } from './model';

export interface Schedule {
  kind: 'schedule';
  waitsMs: readonly number[];
  /** 0–1: up to this share of a wait is added, never subtracted (R-LAD-5). */
  jitter: number;
}

export interface Exponential {
  kind: 'exponential';
  baseMs: number;
  factor: number;
  capMs: number;
  /** Attempts, so that there are `attempts − 1` waits. */
  attempts: number;
  jitter: number;
}

export type Ladder = Schedule | Exponential;

/** What a `rejected` answer does: `fail` at once, the `slow` ladder, or `as_unavailable` on the fast one. */
export type RejectedRule = 'fail' | 'slow' | 'as_unavailable';

/** R-LAD-8: the part that a cycle keeps from its beginning. */
export interface LadderPart {
  ladder: Ladder;
  rejected: { money: RejectedRule; other: RejectedRule };
  slowLadder?: Ladder;
  slowWindowMs?: number;
  maxAgeMs: number;
  retryStatuses: readonly number[];
  honourRetryAfter: boolean;
}

export interface BreakerPolicy {
  scope: BreakerScope;
  windowMs: number;
  minAttempts: number;
  /** Share of failures, 0–1, at which it opens. */
  failureRatio: number;
  /** R-BRK-2: first pause, doubled with each failed probe up to the cap. */
  pauseMs: number;
  maxPauseMs: number;
}

export interface SignatureSettings {
  scheme: SignatureScheme;
  headers?: { id?: string; timestamp?: string; signature?: string };
  prefix?: string;
}

export type SignatureScheme = 'standard-webhooks' | 'timestamped' | 't-v1' | 'body';

/** One validated JSON object that says how deliveries are retried, paused and given up (domain §4). */
export interface Policy extends LadderPart {
  name: string;
  timeoutMs: number;
  whenNoEndpoint: 'wait' | 'skip';
  onGone: 'ignore' | 'disable';
  breaker?: BreakerPolicy;
  autoDisable?: { warnAfterMs: number; disableAfterMs: number };
  signature: SignatureSettings;
  traceparent: boolean;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const breaker = (scope: BreakerScope): BreakerPolicy => ({
  scope,
  windowMs: 5 * MINUTE,
  minAttempts: 5,
  failureRatio: 0.8,
  pauseMs: 5 * MINUTE,
  maxPauseMs: 30 * MINUTE,
});

const common = { timeoutMs: 10 * SECOND, maxAgeMs: 30 * DAY, traceparent: false } as const;

export const PRESETS = {
  'two-ladder': {
    ...common,
    name: 'two-ladder',
    ladder: {
      kind: 'exponential',
      baseMs: SECOND,
      factor: 2,
      capMs: 256 * SECOND,
      attempts: 10,
      jitter: 0,
    },
    rejected: { money: 'slow', other: 'fail' },
    slowLadder: {
      kind: 'schedule',
      waitsMs: [15 * MINUTE, HOUR, 4 * HOUR, 12 * HOUR, 24 * HOUR],
      jitter: 0,
    },
    slowWindowMs: 48 * HOUR,
    retryStatuses: [429],
    honourRetryAfter: false,
    whenNoEndpoint: 'wait',
    onGone: 'ignore',
    breaker: breaker('app'),
    signature: { scheme: 'timestamped' },
  },
  backoff: {
    ...common,
    name: 'backoff',
    ladder: {
      kind: 'exponential',
      baseMs: 30 * SECOND,
      factor: 2,
      capMs: 6 * HOUR,
      attempts: 8,
      jitter: 0.3,
    },
    rejected: { money: 'as_unavailable', other: 'as_unavailable' },
    retryStatuses: [408, 425, 429],
    honourRetryAfter: false,
    whenNoEndpoint: 'skip',
    onGone: 'ignore',
    signature: { scheme: 'body' },
  },
  schedule: {
    ...common,
    name: 'schedule',
    ladder: {
      kind: 'schedule',
      waitsMs: [MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, 12 * HOUR, 24 * HOUR],
      jitter: 0,
    },
    rejected: { money: 'as_unavailable', other: 'as_unavailable' },
    retryStatuses: [408, 425, 429],
    honourRetryAfter: false,
    whenNoEndpoint: 'skip',
    onGone: 'ignore',
    autoDisable: { warnAfterMs: 24 * HOUR, disableAfterMs: 5 * DAY },
    signature: { scheme: 't-v1' },
  },
  standard: {
    ...common,
    name: 'standard',
    ladder: {
      kind: 'schedule',
      waitsMs: [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, HOUR, 4 * HOUR, 12 * HOUR, 24 * HOUR],
      jitter: 0.2,
    },
    rejected: { money: 'as_unavailable', other: 'as_unavailable' },
    retryStatuses: [408, 425, 429],
    honourRetryAfter: true,
    whenNoEndpoint: 'skip',
    onGone: 'disable',
    breaker: breaker('endpoint'),
    autoDisable: { warnAfterMs: 24 * HOUR, disableAfterMs: 5 * DAY },
    signature: { scheme: 'standard-webhooks' },
  },
} as const satisfies Record<string, Policy>;

export type PresetName = keyof typeof PRESETS;

/** How many attempts a ladder allows: one more than its waits. */
export function ladderAttempts(ladder: Ladder): number {
  return ladder.kind === 'schedule' ? ladder.waitsMs.length + 1 : ladder.attempts;
}

/**
 * The ladder's wait after its k-th failed attempt (k ≥ 1), in ms, without jitter; null at the ladder's end.
 * R-LAD-1, R-LAD-2.
 */
export function ladderWait(ladder: Ladder, k: number): number | null {
  if (k < 1 || k >= ladderAttempts(ladder)) return null;
  if (ladder.kind === 'schedule') return ladder.waitsMs[k - 1] ?? null;
  return Math.round(Math.min(ladder.baseMs * ladder.factor ** (k - 1), ladder.capMs));
}

/** R-LAD-8: the part of a policy that a cycle keeps from its beginning. */
export function ladderPartOf(policy: LadderPart): LadderPart {
  return {
    ladder: policy.ladder,
    rejected: policy.rejected,
    slowLadder: policy.slowLadder,
    slowWindowMs: policy.slowWindowMs,
    maxAgeMs: policy.maxAgeMs,
    retryStatuses: policy.retryStatuses,
    honourRetryAfter: policy.honourRetryAfter,
  };
}
