import { describe, expect, it } from 'vitest';
import { PRESETS } from './policy';
import { type AttemptSpan, type SilenceInput, silencesOf } from './silences';

const S = 1_000;
const M = 60 * S;
const H = 60 * M;

function span(startedAt: number, change: Partial<AttemptSpan> = {}): AttemptSpan {
  return { cycle: 1, startedAt, endedAt: startedAt, ladder: 'fast', step: 1, ...change };
}

function silences(change: Partial<SilenceInput> & { pendingDueAt?: number }) {
  const { pendingDueAt, ...rest } = change;
  return silencesOf({
    state: {
      status: pendingDueAt === undefined ? 'delivered' : 'pending',
      cycle: 1,
      cycleStartedAt: 0,
      dueAt: pendingDueAt ?? null,
      endedAt: null,
    },
    facts: { eventCreatedAt: 0 },
    ladder: PRESETS['two-ladder'],
    attempts: [],
    intervals: [],
    inFlight: false,
    now: 10 * H,
    ...rest,
  });
}

const breaker = (fromAt: number, toAt: number | null) => ({ kind: 'breaker', fromAt, toAt }) as const;
const pause = (fromAt: number, toAt: number | null) => ({ kind: 'pause', fromAt, toAt }) as const;

describe('the silences of a delivery', () => {
  it('R-DEL-7 are the intervals of its gates after its due time', () => {
    // Due at 0 + 1 s; the breaker opened while it waited and closed an hour later.
    const attempts = [span(0), span(H)];
    expect(silences({ attempts, intervals: [breaker(500, H)] })).toEqual([
      { kind: 'breaker', fromAt: S, toAt: H },
    ]);
  });

  it('R-DEL-7 a gate before the due time is none, nor one after the attempt', () => {
    const attempts = [span(0, { ladder: 'slow', step: 1 }), span(15 * M)];
    expect(silences({ attempts, intervals: [pause(M, 10 * M), pause(20 * M, H)] })).toEqual([]);
  });

  it('R-DEL-7 one line for each interval, oldest first, with from, to and why', () => {
    const attempts = [span(3 * H)];
    const intervals = [pause(2 * H, 3 * H), breaker(0, H)];
    expect(silences({ attempts, intervals })).toEqual([
      { kind: 'breaker', fromAt: 0, toAt: H },
      { kind: 'pause', fromAt: 2 * H, toAt: 3 * H },
    ]);
  });

  it('R-DEL-7 a gate that holds now has no end yet, and none where it is not due or in flight', () => {
    const intervals = [breaker(H, null)];
    expect(silences({ pendingDueAt: 2 * H, intervals })).toEqual([
      { kind: 'breaker', fromAt: 2 * H, toAt: null },
    ]);
    expect(silences({ pendingDueAt: 2 * H, intervals, now: H })).toEqual([]);
    expect(silences({ pendingDueAt: 2 * H, intervals, inFlight: true })).toEqual([]);
  });

  it('R-DEL-7 an attempt that was lost was due again at once', () => {
    const attempts = [span(0, { ladder: null, step: null }), span(H)];
    expect(silences({ attempts, intervals: [pause(M, H)] })).toEqual([{ kind: 'pause', fromAt: M, toAt: H }]);
  });

  it('R-DEL-7 R-RES-1 a new cycle is due from when it began', () => {
    const state = {
      status: 'delivered',
      cycle: 2,
      cycleStartedAt: 3 * H,
      dueAt: null,
      endedAt: 4 * H,
    } as const;
    const attempts = [span(0), span(4 * H, { cycle: 2 })];
    expect(silences({ state, attempts, intervals: [breaker(H, 4 * H)] })).toEqual([
      { kind: 'breaker', fromAt: 3 * H, toAt: 4 * H },
    ]);
  });

  it('R-DEL-7 what ended behind a gate was silent until its end', () => {
    const state = { status: 'failed', cycle: 1, cycleStartedAt: 0, dueAt: null, endedAt: 9 * H } as const;
    expect(silences({ state, attempts: [span(0)], intervals: [pause(H, null)] })).toEqual([
      { kind: 'pause', fromAt: H, toAt: 9 * H },
    ]);
    expect(silences({ state: { ...state, status: 'skipped' }, intervals: [pause(H, 2 * H)] })).toEqual([
      { kind: 'pause', fromAt: H, toAt: 2 * H },
    ]);
  });
});
