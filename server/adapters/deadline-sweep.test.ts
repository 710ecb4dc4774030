import { describe, expect, it } from 'vitest';
import { type Deadlined, DeadlineSweep, type Scheduler, systemScheduler } from './deadline-sweep';

class HandClock implements Scheduler {
  now = 1_000.25;
  timers = 0;
  armed: { fn: () => void; at: number } | null = null;

  nowMs(): number {
    return this.now;
  }

  setTimer(fn: () => void, delayMs: number): () => void {
    expect(this.armed).toBeNull();
    this.timers += 1;
    const mine = { fn, at: this.now + delayMs };
    this.armed = mine;
    return () => {
      if (this.armed === mine) this.armed = null;
    };
  }

  advance(ms: number): void {
    const until = this.now + ms;
    while (this.armed !== null && this.armed.at <= until) {
      const { fn, at } = this.armed;
      this.armed = null;
      this.now = at;
      fn();
    }
    this.now = until;
  }
}

function setUp() {
  const clock = new HandClock();
  const sweep = new DeadlineSweep(clock);
  const expired: [string, number][] = [];
  const add = (name: string, limitMs: number): Deadlined => {
    const entry: Deadlined = {
      deadlineAt: clock.now + limitMs,
      expire: () => void expired.push([name, Math.round(clock.now - 1_000.25)]),
      abort: () => sweep.delete(entry),
    };
    sweep.add(entry, limitMs);
    return entry;
  };
  return { clock, sweep, expired, add };
}

describe('DeadlineSweep', () => {
  it('R-ATT-2 ends each entry at its deadline, at most the grain late, and with one timer at a time', () => {
    const { clock, expired, add } = setUp();
    add('ten', 10_000);
    add('short', 300);
    clock.advance(250);
    add('half', 500);
    clock.advance(20_000);
    expect(expired).toEqual([
      ['short', 300],
      ['half', 750],
      ['ten', 10_000],
    ]);
    expect(clock.armed).toBeNull();
  });

  it('R-ATT-2 notices within 100 ms a deadline that was moved nearer', () => {
    const { clock, expired, add } = setUp();
    const entry = add('moved', 30_000);
    clock.advance(5_000);
    entry.deadlineAt = clock.now + 1_000;
    clock.advance(1_100);
    expect(expired).toHaveLength(1);
  });

  it('R-ATT-2 arms no timer for each of many, and none when all are out', () => {
    const { clock, sweep, expired, add } = setUp();
    const entries = Array.from({ length: 1_000 }, (_, index) => add(String(index), 10_000));
    expect(clock.timers).toBe(1);
    for (const entry of entries) sweep.delete(entry);
    clock.advance(60_000);
    expect(expired).toEqual([]);
    expect(clock.timers).toBe(1);
    expect(clock.armed).toBeNull();
  });

  it('R-ATT-2 an entry that is added or taken out by another one that expires is served right', () => {
    const { clock, sweep, expired, add } = setUp();
    const victim = add('victim', 100);
    const first: Deadlined = {
      deadlineAt: clock.now + 50,
      expire: () => {
        sweep.delete(victim);
        add('later', 40);
      },
      abort: () => undefined,
    };
    sweep.add(first, 50);
    clock.advance(1_000);
    expect(expired).toEqual([['later', 90]]);
  });

  it('R-DEL-11 cuts off all that is watched', () => {
    const { sweep, add } = setUp();
    add('a', 100);
    add('b', 100);
    sweep.abortAll();
    expect(sweep.size).toBe(0);
  });

  it('R-ATT-2 the system scheduler fires once, later, unless cancelled', async () => {
    const before = systemScheduler.nowMs();
    const cancel = systemScheduler.setTimer(() => expect.unreachable(), 0);
    cancel();
    const keepAlive = setTimeout(() => undefined, 1_000);
    await new Promise<void>((resolve) => systemScheduler.setTimer(resolve, 5));
    clearTimeout(keepAlive);
    expect(systemScheduler.nowMs()).toBeGreaterThan(before);
  });
});
