import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createSystemClock, MAX_TIMER_MS } from '@/server/adapters/system-clock';

const DAY_MS = 86_400_000;

describe('the system clock', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: Date.UTC(2026, 0, 1) });
  });
  afterEach(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  it('R-LAD-9 P20 a wait of 30 days is a chain: no timer above 2^31−1 ms, fired at its instant and once', () => {
    const setTimeoutSpy = vi.spyOn(globalThis, 'setTimeout');
    const clock = createSystemClock();
    const fired: number[] = [];
    clock.setTimer(clock.now() + 30 * DAY_MS, () => fired.push(clock.now()));
    vi.advanceTimersByTime(30 * DAY_MS - 1);
    expect(fired).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(fired).toEqual([Date.UTC(2026, 0, 31)]);
    vi.advanceTimersByTime(60 * DAY_MS);
    expect(fired).toHaveLength(1);
    const waits = setTimeoutSpy.mock.calls.map((call) => Number(call[1]));
    expect(waits).toEqual([MAX_TIMER_MS, 30 * DAY_MS - MAX_TIMER_MS]);
    expect(Math.max(...waits)).toBeLessThanOrEqual(2_147_483_647);
  });

  it('R-LAD-9 a chained timer can be cancelled in its second link', () => {
    const clock = createSystemClock();
    let fired = 0;
    const cancel = clock.setTimer(clock.now() + 30 * DAY_MS, () => {
      fired += 1;
    });
    vi.advanceTimersByTime(MAX_TIMER_MS + 1000);
    cancel();
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(30 * DAY_MS);
    expect(fired).toBe(0);
  });

  it('R-LAD-9 an instant that has passed fires on a later turn, not inside the call', () => {
    const clock = createSystemClock();
    let fired = 0;
    clock.setTimer(clock.now() - 5, () => {
      fired += 1;
    });
    expect(fired).toBe(0);
    vi.advanceTimersByTime(0);
    expect(fired).toBe(1);
  });

  it('R-TIM-1 after a step back the timer waits on for the step', () => {
    const clock = createSystemClock();
    const firedAt: number[] = [];
    const start = clock.now();
    clock.setTimer(start + 1000, () => firedAt.push(clock.now()));
    vi.setSystemTime(start - 500);
    vi.advanceTimersByTime(1499);
    expect(firedAt).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(firedAt).toEqual([start + 1000]);
  });
});
