import { expect, it } from 'vitest';
import { filterReach, filterSuggestions } from './filter-suggestions';

const types = ['payment.refund.failed', 'payment.refund.succeeded', 'payment.status_changed', 'kyc.done'];

it('R-PUB-2 offers what is in use, the prefixes that are shared, and everything', () => {
  expect(filterSuggestions(types)).toEqual([
    '*',
    'kyc.done',
    'payment.*',
    'payment.refund.*',
    'payment.refund.failed',
    'payment.refund.succeeded',
    'payment.status_changed',
  ]);
  expect(filterSuggestions([])).toEqual(['*']);
});

it.each([
  [[], 4, []],
  [['*'], 4, []],
  [['payment.*'], 3, []],
  [['payment.refund.*', 'kyc.done'], 3, []],
  [['payment'], 0, ['payment']],
  [['Not A Filter', 'kyc.done'], 1, []],
])('R-PUB-2 counts what the filters %j would have got', (filters, matched, unseen) => {
  expect(filterReach(filters, types)).toEqual({ matched, of: 4, unseen });
});

it('R-PUB-2 says nothing before the first type', () => {
  expect(filterReach(['payment.*'], [])).toBeNull();
});
