import { expect, it } from 'vitest';
import { phasesOf } from './timings';

const timing = { dns_ms: 2, connect_ms: 8, tls_ms: 20, first_byte_ms: 110 };
const ms = (attempt: Parameters<typeof phasesOf>[0]) => phasesOf(attempt).map((p) => [p.phase, p.ms]);

it('R-ATT-5 the phases add up to the whole: the first byte counts from the beginning', () => {
  expect(ms({ timing, duration_ms: 120 })).toEqual([
    ['dns', 2],
    ['connect', 8],
    ['tls', 20],
    ['wait', 80],
    ['rest', 10],
  ]);
});

it('R-ATT-5 a kept connection has no set-up; a timeout has no first byte', () => {
  const kept = { dns_ms: null, connect_ms: null, tls_ms: null, first_byte_ms: 38 };
  expect(ms({ timing: kept, duration_ms: 38 })).toEqual([['wait', 38]]);
  const none = { ...timing, first_byte_ms: null };
  expect(ms({ timing: none, duration_ms: 10_000 }).at(-1)).toEqual(['rest', 9_970]);
});

it('R-ATT-5 shares add up to one', () => {
  const sum = phasesOf({ timing, duration_ms: 120 }).reduce((all, p) => all + p.share, 0);
  expect(sum).toBeCloseTo(1, 10);
});
