import { expect, it } from 'vitest';
import type { BreakerResource, EndpointResource } from '@/server/services/contract';
import { healthOf } from './health';
import { endpointSentence } from './sentence';

const NOW = Date.parse('2026-03-02T14:00:00.000Z');
const base: EndpointResource = {
  id: 'ep_1',
  number: 4,
  url: 'https://hooks.example.com/',
  description: 'shop-eu',
  environment: 'live',
  status: 'active',
  disabled_reason: null,
  paused_until: null,
  types: [],
  headers: [],
  policy: null,
  scheme: 'standard-webhooks',
  concurrency: null,
  failing_since: null,
  consecutive_failures: 0,
  unsigned_since: null,
  created_at: '2026-03-01T00:00:00.000Z',
  updated_at: '2026-03-01T00:00:00.000Z',
};
const failing = { failing_since: '2026-03-02T13:02:00.000Z', consecutive_failures: 12 };
const guard = (state: 'open' | 'half_open') =>
  ({ endpoint_id: 'ep_1', state, probe_at: '2026-03-02T14:02:10.000Z' }) as BreakerResource;

function say(
  over: Partial<EndpointResource>,
  more: { breakers?: BreakerResource[]; pending?: number | null; neverSent?: boolean; last?: string } = {},
): string {
  const endpoint = { ...base, ...over };
  const count = more.pending === undefined ? 0 : more.pending;
  return endpointSentence({
    endpoint,
    name: 'shop-eu',
    health: healthOf(endpoint, { breakers: more.breakers ?? [], latest: [] }, NOW),
    pending: count === null ? null : { count, capped: count >= 10_000 },
    lastAnswer: more.last ?? null,
    neverSent: more.neverSent ?? false,
    now: NOW,
    zone: 'utc',
  });
}

it.each([
  ['healthy', say({}), 'shop-eu is healthy. Nothing waits.'],
  ['healthy, unknown what waits', say({}, { pending: null }), 'shop-eu is healthy.'],
  ['healthy, one waits', say({}, { pending: 1 }), 'shop-eu is healthy. One delivery waits for its turn.'],
  ['healthy, some wait', say({}, { pending: 14 }), 'shop-eu is healthy. 14 deliveries wait for their turn.'],
  [
    'never used',
    say({}, { neverSent: true }),
    'Nothing has been sent to shop-eu yet. Send a test, or publish an event of a type that it gets.',
  ],
  [
    'failing',
    say(failing, { last: '503' }),
    'shop-eu has been failing since 13:02:00: 12 attempts in a row failed, lately with 503. Each delivery is tried again until its ladder ends. Mend the receiver, then send a test.',
  ],
  [
    'held',
    say(failing, { last: 'timeout', breakers: [guard('open')], pending: 318 }),
    'shop-eu has been failing since 13:02:00: 12 attempts in a row failed, lately with timeout. The breaker holds 318 deliveries; nothing is lost. The next probe goes at 14:02:10, in 2 m 10 s.',
  ],
  [
    'held, probing',
    say({ ...failing, consecutive_failures: 1 }, { breakers: [guard('half_open')], pending: 10_000 }),
    'shop-eu has been failing since 13:02:00: one attempt failed. The breaker holds more than 10,000 deliveries while a probe looks whether it is back; nothing is lost.',
  ],
  [
    'paused',
    say({ paused_until: '2026-03-02T14:40:00.000Z' }, { pending: 3 }),
    'shop-eu is paused until 14:40:00, in 40 m. The pause ends by itself. 3 deliveries wait; nothing is lost.',
  ],
  [
    'unsigned',
    say({ unsigned_since: '2026-03-02T13:02:00.000Z' }),
    'The secret of shop-eu cannot be opened since 13:02:00, so nothing is sent unsigned. An operator has been told. Nothing waits behind it.',
  ],
  [
    'disabled',
    say({ status: 'disabled' }),
    'shop-eu is disabled: a person switched it off. New events are not sent to it, and what was pending is skipped.',
  ],
  [
    'auto-disabled, failing',
    say({ ...failing, status: 'auto_disabled', disabled_reason: 'failing' }),
    'shop-eu was switched off by Hookladder: it failed from 13:02:00 on for too long without one success. New events are not sent to it.',
  ],
  [
    'auto-disabled, gone',
    say({ status: 'auto_disabled', disabled_reason: 'gone' }),
    'shop-eu was switched off by Hookladder: it answered 410 Gone again and again. New events are not sent to it.',
  ],
])('R-FAIL-8 the sentence of an endpoint: %s', (_what, said, expected) => {
  expect(said).toBe(expected);
});
