import type pg from 'pg';
import { expect, it } from 'vitest';
import { createTestPostgresStore } from '@/server/testing/temp-postgres';
import { createBed } from '../conformance/bed.conformance';
import { createStatistics } from './statistics';
import { poolOf } from './store';

it('R-DEL-8 the planner is told what a table holds that has just been filled', async () => {
  const store = await createTestPostgresStore();
  const nothing = async () => undefined;
  const rows = async () => [];
  const bed = await createBed({
    store,
    another: async () => store,
    damage: nothing,
    exec: nothing,
    rows,
    close: nothing,
  });
  await bed.addEndpoint();
  const known = async () => {
    const found = await poolOf(store).query("SELECT reltuples FROM pg_class WHERE relname = 'deliveries'");
    return Number(found.rows[0]?.reltuples);
  };
  await store.publish({ records: Array.from({ length: 300 }, () => bed.record()) });
  expect(await known()).toBe(-1);
  await store.publish({ records: Array.from({ length: 300 }, () => bed.record()) });
  await expect.poll(known).toBe(600);
  await store.close();
});

it('R-DEL-8 it is told the more rarely the more there is, never twice at once, and a failure stops nothing', async () => {
  const ends: ((error?: Error) => void)[] = [];
  const warnings: string[] = [];
  const pool = {
    query: () =>
      new Promise((resolve, reject) => ends.push((error) => (error ? reject(error) : resolve({})))),
  } as unknown as pg.Pool;
  const statistics = createStatistics(pool, (event) => void warnings.push(event));
  const finish = async (nth: number, error?: Error) => {
    ends[nth]?.(error);
    await statistics.close();
  };
  statistics.grew(499);
  expect(ends).toHaveLength(0);
  statistics.grew(1);
  statistics.grew(5_000);
  expect(ends).toHaveLength(1);
  await finish(0, new Error('no connection'));
  expect(warnings).toEqual(['statistics_not_renewed']);
  statistics.grew(0);
  expect(ends).toHaveLength(2);
  await finish(1);
  statistics.grew(7_999);
  expect(ends).toHaveLength(2);
  statistics.grew(1);
  expect(ends).toHaveLength(3);
  await finish(2);
});
