import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ageEndOf, deadlineOf, slowWindowEndOf } from './deadline';
import type { GateInterval } from './model';

const H = 3_600_000;
const D = 24 * H;
const LADDER = { maxAgeMs: 30 * D, slowWindowMs: 48 * H };
const FACTS = { eventCreatedAt: 0 };
const FIRST = { cycleByPerson: false, cycleStartedAt: 0, slowStartedAt: null };

const pause = (fromAt: number, toAt: number | null): GateInterval => ({ kind: 'pause', fromAt, toAt });
const unsigned = (fromAt: number, toAt: number | null): GateInterval => ({ kind: 'unsigned', fromAt, toAt });
const breaker = (fromAt: number, toAt: number | null): GateInterval => ({ kind: 'breaker', fromAt, toAt });

const slowEnd = (slowStartedAt: number, gates: readonly GateInterval[], now = slowStartedAt) =>
  slowWindowEndOf({ state: { ...FIRST, slowStartedAt }, ladder: LADDER, gates, now });

describe('the age', () => {
  it('R-LAD-4 counts from the event, not from the cycle', () => {
    const state = { ...FIRST, cycleStartedAt: 5 * D };
    expect(ageEndOf({ state, facts: { eventCreatedAt: 2 * D }, ladder: LADDER })).toBe(32 * D);
  });

  it('R-LAD-4 R-RES-1 ends no cycle that a person began before 48 h after its start', () => {
    const byPerson = (cycleStartedAt: number) =>
      ageEndOf({ state: { ...FIRST, cycleByPerson: true, cycleStartedAt }, facts: FACTS, ladder: LADDER });
    expect(byPerson(10 * D)).toBe(30 * D);
    expect(byPerson(28 * D)).toBe(30 * D);
    expect(byPerson(28 * D + 1)).toBe(30 * D + 1);
    expect(byPerson(40 * D)).toBe(42 * D);
  });
});

describe('the slow window', () => {
  it('R-LAD-3 is 48 h from the attempt that began it, and none before', () => {
    expect(slowWindowEndOf({ state: FIRST, ladder: LADDER, gates: [], now: 0 })).toBeNull();
    expect(slowEnd(5 * D, [])).toBe(7 * D);
  });

  it('R-FAIL-8 is extended by pauses and secret outages since, and by no breaker', () => {
    expect(slowEnd(0, [pause(H, 3 * H)])).toBe(50 * H);
    expect(slowEnd(0, [unsigned(H, 3 * H)])).toBe(50 * H);
    expect(slowEnd(0, [breaker(H, 3 * H)])).toBe(48 * H);
    expect(slowEnd(0, [pause(H, 3 * H), unsigned(10 * H, 11 * H)])).toBe(51 * H);
  });

  it('R-FAIL-8 counts time that two gates share once', () => {
    expect(slowEnd(0, [pause(H, 4 * H), unsigned(2 * H, 5 * H)])).toBe(52 * H);
    expect(slowEnd(0, [pause(H, 4 * H), unsigned(2 * H, 3 * H)])).toBe(51 * H);
  });

  it('R-FAIL-8 counts of an interval what lies after the window began', () => {
    expect(slowEnd(10 * H, [pause(8 * H, 12 * H)])).toBe(60 * H);
    expect(slowEnd(10 * H, [pause(2 * H, 9 * H)])).toBe(58 * H);
  });

  it('R-FAIL-8 an interval counts only if it begins before the end, as extended by those before it', () => {
    expect(slowEnd(0, [pause(49 * H, 59 * H)])).toBe(48 * H);
    expect(slowEnd(0, [pause(49 * H, 59 * H), pause(40 * H, 42 * H)])).toBe(60 * H);
  });

  it('R-FAIL-8 a gate that is open extends up to now, so that the window never ends behind it', () => {
    expect(slowEnd(0, [pause(47 * H, null)], 47 * H)).toBe(48 * H);
    expect(slowEnd(0, [pause(47 * H, null)], 100 * H)).toBe(101 * H);
  });

  it('R-FAIL-8 is never shorter than itself and never longer than itself and all gates', () => {
    const gate = fc.record({
      kind: fc.constantFrom('pause' as const, 'unsigned' as const, 'breaker' as const),
      fromAt: fc.integer({ min: 0, max: 10 * D }),
      toAt: fc.option(fc.integer({ min: 0, max: 20 * D })),
    });
    fc.assert(
      fc.property(fc.array(gate, { maxLength: 8 }), fc.integer({ min: 0, max: 20 * D }), (gates, now) => {
        const end = slowEnd(D, gates, now) ?? 0;
        const all = gates.reduce((sum, { fromAt, toAt }) => sum + Math.max(0, (toAt ?? now) - fromAt), 0);
        expect(end).toBeGreaterThanOrEqual(3 * D);
        expect(end).toBeLessThanOrEqual(3 * D + all);
      }),
    );
  });
});

describe('the deadline', () => {
  const at = (slowStartedAt: number | null, gates: readonly GateInterval[] = []) =>
    deadlineOf({ state: { ...FIRST, slowStartedAt }, facts: FACTS, ladder: LADDER, gates, now: 0 });

  it('R-LAD-3 R-LAD-4 is the earlier of the two, and says which', () => {
    expect(at(null)).toEqual({ at: 30 * D, reason: 'too_old' });
    expect(at(5 * D)).toEqual({ at: 7 * D, reason: 'slow_window_over' });
    expect(at(29 * D)).toEqual({ at: 30 * D, reason: 'too_old' });
  });

  it('R-FAIL-8 a pause extends the slow window and not the age', () => {
    expect(at(27 * D, [pause(27 * D, 34 * D)])).toEqual({ at: 30 * D, reason: 'too_old' });
  });
});
