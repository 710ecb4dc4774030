import { describe, expect, it } from 'vitest';
import { createFakeClock } from '@/server/testing/fake-clock';
import { createWakeups } from './wakeups';

describe('wakeups', () => {
  it('R-PUB-6 a kick makes a turn with no timer advanced, and many kicks make one', async () => {
    const clock = createFakeClock();
    let turns = 0;
    const wakeups = createWakeups({
      clock,
      longestSleepMs: 5_000,
      turn: async () => {
        turns += 1;
        return null;
      },
    });
    wakeups.kick();
    wakeups.kick();
    wakeups.kick();
    await clock.settle();
    expect(turns).toBe(1);
    await wakeups.stop();
  });

  it('R-PUB-6 a lost kick costs at most 5 s: no sleep is longer, whatever the next due instant', async () => {
    const clock = createFakeClock();
    const at: number[] = [];
    const start = clock.now();
    const wakeups = createWakeups({
      clock,
      longestSleepMs: 5_000,
      turn: async () => {
        at.push(clock.now() - start);
        return at.length === 1 ? start + 1_200 : start + 3_600_000;
      },
    });
    wakeups.kick();
    await clock.advance(12_000);
    expect(at).toEqual([0, 1_200, 6_200, 11_200]);
    expect(clock.pending).toBe(1);
    await wakeups.stop();
    expect(clock.pending).toBe(0);
  });

  it('R-PUB-6 a kick during a turn is not lost and turns never overlap', async () => {
    const clock = createFakeClock();
    let running = 0;
    let most = 0;
    let turns = 0;
    const wakeups = createWakeups({
      clock,
      longestSleepMs: 5_000,
      turn: async () => {
        turns += 1;
        running += 1;
        most = Math.max(most, running);
        if (turns === 1) wakeups.kick();
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        return null;
      },
    });
    wakeups.kick();
    await clock.settle();
    await clock.settle();
    expect({ turns, most }).toEqual({ turns: 2, most: 1 });
    await wakeups.stop();
  });
});
