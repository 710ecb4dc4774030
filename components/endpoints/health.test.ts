import { describe, expect, it } from 'vitest';
import type { BreakerResource, DeliveryResource } from '@/server/services/contract';
import {
  guardingBreaker,
  type HealthEndpoint,
  healthOf,
  healthReason,
  holdingBreaker,
  lastAnswerOf,
} from './health';

const NOW = Date.parse('2026-03-02T14:00:00.000Z');
const LATER = '2026-03-02T14:31:20.000Z';
const EARLIER = '2026-03-02T13:02:00.000Z';

const endpoint: HealthEndpoint = {
  id: 'ep_1',
  status: 'active',
  disabled_reason: null,
  paused_until: null,
  unsigned_since: null,
  failing_since: null,
};
const guard = (over: Partial<BreakerResource>) =>
  ({
    endpoint_id: 'ep_1',
    state: 'open',
    probe_at: LATER,
    probe_in_flight: false,
    ...over,
  }) as BreakerResource;
const heldDelivery = { held_by: 'held_by_breaker' } as DeliveryResource;
const free = { held_by: null } as DeliveryResource;

const own = guard({});
const others = guard({ endpoint_id: 'ep_2' });
const apps = guard({ endpoint_id: null });

describe('what holds an endpoint', () => {
  it.each([
    ['its own open breaker', [own], [], own],
    ['its own half open breaker', [guard({ state: 'half_open' })], [], guard({ state: 'half_open' })],
    ['nothing while its own is closed', [guard({ state: 'closed' })], [heldDelivery], null],
    ['not the breaker of another', [others], [heldDelivery], null],
    ['the app’s when a delivery of it is held', [apps], [free, heldDelivery], apps],
    ['not the app’s while its deliveries pass', [apps], [free], null],
  ])('R-BRK-3 %s', (_what, breakers, latest, expected) => {
    expect(holdingBreaker(endpoint, breakers, latest)).toEqual(expected);
  });
  it('R-BRK-11 it is guarded by its own breaker, else by the app’s', () => {
    expect(guardingBreaker(endpoint, [apps, own])).toBe(own);
    expect(guardingBreaker(endpoint, [apps, others])).toBe(apps);
    expect(guardingBreaker(endpoint, [others])).toBeNull();
  });
});

describe('the health pill', () => {
  it.each([
    ['healthy', {}, [], 'healthy', null],
    ['failing since', { failing_since: EARLIER }, [], 'failing', 'since 13:02:00'],
    ['held by breaker', { failing_since: EARLIER }, [own], 'held', 'breaker until 14:31:20'],
    ['held, probe due', {}, [guard({ state: 'half_open' })], 'held', 'breaker, probe due'],
    ['paused before held', { paused_until: LATER }, [own], 'paused', 'until 14:31:20'],
    ['a pause that is over', { paused_until: EARLIER }, [], 'healthy', null],
    ['unsigned before held', { unsigned_since: EARLIER }, [own], 'unsigned', 'since 13:02:00'],
    ['disabled', { status: 'disabled' }, [own], 'disabled', 'by a person'],
    [
      'failed',
      { status: 'auto_disabled', disabled_reason: 'failing' },
      [],
      'auto_disabled',
      'failed too long',
    ],
    ['gone', { status: 'auto_disabled', disabled_reason: 'gone' }, [], 'auto_disabled', 'answered 410'],
  ] as const)('R-FAIL-8 %s', (_what, over, breakers, face, reason) => {
    const it = { ...endpoint, ...over } as HealthEndpoint;
    const health = healthOf(it, { breakers, latest: [] }, NOW);
    expect(health.face).toBe(face);
    expect(healthReason(it, health, { now: NOW, zone: 'utc' })).toBe(reason);
  });
});

describe('the last answer', () => {
  const ended = (over: Partial<DeliveryResource>) =>
    ({
      last_ended_at: null,
      last_status_code: null,
      last_error_class: null,
      last_error: null,
      ...over,
    }) as never;
  it('R-FAIL-1 is that of the attempt that ended last, not of the newest delivery', () => {
    const rows = [
      ended({ last_ended_at: EARLIER, last_status_code: 200 }),
      ended({ last_ended_at: LATER, last_error_class: 'timeout', last_error: 'no answer' }),
      ended({}),
    ];
    expect(lastAnswerOf(rows)).toEqual({ text: 'timeout', isCode: false, error: 'no answer', at: LATER });
  });
  it('R-FAIL-1 there is none before the first attempt', () => {
    expect(lastAnswerOf([ended({})])).toBeNull();
    expect(lastAnswerOf([])).toBeNull();
  });
});
