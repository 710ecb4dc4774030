import { expect, it } from 'vitest';
import type { DeliveryResource } from '@/server/services/contract';
import { deliveryFace, deliveryReason, ladderShare } from '../ui/status';
import { budgetText, lastResult, nextCell } from './cells';

const base: DeliveryResource = {
  id: 'dlv_1',
  event_id: 'evt_1',
  endpoint_id: 'ep_1',
  endpoint_number: 1,
  type: 'payment.status_changed',
  environment: 'test',
  status: 'pending',
  reason: 'waiting',
  held_by: null,
  held_until: null,
  in_flight: false,
  cycle: 1,
  attempts: 0,
  fast: { used: 0, of: 10 },
  slow: { used: 0, of: 0 },
  money: false,
  amount: null,
  currency: null,
  exponent: null,
  resource: null,
  last_status_code: null,
  last_error_class: null,
  last_error: null,
  last_duration_ms: null,
  last_ended_at: null,
  next_attempt_at: null,
  first_delivered_at: null,
  ended_at: null,
  created_at: '2026-01-01T00:00:00.000Z',
};
const of = (change: Partial<DeliveryResource>): DeliveryResource => ({ ...base, ...change });

it.each<[string, Partial<DeliveryResource>, string, string | null]>([
  ['waiting', {}, 'pending', null],
  ['retrying', { reason: 'retrying' }, 'retrying', null],
  ['held wins over retrying', { reason: 'retrying', held_by: 'held_by_breaker' }, 'held', 'breaker'],
  ['in flight wins over held', { in_flight: true, held_by: 'held_by_pause' }, 'in_flight', null],
  ['delivered', { status: 'delivered', reason: null }, 'delivered', null],
  ['failed says why', { status: 'failed', reason: 'exhausted' }, 'failed', 'ladder used up'],
  ['skipped says why', { status: 'skipped', reason: 'no_endpoint' }, 'skipped', 'no endpoint matched'],
])('R-DEL-6 the face of a delivery: %s', (_name, change, face, reason) => {
  expect(deliveryFace(of(change))).toBe(face);
  expect(deliveryReason(of(change))).toBe(reason);
});

it.each<[Partial<DeliveryResource>, string]>([
  [{ fast: { used: 3, of: 9 } }, '3/9'],
  [{ fast: { used: 3, of: 10 }, slow: { used: 1, of: 5 } }, 'F 3/10 · S 1/5'],
  [{ status: 'delivered', attempts: 1, fast: { used: 0, of: 10 } }, '1'],
])('R-LAD-2 the budget names each ladder there is', (change, text) => {
  expect(budgetText(of(change))).toBe(text);
});

it('R-LAD-2 the ring fills by the ladder that moved further', () => {
  expect(ladderShare(of({ fast: { used: 3, of: 10 }, slow: { used: 4, of: 5 } }))).toBe(0.8);
  expect(ladderShare(of({ fast: { used: 0, of: 0 } }))).toBe(0);
});

it('R-ATT-18 the last answer is a code, else a class', () => {
  expect(lastResult(of({ last_status_code: 503, last_error_class: 'http_5xx' }))).toEqual({ code: 503 });
  expect(lastResult(of({ last_error_class: 'timeout' }))).toEqual({ words: 'timeout' });
  expect(lastResult(base)).toBeNull();
});

it('R-BRK-5 what comes next: held until, else the countdown, else nothing', () => {
  const at = '2026-01-01T00:05:00.000Z';
  const held = { held_by: 'held_by_breaker', next_attempt_at: at } as const;
  expect(nextCell(of({ ...held, held_until: at }))).toEqual({ kind: 'held', until: at });
  expect(nextCell(of({ ...held, held_until: null }))).toEqual({ kind: 'nothing' });
  expect(nextCell(of({ next_attempt_at: at }))).toEqual({ kind: 'countdown', at });
  expect(nextCell(of({ in_flight: true, next_attempt_at: at }))).toEqual({ kind: 'nothing' });
  expect(nextCell(of({ status: 'delivered', next_attempt_at: at }))).toEqual({ kind: 'nothing' });
});
