import { type Policy, PRESETS } from '@/server/core/policy';
import { createChance } from './chance';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long a world lives, and how long its engines sleep at most where nothing is due. */
const SCALES = {
  minutes: { spanMs: 15 * MINUTE, longestSleepMs: 5 * SECOND },
  hours: { spanMs: 12 * HOUR, longestSleepMs: 5 * MINUTE },
  days: { spanMs: 8 * DAY, longestSleepMs: 90 * MINUTE },
  weeks: { spanMs: 40 * DAY, longestSleepMs: 8 * HOUR },
} as const;
type Scale = keyof typeof SCALES;

/** What may go wrong in a world beside its receivers. */
export interface Faults {
  crash: boolean;
  pause: boolean;
  clock: boolean;
  store: boolean;
  latency: boolean;
  secret: boolean;
}

export interface PlannedEndpoint {
  own: Policy | null;
  concurrency: number | null;
  environment: 'test' | 'live';
  types: readonly string[];
}

export interface Plan {
  seed: number;
  scale: Scale;
  spanMs: number;
  longestSleepMs: number;
  engines: number;
  /** Attempts in flight of one engine. */
  concurrency: number;
  /** All processes on one store object, so that each commit wakes every engine; else each has its own. */
  sharedStore: boolean;
  /** The app's policy in the environment. */
  policy: Policy;
  /** Own policies of endpoints, by their place; null: the app's. */
  endpoints: readonly PlannedEndpoint[];
  receivers: number;
  /** No more deliveries than this are published. */
  mostDeliveries: number;
  publishEveryMs: number;
  actEveryMs: number;
  faultEveryMs: number;
  /** Mean time until a receiver's mood changes. */
  moodMs: number;
  faults: Faults;
}

/** A small ladder, so that whole lives fit into minutes. */
const quick: Policy = {
  ...PRESETS.standard,
  name: 'quick',
  ladder: { kind: 'schedule', waitsMs: [SECOND, 5 * SECOND, 20 * SECOND, MINUTE], jitter: 0.2 },
  rejected: { money: 'slow', other: 'as_unavailable' },
  slowLadder: { kind: 'schedule', waitsMs: [30 * SECOND, 2 * MINUTE, 5 * MINUTE], jitter: 0 },
  slowWindowMs: 10 * MINUTE,
  maxAgeMs: 2 * HOUR,
  whenNoEndpoint: 'wait',
  breaker: { ...PRESETS.standard.breaker, pauseMs: 30 * SECOND, maxPauseMs: 2 * MINUTE },
};

export const POLICIES: readonly Policy[] = [
  PRESETS['two-ladder'],
  PRESETS.backoff,
  PRESETS.schedule,
  PRESETS.standard,
  quick,
  { ...quick, name: 'quick-app', breaker: { ...quick.breaker, scope: 'app' } as Policy['breaker'] },
  { ...PRESETS['two-ladder'], name: 'two-ladder-endpoint', breaker: PRESETS.standard.breaker },
];

/** The whole world of a seed, but for what chance does while it runs. */
export function planOf(seed: number): Plan {
  const chance = createChance(seed, 'plan');
  const scale = chance.weighted<Scale>({ minutes: 4, hours: 3, days: 2, weeks: 1 });
  const { spanMs, longestSleepMs } = SCALES[scale];
  const policy = chance.pick(POLICIES);
  const endpoints = Array.from({ length: chance.int(1, 4) }, () => ({
    own: chance.odds(0.2) ? chance.pick(POLICIES) : null,
    concurrency: chance.pick([null, null, 1, 2]),
    environment: chance.odds(0.85) ? ('test' as const) : ('live' as const),
    types: chance.pick([[], [], [], ['payment.*'], ['order.created', 'refund.*']]),
  }));
  // Each world has some families of faults and not others: a fault that is always there hides what another shows.
  const calm = chance.odds(0.15);
  const has = (probability: number) => !calm && chance.odds(probability);
  return {
    seed,
    scale,
    spanMs,
    longestSleepMs,
    engines: chance.int(1, 3),
    concurrency: chance.pick([2, 6, 16]),
    sharedStore: chance.odds(0.5),
    policy,
    endpoints,
    receivers: chance.int(1, 4),
    mostDeliveries: 50,
    publishEveryMs: spanMs / chance.int(6, 20),
    actEveryMs: spanMs / chance.int(4, 24),
    faultEveryMs: spanMs / chance.int(4, 16),
    moodMs: spanMs / chance.int(2, 12),
    faults: {
      crash: has(0.5),
      pause: has(0.4),
      clock: has(0.25),
      store: has(0.35),
      latency: has(0.4),
      secret: has(0.25),
    },
  };
}
