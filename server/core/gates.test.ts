import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { freshHealth, pendingState } from '@/server/testing/core-loop';
import { closedBreaker } from './breaker';
import {
  chooseProbe,
  derivedReason,
  type GateInput,
  gateOf,
  leaseMs,
  mayProbe,
  probeIsDue,
  testPasses,
} from './gates';
import type { HeldReason } from './model';
import { PRESETS } from './policy';

const OPEN = { ...closedBreaker(), state: 'open', probeAt: 500, pauseMs: 500 } as const;
const LEASED = { ...OPEN, state: 'half_open', probeDeliveryId: 3, probeToken: 't' } as const;

function input(change: Partial<GateInput> = {}): GateInput {
  return { health: freshHealth(), breaker: null, scope: null, now: 100, ...change };
}

describe('the gate of an endpoint', () => {
  it('R-DEL-6 is none where nothing holds', () => {
    expect(gateOf(input())).toBeNull();
    expect(gateOf(input({ breaker: closedBreaker(), scope: 'app' }))).toBeNull();
  });

  it('R-DEL-6 disabled before pause before unsigned before breaker', () => {
    const breaker = { breaker: OPEN, scope: 'endpoint' } as const;
    const unsigned = { unsignedSince: 10, unsignedRetryAt: 160 };
    const paused = { ...unsigned, pausedUntil: 900 };
    const disabled = { ...paused, status: 'auto_disabled' } as const;
    const gate = (health: Partial<GateInput['health']>) =>
      gateOf(input({ ...breaker, health: freshHealth(health) }));
    expect(gate(disabled)).toEqual({ kind: 'endpoint_disabled', until: null });
    expect(gate(paused)).toEqual({ kind: 'held_by_pause', until: 900 });
    expect(gate(unsigned)).toEqual({ kind: 'held_unsigned', until: 160 });
    expect(gate({})).toEqual({ kind: 'held_by_breaker', until: 500 });
  });

  it('R-FAIL-7 a pause ends by itself', () => {
    const gate = (now: number) =>
      gateOf(input({ health: freshHealth({ pausedUntil: 900 }), now }))?.kind ?? null;
    expect([gate(899), gate(900)]).toEqual(['held_by_pause', null]);
  });

  it('R-ATT-9 an unopened secret lets a try through once its time has come', () => {
    const health = freshHealth({ unsignedSince: 10, unsignedRetryAt: 160 });
    expect(gateOf(input({ health, now: 159 }))?.kind).toBe('held_unsigned');
    expect(gateOf(input({ health, now: 160 }))).toBeNull();
    expect(gateOf(input({ health: freshHealth({ unsignedSince: 10 }) }))).toEqual({
      kind: 'held_unsigned',
      until: null,
    });
  });

  it('R-BRK-3 holds until the probe, and from then on until nobody knows when', () => {
    const gate = (breaker: GateInput['breaker'], now: number) =>
      gateOf(input({ breaker, scope: 'endpoint', now }));
    expect(gate(OPEN, 499)).toEqual({ kind: 'held_by_breaker', until: 500 });
    expect(gate(OPEN, 500)).toEqual({ kind: 'held_by_breaker', until: null });
    expect(gate(LEASED, 100)).toEqual({ kind: 'held_by_breaker', until: null });
  });

  it('R-BRK-3 passes in `app` scope an endpoint whose last counted end was reachable, in `endpoint` scope none', () => {
    const health = freshHealth({ lastEndReachable: true });
    expect(gateOf(input({ health, breaker: OPEN, scope: 'app' }))).toBeNull();
    expect(mayProbe(input({ health, breaker: OPEN, scope: 'app' }))).toBe(false);
    expect(gateOf(input({ health, breaker: OPEN, scope: 'endpoint' }))?.kind).toBe('held_by_breaker');
  });

  it('R-BRK-11 obeys no breaker that its policy does not name', () => {
    expect(gateOf(input({ breaker: OPEN, scope: null }))).toBeNull();
  });
});

