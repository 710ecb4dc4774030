import { describe, expect, it } from 'vitest';
import { createFakeClock } from '@/server/testing/fake-clock';
import { createSweeps } from './sweeps';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const HOUR = 3_600_000;

function setUp(batches: number[] = []) {
  const clock = createFakeClock();
  let sweeps = 0;
  const runner = createSweeps({
    clock,
    log: silent,
    store: {
      sweep: async () => {
        sweeps += 1;
        const failed = batches.shift() ?? 0;
        return { skipped: 0, failed, more: failed === 1_000 };
      },
      drain: async () => false,
    },
  });
  return { clock, runner, count: () => sweeps };
}

describe('sweeps', () => {
  it('R-BRK-9 the expiry sweep runs each minute and goes on while a batch was full', async () => {
    const { clock, runner, count } = setUp([1_000, 1_000, 3]);
    await runner.expiry();
    expect(count()).toBe(3);
    await clock.advance(59_999);
    await runner.expiry();
    expect(count()).toBe(3);
    await clock.advance(1);
    await runner.expiry();
    expect(count()).toBe(4);
  });

  it('R-TIM-1 a step forward of more than an hour holds the sweeps until an hour has passed', async () => {
    const { clock, runner, count } = setUp();
    await runner.expiry();
    clock.stepWall(HOUR + 1);
    await clock.advance(60_000);
    await runner.expiry();
    expect(count()).toBe(1);
    await clock.advance(HOUR - 1);
    await runner.expiry();
    expect(count()).toBe(1);
    await clock.advance(1);
    await runner.expiry();
    expect(count()).toBe(2);
  });

  it('R-TIM-1 a step of an hour or back holds nothing, and a confirmed clock lets them go on', async () => {
    const { clock, runner, count } = setUp();
    await runner.expiry();
    clock.stepWall(HOUR);
    await clock.advance(60_000);
    await runner.expiry();
    clock.stepWall(-5 * HOUR);
    await clock.advance(60_000);
    await runner.expiry();
    expect(count()).toBe(3);
    clock.stepWall(9 * HOUR);
    await clock.advance(60_000);
    await runner.expiry();
    expect(count()).toBe(3);
    runner.confirmClock();
    await runner.expiry();
    expect(count()).toBe(4);
  });
});
