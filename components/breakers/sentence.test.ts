import { expect, it } from 'vitest';
import type { BreakerDetail, BreakerResource } from '@/server/services/contract';
import { breakerSentence } from './sentence';

const NOW = Date.parse('2026-03-02T14:00:00.000Z');
const MIN = 60_000;
const thresholds: BreakerDetail['thresholds'] = {
  windowMs: 5 * MIN,
  minAttempts: 5,
  failureRatio: 0.8,
  pausesMs: [5 * MIN, 10 * MIN, 20 * MIN, 30 * MIN],
};
const open: BreakerResource = {
  id: 'brk_1',
  endpoint_id: 'ep_1',
  environment: 'live',
  state: 'open',
  opened_at: '2026-03-02T13:41:00.000Z',
  pause_ms: 10 * MIN,
  probe_at: '2026-03-02T14:02:10.000Z',
  probe_in_flight: false,
  window: { attempts: 0, failures: 0 },
  opened_by: [],
  held: 318,
};

const say = (over: Partial<BreakerResource>) =>
  breakerSentence({ breaker: { ...open, ...over }, thresholds, scope: 'shop-eu', now: NOW, zone: 'utc' });

const closed = { state: 'closed', opened_at: null, pause_ms: null, probe_at: null, held: 0 } as const;

it.each([
  [
    'open',
    say({}),
    'Open since 13:41:00: attempts to shop-eu kept failing. 318 deliveries are held and spend no attempt; nothing is lost. The next probe goes at 14:02:10, in 2 m 10 s.',
  ],
  [
    'open, one held',
    say({ held: 1 }),
    'Open since 13:41:00: attempts to shop-eu kept failing. 1 delivery is held and spends no attempt; nothing is lost. The next probe goes at 14:02:10, in 2 m 10 s.',
  ],
  [
    'probe due, many held',
    say({ state: 'half_open', probe_at: '2026-03-02T13:59:00.000Z', held: 10_000 }),
    'Open since 13:41:00: attempts to shop-eu kept failing. More than 10,000 deliveries are held and spend no attempt; nothing is lost. A probe is due: the next delivery to fall due looks whether it is back.',
  ],
  [
    'probing, nothing held',
    say({ state: 'half_open', probe_in_flight: true, held: 0 }),
    'Open since 13:41:00: attempts to shop-eu kept failing. Nothing waits behind it. A probe is on its way. If it is answered, the breaker closes and everything that waits is sent.',
  ],
  ['closed, quiet', say(closed), 'Closed. No attempt to shop-eu has ended in the last 5 m.'],
  [
    'closed, well',
    say({ ...closed, window: { attempts: 12, failures: 0 } }),
    'Closed. In the last 5 m 0 of 12 attempts to shop-eu failed.',
  ],
  [
    'closed, near',
    say({ ...closed, window: { attempts: 4, failures: 4 } }),
    'Closed. In the last 5 m 4 of 4 attempts to shop-eu failed. The next failure opens it.',
  ],
  [
    'closed, less near',
    say({ ...closed, window: { attempts: 7, failures: 2 } }),
    'Closed. In the last 5 m 2 of 7 attempts to shop-eu failed. 18 more failures in a row would open it.',
  ],
])('R-BRK-8 the sentence of a breaker: %s', (_what, said, expected) => {
  expect(said).toBe(expected);
});
