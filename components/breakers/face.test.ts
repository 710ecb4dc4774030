import { expect, it } from 'vitest';
import { breakerFace } from './face';

const NOW = Date.parse('2026-03-02T14:00:00.000Z');
const at = (ahead: number) => new Date(NOW + ahead).toISOString();

it.each([
  ['closed', { state: 'closed', probe_at: null }, 'closed'],
  ['open', { state: 'open', probe_at: at(1_000) }, 'open'],
  ['open as it was read, its probe due since', { state: 'open', probe_at: at(0) }, 'half_open'],
  ['probing', { state: 'half_open', probe_at: at(1_000) }, 'half_open'],
] as const)('R-BRK-3 %s', (_what, breaker, face) => {
  expect(breakerFace(breaker, NOW)).toBe(face);
});
