import { describe, expect, it } from 'vitest';
import type { Settled, SettleEnd } from '@/server/ports/store';
import { StoreUnavailable } from '@/server/ports/store-unavailable';
import { createFakeClock } from '@/server/testing/fake-clock';
import { createSettler } from './settler';

const decider = {
  needsWindow: () => false,
  decide: () => {
    throw new Error('not asked here');
  },
};
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const endOf = (deliveryId: number) => ({ deliveryId, token: `t${deliveryId}` }) as SettleEnd;

function setUp(settle: (ends: readonly SettleEnd[]) => Promise<readonly Settled[]>) {
  const clock = createFakeClock();
  const settledIds: number[] = [];
  const settler = createSettler({
    store: { settle },
    decider,
    clock,
    random: () => 0,
    log: silent,
    onSettled: (settled) => settledIds.push(...settled.map(({ end }) => end.deliveryId)),
  });
  return { clock, settler, settledIds };
}

const echo = (ends: readonly SettleEnd[]) => ends.map((end) => ({ end }) as Settled);

describe('settler', () => {
  it('R-DEL-2 ends that gather while a transaction runs share the next one, at most 200, with no timer set', async () => {
    const groups: number[] = [];
    const { clock, settler, settledIds } = setUp(async (ends) => {
      groups.push(ends.length);
      await new Promise((resolve) => setImmediate(resolve));
      return echo(ends);
    });
    settler.add(endOf(0));
    await new Promise((resolve) => setImmediate(resolve));
    for (let id = 1; id <= 450; id += 1) settler.add(endOf(id));
    await settler.flushed();
    expect(groups).toEqual([1, 200, 200, 50]);
    expect(settledIds).toHaveLength(451);
    expect(clock.timersSet).toBe(0);
  });

  it('R-DEL-11 O02 an end that cannot be written is kept, written again, and holds new claims meanwhile', async () => {
    let failures = 3;
    const seen: number[][] = [];
    const { clock, settler, settledIds } = setUp(async (ends) => {
      seen.push(ends.map((end) => end.deliveryId));
      if (failures-- > 0) throw new StoreUnavailable('busy');
      return echo(ends);
    });
    settler.add(endOf(1));
    await clock.settle();
    expect(settler.blocked).toBe(true);
    settler.add(endOf(2));
    await clock.advance(50 + 100 + 200);
    expect(seen).toEqual([[1], [1, 2], [1, 2], [1, 2]]);
    expect(settledIds).toEqual([1, 2]);
    expect(settler.blocked).toBe(false);
    expect(settler.waiting).toBe(0);
  });

  it('R-DEL-11 O12 an end that cannot be settled for a fault of ours stops no other, and is tried again', async () => {
    let broken = true;
    const { clock, settler, settledIds } = setUp(async (ends) => {
      if (broken && ends.some(({ deliveryId }) => deliveryId === 2)) throw new TypeError('a bug of ours');
      return echo(ends);
    });
    for (const id of [1, 2, 3, 4]) settler.add(endOf(id));
    await clock.settle();
    await clock.settle();
    expect(settledIds).toEqual([1, 3, 4]);
    expect(settler.blocked).toBe(false);
    broken = false;
    await clock.advance(30_000);
    expect(settledIds).toEqual([1, 3, 4, 2]);
  });
});
