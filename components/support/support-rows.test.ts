import { expect, it } from 'vitest';
import type { SupportRow } from './support-rows';
import { byAge, scopeOf, summaryOf } from './support-rows';

const row = (id: string, appId: string, opened_at: string | null, held: number) =>
  ({ breaker: { id, opened_at, held }, app: { id: appId }, endpoint_label: null }) as SupportRow;
const rows = [
  row('brk_1', 'app_1', '2026-03-02T14:00:00.000Z', 3),
  row('brk_2', 'app_2', '2026-03-02T13:00:00.000Z', 315),
  row('brk_3', 'app_1', null, 0),
];

it('R-BRK-8 support sees the longest open first', () => {
  expect(byAge(rows).map(({ breaker }) => breaker.id)).toEqual(['brk_2', 'brk_1', 'brk_3']);
});

it('R-BRK-8 support reads how much is held, and at how many apps', () => {
  expect(summaryOf(rows)).toBe('3 breakers not closed at 2 apps. 318 deliveries are held; nothing is lost.');
  expect(summaryOf([row('brk_1', 'app_1', null, 1)])).toBe(
    '1 breaker not closed at 1 app. 1 delivery is held; nothing is lost.',
  );
  expect(summaryOf([row('brk_1', 'app_1', null, 10_000)])).toContain('More than 10,000 deliveries are held');
});

it('R-BRK-8 a breaker without an endpoint guards the whole app', () => {
  expect(scopeOf({ endpoint_label: null })).toBe('the whole app');
  expect(scopeOf({ endpoint_label: 'shop-eu' })).toBe('shop-eu');
});
