import { describe, expect, it } from 'vitest';
import { createFakeClock } from '@/server/testing/fake-clock';
import { createServerClock, MEASURED_EVERY_MS } from './server-clock';

/** A server whose clock is ahead, and that takes its time, as much on the way there as back. */
function createServer(aheadMs: number) {
  const clock = createFakeClock();
  const warnings: string[] = [];
  const server = {
    aheadMs,
    tookMs: [0],
    asked: 0,
    fails: false,
    measure: async () => {
      const took = server.tookMs[server.asked % server.tookMs.length] ?? 0;
      server.asked += 1;
      if (server.fails) throw new Error('no connection');
      if (took === 0) return clock.now() + server.aheadMs;
      await clock.advance(took / 2);
      const now = clock.now() + server.aheadMs;
      await clock.advance(took / 2);
      return now;
    },
  };
  const log = {
    info: () => undefined,
    warn: (event: string) => void warnings.push(event),
    error: () => undefined,
  };
  const serverClock = createServerClock({ clock, measure: () => server.measure(), log });
  return { clock, server, serverClock, warnings };
}

describe('the database server’s clock', () => {
  it.each([4_000, -4_000, 0])('R-TIM-1 now is the server’s, %d ms off', async (aheadMs) => {
    const { clock, serverClock } = createServer(aheadMs);
    expect(serverClock.now()).toBe(clock.now());
    await serverClock.start();
    expect(serverClock.now()).toBe(clock.now() + aheadMs);
    expect(serverClock.monotonic()).toBe(clock.monotonic());
    serverClock.stop();
  });

  it('R-TIM-1 of several answers the quickest counts, and half of its time is taken off', async () => {
    const { clock, server, serverClock } = createServer(1_000);
    server.tookMs = [80, 40, 2, 60, 100];
    await serverClock.start();
    expect(serverClock.now() - clock.now()).toBe(1_000);
    serverClock.stop();
  });

  it('R-TIM-1 it is measured again every 30 s; a measurement that fails leaves it as it was and is tried again', async () => {
    const { clock, server, serverClock, warnings } = createServer(1_000);
    await serverClock.start();
    const first = server.asked;
    server.aheadMs = 1_500;
    await clock.advance(MEASURED_EVERY_MS - 1);
    expect(server.asked).toBe(first);
    await clock.advance(1);
    expect(serverClock.now() - clock.now()).toBe(1_500);
    server.fails = true;
    server.aheadMs = 9_000;
    await clock.advance(MEASURED_EVERY_MS);
    expect([serverClock.now() - clock.now(), warnings]).toEqual([1_500, ['server_clock_unread']]);
    server.fails = false;
    await clock.advance(MEASURED_EVERY_MS);
    expect(serverClock.now() - clock.now()).toBe(9_000);
    serverClock.stop();
    server.aheadMs = 0;
    await clock.advance(10 * MEASURED_EVERY_MS);
    expect(serverClock.now() - clock.now()).toBe(9_000);
    expect(clock.pending).toBe(0);
  });

  it('R-TIM-1 a step of this machine’s own wall clock moves nothing', async () => {
    const { clock, serverClock } = createServer(0);
    await serverClock.start();
    const before = serverClock.now();
    clock.stepWall(3_600_000);
    expect(serverClock.now()).toBe(before);
    clock.stepWall(-7_200_000);
    expect(serverClock.now()).toBe(before);
    serverClock.stop();
  });

  it('R-TIM-1 start says when the server does not answer, and asks again 30 s later', async () => {
    const { clock, server, serverClock } = createServer(2_000);
    server.fails = true;
    await expect(serverClock.start()).rejects.toThrow('no connection');
    expect(serverClock.now()).toBe(clock.now());
    server.fails = false;
    await clock.advance(MEASURED_EVERY_MS);
    expect(serverClock.now()).toBe(clock.now() + 2_000);
    serverClock.stop();
  });

  it('R-LAD-9 a timer fires when the server’s clock is there, though the offset shrank meanwhile', async () => {
    const { clock, server, serverClock } = createServer(10_000);
    await serverClock.start();
    const fired: number[] = [];
    const at = serverClock.now() + MEASURED_EVERY_MS + 5_000;
    serverClock.setTimer(at, () => fired.push(serverClock.now()));
    const cancelled = serverClock.setTimer(at, () => fired.push(0));
    server.aheadMs = 4_000;
    await clock.advance(MEASURED_EVERY_MS + 5_000);
    expect(fired).toEqual([]);
    cancelled();
    await clock.advance(6_000);
    expect(fired).toEqual([at]);
    serverClock.stop();
  });
});
