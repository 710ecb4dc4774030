import { describe, expect, it } from 'vitest';
import type { DeliveryDetail, DeliveryResource } from '@/server/services/contract';
import { deliverySentence, resendNotes } from './sentence';

const NOW = Date.parse('2026-01-01T14:20:00.000Z');
const base: DeliveryResource = {
  id: 'dlv_1',
  event_id: 'evt_1',
  endpoint_id: 'ep_1',
  endpoint_number: 1,
  type: 'payment.status_changed',
  environment: 'live',
  status: 'pending',
  reason: 'retrying',
  held_by: null,
  held_until: null,
  in_flight: false,
  cycle: 1,
  attempts: 3,
  fast: { used: 3, of: 10 },
  slow: { used: 0, of: 5 },
  money: true,
  amount: null,
  currency: null,
  exponent: null,
  resource: null,
  last_status_code: 503,
  last_error_class: 'http_5xx',
  last_error: null,
  last_duration_ms: 40,
  last_ended_at: '2026-01-01T14:19:00.000Z',
  next_attempt_at: '2026-01-01T14:22:10.000Z',
  first_delivered_at: null,
  ended_at: null,
  created_at: '2026-01-01T14:02:00.000Z',
};
const say = (change: Partial<DeliveryResource>) =>
  deliverySentence({ delivery: { ...base, ...change }, endpointLabel: 'shop-eu', now: NOW, zone: 'utc' });

describe('the sentence', () => {
  it.each<[string, Partial<DeliveryResource>, string]>([
    [
      'R-DEL-6 retrying',
      {},
      'The receiver last answered 503. 3 of 10 attempts used. Next at 14:22:10, in 2 m 10 s.',
    ],
    [
      'R-LAD-2 refused, on the slow ladder',
      { last_status_code: 422, slow: { used: 1, of: 5 }, next_attempt_at: '2026-01-02T09:00:00.000Z' },
      'The receiver answered 422: it understood and refused. For a payment we go on trying; mend the handler and press resend. 1 of 5 attempts used. Next at 2 Jan 09:00:00, in 18 h 40 m.',
    ],
    [
      'R-ATT-18 no answer at all',
      { last_status_code: null, last_error_class: 'timeout', next_attempt_at: '2026-01-01T14:19:59.000Z' },
      'The last attempt ended with timeout. 3 of 10 attempts used. The next is due now.',
    ],
    [
      'R-BRK-5 held by the breaker',
      { held_by: 'held_by_breaker', held_until: '2026-01-01T14:31:20.000Z' },
      'Held by the breaker of shop-eu until 14:31:20. Nothing is lost. 3 of 10 attempts used.',
    ],
    [
      'R-BRK-3 half open: no instant to name',
      { held_by: 'held_by_breaker', held_until: null, fast: { used: 0, of: 10 } },
      'Held by the breaker of shop-eu while a probe looks whether it is back. Nothing is lost.',
    ],
    ['R-DEL-6 in flight', { in_flight: true }, 'Attempt 4 is on its way to shop-eu.'],
    [
      'R-DEL-6 fresh and due',
      { attempts: 0, reason: 'waiting', next_attempt_at: null, last_status_code: null },
      'Due now. The next free slot sends it to shop-eu.',
    ],
    [
      'R-DEL-6 delivered at once',
      { status: 'delivered', reason: null, attempts: 1, last_status_code: 204 },
      'Delivered to shop-eu, which answered 204. The first attempt arrived.',
    ],
    [
      'R-DEL-6 delivered after some',
      { status: 'delivered', reason: null, attempts: 4, last_status_code: 200 },
      'Delivered to shop-eu, which answered 200. It took 4 attempts.',
    ],
    [
      'R-DEL-6 exhausted',
      { status: 'failed', reason: 'exhausted', attempts: 10 },
      'Undelivered: all 10 attempts to shop-eu are used. Nothing is sent until you resend.',
    ],
    [
      'R-RES-8 delivered before it failed',
      { status: 'failed', reason: 'exhausted', first_delivered_at: '2026-01-01T14:02:00.123Z' },
      'Delivered on 1 Jan 2026, 14:02:00.123 UTC; later attempts failed.',
    ],
    [
      'R-FAIL-8 skipped',
      { status: 'skipped', reason: 'endpoint_disabled' },
      'Skipped: shop-eu was not active when its turn came. Enable it and resend.',
    ],
    [
      'R-PUB-3 skipped, nobody wanted it',
      { status: 'skipped', reason: 'no_endpoint', endpoint_id: null },
      'No endpoint matched this event. Create or widen one, and resend.',
    ],
  ])('%s', (_rule, change, sentence) => {
    expect(say(change)).toBe(sentence);
  });
});

const detailOf = (change: Partial<DeliveryResource>, planned: number, attempted = true) =>
  ({
    delivery: { ...base, ...change },
    attempts: attempted ? [{ cycle: 1 }] : [],
    timeline: {
      now: NOW,
      silences: [],
      marks: Array.from({ length: planned }, (_, i) => ({ kind: 'planned', at: NOW + 130_000 + i })),
    },
  }) as unknown as DeliveryDetail;

describe('what a resend replaces', () => {
  it('R-RES-1 a pending one: the planned attempt and what follows it', () => {
    expect(resendNotes(detailOf({}, 7), NOW, 'utc')).toEqual([
      'It replaces the attempt planned 14:22:10, and 6 attempts still to come, by a new cycle that starts now.',
    ]);
    expect(resendNotes(detailOf({}, 1), NOW, 'utc')).toEqual([
      'It replaces the attempt planned 14:22:10 by a new cycle that starts now.',
    ]);
  });
  it('R-RES-1 a cycle without an attempt is not resent twice', () => {
    expect(resendNotes(detailOf({}, 3, false), NOW, 'utc')[0]).toBe(
      'It waits for its first attempt already; a second one is not queued.',
    );
  });
  it('R-RES-1 behind a breaker it says until when', () => {
    const held = { held_by: 'held_by_breaker', held_until: '2026-01-01T14:31:20.000Z' } as const;
    expect(resendNotes(detailOf(held, 2), NOW, 'utc')[1]).toBe(
      'The breaker is open: it waits with the others, until 14:31:20.',
    );
  });
  it('R-RES-2 with an attempt in flight the new cycle comes after it', () => {
    expect(resendNotes(detailOf({ in_flight: true }, 2), NOW, 'utc')).toEqual([
      'An attempt is on its way. The new cycle starts when it ends.',
    ]);
  });
  it('R-RES-1 a delivered one warns that the receiver gets it again', () => {
    expect(resendNotes(detailOf({ status: 'delivered' }, 0), NOW, 'utc')[1]).toMatch(/^The receiver already/);
  });
});