describe('the probe', () => {
  it('R-BRK-3 is due at its instant, one at a time', () => {
    expect([499, 500].map((now) => probeIsDue(OPEN, now))).toEqual([false, true]);
    expect(probeIsDue(LEASED, 900)).toBe(false);
    expect(probeIsDue(closedBreaker(), 900)).toBe(false);
    expect(probeIsDue({ ...OPEN, probeAt: null }, 0)).toBe(true);
  });

  it('R-BRK-3 there is none while another gate holds the endpoint', () => {
    expect(mayProbe(input({ breaker: OPEN, scope: 'app', now: 600 }))).toBe(true);
    const health = freshHealth({ pausedUntil: 900 });
    expect(mayProbe(input({ health, breaker: OPEN, scope: 'app', now: 600 }))).toBe(false);
    expect(mayProbe(input({ breaker: closedBreaker(), scope: 'app' }))).toBe(false);
  });

  it('R-BRK-3 is the one with the fewest fast attempts, the longest due among equals', () => {
    expect(chooseProbe([])).toBeNull();
    const chosen = chooseProbe([
      { id: 1, fast: 3, dueAt: 10 },
      { id: 2, fast: 1, dueAt: 40 },
      { id: 3, fast: 1, dueAt: 20 },
      { id: 4, fast: 2, dueAt: 5 },
    ]);
    expect(chosen?.id).toBe(3);
  });

  it('R-BRK-3 is among the 200 longest due', () => {
    const old = Array.from({ length: 200 }, (_, id) => ({ id, fast: 5, dueAt: id }));
    expect(chooseProbe([{ id: 900, fast: 0, dueAt: 1_000 }, ...old])?.id).toBe(0);
    expect(chooseProbe([{ id: 900, fast: 0, dueAt: 1_000 }, ...old.slice(1)])?.id).toBe(900);
  });

  it('R-BRK-3 rotates: probing burns nobody while another has used less', () => {
    const aCandidate = fc.record({
      id: fc.integer({ min: 1, max: 500 }),
      fast: fc.integer({ min: 0, max: 9 }),
      dueAt: fc.integer({ min: 0, max: 99 }),
    });
    fc.assert(
      fc.property(
        fc.uniqueArray(aCandidate, { selector: ({ id }) => id, minLength: 1, maxLength: 50 }),
        (candidates) => {
          const chosen = chooseProbe(candidates);
          expect(chosen?.fast).toBe(Math.min(...candidates.map(({ fast }) => fast)));
        },
      ),
    );
  });
});

it('R-DEL-8 a lease lasts the timeout and 20 s, and 30 s at least', () => {
  expect([1_000, 10_000, 15_000, 30_000].map(leaseMs)).toEqual([30_000, 30_000, 35_000, 50_000]);
});

it('R-RES-3 the first attempt of a test passes every gate but the signature’s; its retries pass none', () => {
  const kinds: HeldReason[] = [
    'endpoint_disabled',
    'held_by_pause',
    'held_unsigned',
    'held_by_breaker',
    'rate_limited',
  ];
  expect(kinds.filter((kind) => !testPasses('test', kind))).toEqual(['held_unsigned']);
  expect(kinds.filter((kind) => testPasses('retry', kind))).toEqual([]);
});

describe('the reason as it is read', () => {
  const state = pendingState(PRESETS.standard, { dueAt: 50 });
  const paused = freshHealth({ pausedUntil: 900 });
  const read = (change: Partial<Parameters<typeof derivedReason>[0]>) =>
    derivedReason({ ...input({ health: paused }), state, inFlight: false, ...change });

  it('R-DEL-6 is the held one for a due delivery behind a gate, with its end', () => {
    expect(read({})).toEqual({ reason: 'held_by_pause', heldBy: 'held_by_pause', heldUntil: 900 });
  });

  it('R-DEL-6 is the stored one for what is not due, in flight, over, or behind no gate', () => {
    const stored = { reason: 'waiting', heldBy: null, heldUntil: null };
    expect(read({ now: 49 })).toEqual(stored);
    expect(read({ inFlight: true })).toEqual(stored);
    expect(read({ health: freshHealth() })).toEqual(stored);
    expect(read({ state: { ...state, status: 'failed', reason: 'too_old', dueAt: null } })).toEqual({
      reason: 'too_old',
      heldBy: null,
      heldUntil: null,
    });
    expect(read({ state: { ...state, nextTrigger: 'test' } })).toEqual(stored);
  });

  it('R-DEL-6 R-DEL-9 the rate comes last', () => {
    expect(read({ rate: { until: 120 } }).reason).toBe('held_by_pause');
    expect(read({ health: freshHealth(), rate: { until: 120 } })).toEqual({
      reason: 'rate_limited',
      heldBy: 'rate_limited',
      heldUntil: 120,
    });
  });

  it('R-ATT-9 R-DEL-6 a secret outage is shown between two tries too', () => {
    const health = freshHealth({ unsignedSince: 10, unsignedRetryAt: 90 });
    expect(read({ health })).toEqual({ reason: 'held_unsigned', heldBy: 'held_unsigned', heldUntil: 90 });
  });
});
