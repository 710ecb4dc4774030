import { expect, it } from 'vitest';
import { byUrgency, tallyOf } from './order';

const breaker = (id: string, state: 'open' | 'half_open' | 'closed', opened_at: string | null, held = 0) => ({
  id,
  state,
  opened_at,
  held,
});
const list = [
  breaker('a', 'closed', null),
  breaker('b', 'half_open', '2026-03-02T14:00:00.000Z', 3),
  breaker('c', 'open', '2026-03-02T13:00:00.000Z', 315),
  breaker('d', 'closed', null),
];

it('R-BRK-8 what holds something stands first, the longest open before the others', () => {
  expect(byUrgency(list).map(({ id }) => id)).toEqual(['c', 'b', 'a', 'd']);
});

it('R-BRK-8 a list amounts to how many are not closed and what they hold', () => {
  expect(tallyOf(list)).toEqual({ total: 4, notClosed: 2, held: 318, capped: false });
  expect(tallyOf([breaker('a', 'open', null, 10_000)])).toMatchObject({ held: 10_000, capped: true });
  expect(tallyOf([])).toEqual({ total: 0, notClosed: 0, held: 0, capped: false });
});
