import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { beginCycle } from '@/server/core/cycle';
import type { Claim, Store } from '@/server/ports/store';
import { createTestPostgresStore } from '@/server/testing/temp-postgres';
import {
  ANSWER,
  type Bed,
  createBed,
  DOWN,
  MINUTE,
  NO_BREAKER,
  SECOND,
  T0,
  TWO_LADDER,
  WITH_BREAKER,
} from '../conformance/bed.conformance';
import { poolOf } from './store';

const ENGINES = 4;

interface Installation {
  bed: Bed;
  engines: readonly Store[];
  /** A connection beside the stores. */
  beside: pg.Client;
}

/** One database with four stores on it, as four engine processes have. */
async function withEngines(work: (at: Installation) => Promise<void>, policy = NO_BREAKER): Promise<void> {
  const store = await createTestPostgresStore();
  const others = [];
  for (let n = 1; n < ENGINES; n += 1) others.push(await createTestPostgresStore({ url: store.url }));
  const beside = new pg.Client({ connectionString: store.url });
  await beside.connect();
  const nothing = async () => undefined;
  const harness = {
    store,
    another: async () => store,
    damage: nothing,
    exec: nothing,
    rows: async (sql: string) => (await beside.query(sql)).rows,
    close: nothing,
  };
  try {
    await work({ bed: await createBed(harness, policy), engines: [store, ...others], beside });
  } finally {
    await beside.end();
    for (const other of others) await other.close();
    await store.close();
  }
}

async function publishMany(bed: Bed, n: number, change: Parameters<Bed['record']>[0] = {}) {
  for (let at = 0; at < n; at += 500) {
    await bed.store.publish({
      records: Array.from({ length: Math.min(500, n - at) }, () => bed.record(change)),
    });
  }
}

describe('many engines on one PostgreSQL', () => {
  it('R-DEL-2 four that claim at once lease each of 2,000 rows once and none twice', async () => {
    await withEngines(async ({ bed, engines }) => {
      for (let n = 0; n < 10; n += 1) await bed.addEndpoint({ types: [`t${n}`] });
      for (let n = 0; n < 10; n += 1) await publishMany(bed, 200, { type: `t${n}` });
      const claimAll = async (of: Store) => {
        const seen: number[] = [];
        for (;;) {
          const request = bed.request({ slots: 25, endpointConcurrency: 1_000, endpointSlots: () => 1_000 });
          const { claims, nextDueAt } = await of.claim(request);
          seen.push(...claims.map(({ deliveryId }) => deliveryId));
          // Null: nothing is left to anyone.
          if (claims.length === 0 && nextDueAt === null) return seen;
        }
      };
      const seen = await Promise.all(engines.map(claimAll));
      const all = seen.flat();
      expect(all).toHaveLength(2_000);
      expect(new Set(all).size).toBe(2_000);
      expect(seen.filter((own) => own.length > 0).length).toBeGreaterThan(1);
    });
  }, 120_000);

  it('R-DEL-8 a cap holds over all engines at every instant, while they claim and settle at once', async () => {
    await withEngines(async ({ bed, engines }) => {
      const narrow = await bed.addEndpoint({ concurrency: 3 });
      await publishMany(bed, 120);
      const running = new Set<string>();
      let most = 0;
      let settled = 0;
      const work = async (of: Store) => {
        while (settled < 120) {
          const claims = await bed.claim({ slots: 8, endpointSlots: () => 8 }, of);
          for (const claimed of claims) running.add(claimed.token);
          most = Math.max(most, running.size);
          for (const claimed of claims) {
            // It counts as running until it is settled: a lease ends only by then.
            running.delete(claimed.token);
            await bed.settle([bed.endOf(claimed, ANSWER(200), T0 + 1)], of);
            settled += 1;
          }
          const [leased] = await bed.rows(
            `SELECT count(*)::int AS n FROM deliveries WHERE endpoint_id = ${narrow.id} AND lease_until IS NOT NULL`,
          );
          expect(leased?.['n']).toBeLessThanOrEqual(3);
        }
      };
      await Promise.all(engines.map(work));
      expect(settled).toBe(120);
      expect(most).toBeLessThanOrEqual(3);
      expect(await bed.rows("SELECT count(*)::int AS n FROM deliveries WHERE status = 'delivered'")).toEqual([
        { n: 120 },
      ]);
    });
  }, 120_000);

  it.each([
    ['endpoint', WITH_BREAKER],
    ['app', TWO_LADDER],
  ] as const)(
    'R-BRK-3 of four engines that claim at once one gets the probe, each time (%s scope)',
    async (_scope, policy) => {
      await withEngines(async ({ bed, engines }) => {
        await bed.addEndpoint();
        await bed.addEndpoint();
        await publishMany(bed, 10);
        const first = await bed.claim();
        await bed.settle(first.map((claimed) => bed.endOf(claimed, DOWN, T0 + 5)));
        const open = await bed.store.read.breakers('not_closed');
        expect(open.length).toBe(policy === TWO_LADDER ? 1 : 2);
        let now = T0 + 5;
        for (let round = 0; round < 4; round += 1) {
          now += 40 * MINUTE;
          const at = now;
          const found = await Promise.all(engines.map((of) => bed.claim({ now: at }, of)));
          const probes = found.flat();
          expect(probes.map(({ probe }) => probe)).toEqual(open.map(() => true));
          await Promise.all(
            probes.map((claimed, nth) =>
              bed.settle([bed.endOf(claimed, DOWN, at + 10)], engines[nth % ENGINES]),
            ),
          );
          now += 20;
        }
        for (const { id } of open) {
          const kinds = (await bed.store.read.breakerEvents(id, 100)).map(({ kind }) => kind).reverse();
          expect(kinds).toEqual([
            'opened',
            ...Array.from({ length: 4 }, () => ['probe_leased', 'probe_failed']).flat(),
          ]);
        }
      }, policy);
    },
    120_000,
  );

  it('R-BRK-1 failures that several engines settle at once open the breaker with the fifth', async () => {
    await withEngines(async ({ bed, engines }) => {
      await bed.addEndpoint();
      await bed.addEndpoint();
      await publishMany(bed, 4);
      const claims = await bed.claim();
      expect(claims).toHaveLength(8);
      const five = claims.slice(0, 5);
      await Promise.all(
        five.map((claimed, nth) => bed.settle([bed.endOf(claimed, DOWN, T0 + 5)], engines[nth % ENGINES])),
      );
      const [breaker, ...more] = await bed.store.read.breakers({ appId: bed.app.id, environment: 'test' });
      expect(more).toEqual([]);
      expect(breaker).toMatchObject({ state: 'open', epoch: 2, endpointId: null });
      expect(breaker?.openedBy).toHaveLength(5);
    }, TWO_LADDER);
  }, 60_000);

  it('R-DEL-8 a transaction that hangs on one endpoint keeps no other endpoint from being claimed', async () => {
    await withEngines(async ({ bed, beside }) => {
      const stuck = await bed.addEndpoint({ types: ['stuck'] });
      const free = await bed.addEndpoint({ types: ['free'] });
      await publishMany(bed, 3, { type: 'stuck' });
      await publishMany(bed, 3, { type: 'free' });
      await beside.query('BEGIN');
      await beside.query('SELECT 1 FROM endpoints WHERE id = $1 FOR UPDATE', [stuck.id]);
      const batch = await bed.store.claim(bed.request());
      expect(batch.claims.map(({ endpointId }) => endpointId)).toEqual([free.id, free.id, free.id]);
      // It comes back at once for what it passed over.
      expect(batch.nextDueAt).toBe(T0);
      await beside.query('COMMIT');
      expect(await bed.claim()).toHaveLength(3);
    });
  }, 60_000);

  it('R-DEL-8 rows that another transaction holds are passed over, never waited for', async () => {
    await withEngines(async ({ bed, beside }) => {
      await bed.addEndpoint();
      const ids = [await bed.publishOne(), await bed.publishOne(), await bed.publishOne()];
      await beside.query('BEGIN');
      await beside.query('SELECT 1 FROM deliveries WHERE id = $1 FOR UPDATE', [ids[0]]);
      expect((await bed.claim()).map(({ deliveryId }) => deliveryId)).toEqual(ids.slice(1));
      await beside.query('COMMIT');
      expect(await bed.claimOne()).toMatchObject({ deliveryId: ids[0] });
    });
  }, 60_000);

  it('R-DEL-2 R-RES-2 a resend and a settle of the same delivery at once lose neither', async () => {
    await withEngines(async ({ bed, engines }) => {
      await bed.addEndpoint();
      for (let n = 0; n < 12; n += 1) {
        const id = await bed.publishOne({ createdAt: T0 });
        const [claimed] = (await bed.claim()).filter(({ deliveryId }) => deliveryId === id);
        const resend = engines[1]!.transact(async (tx) => {
          const row = await tx.delivery(id);
          if (row === null) throw new Error('gone');
          const next = beginCycle(row, { facts: row, ladder: NO_BREAKER, now: T0 + 2, trigger: 'resend' });
          await tx.updateDelivery(id, next, { actor: 'user:9' });
        });
        await Promise.all([resend, bed.settle([bed.endOf(claimed as Claim, DOWN, T0 + 1)], engines[2])]);
        expect(await bed.delivery(id)).toMatchObject({ cycle: 2, attempts: 1, dueAt: T0 + 2, lease: null });
      }
    });
  }, 60_000);

  it('R-DEL-4 an endpoint is deleted while its deliveries are claimed, settled and published', async () => {
    await withEngines(async ({ bed, engines }) => {
      for (let n = 0; n < 6; n += 1) {
        const doomed = await bed.addEndpoint({ types: ['doomed'] });
        await publishMany(bed, 30, { type: 'doomed' });
        const claims = await bed.claim({ endpointSlots: () => 10 });
        const ends = claims.map((claimed, nth) =>
          bed.endOf(claimed, nth % 2 === 0 ? DOWN : ANSWER(200), T0 + 1),
        );
        const results = await Promise.allSettled([
          bed.settle(ends, engines[0]),
          engines[1]!.transact((tx) => tx.deleteEndpoint(doomed.id)),
          bed.claim({}, engines[2]),
          ...Array.from({ length: 5 }, () =>
            engines[3]!.publish({ records: [bed.record({ type: 'doomed' })] }),
          ),
        ]);
        expect(results.filter(({ status }) => status === 'rejected')).toEqual([]);
        expect(await bed.store.read.endpointById(doomed.id)).toBeNull();
        const [left] = await bed.rows(
          `SELECT count(*)::int AS n FROM deliveries WHERE endpoint_id = ${doomed.id}`,
        );
        expect(left?.['n']).toBe(0);
      }
    });
  }, 120_000);

  it('R-PUB-3 an event that waits for an endpoint is seen by the one that comes at the same time', async () => {
    await withEngines(async ({ bed, engines }) => {
      for (let n = 0; n < 8; n += 1) {
        const type = `kind.${n}`;
        const assign = engines[1]!.transact(async (tx) => {
          const endpoint = await tx.insertEndpoint({
            publicId: bed.id('ep'),
            scope: { appId: bed.app.id, environment: 'test' },
            url: 'https://hooks.example.com/in',
            description: '',
            types: [type],
            headerNames: [],
            sealedHeaders: null,
            policyId: null,
            concurrency: null,
            now: T0,
          });
          const waiting = await tx.deliveries({
            appId: bed.app.id,
            environment: 'test',
            status: 'pending',
            reason: 'no_endpoint',
            limit: 100,
          });
          for (const row of waiting.filter((each) => each.type === type)) {
            await tx.updateDelivery(
              row.id,
              { ...row, reason: 'waiting', dueAt: T0 },
              { endpointId: endpoint.id },
            );
          }
        });
        const published = Promise.all(
          Array.from({ length: 3 }, () => engines[0]!.publish({ records: [bed.record({ type })] })),
        );
        await Promise.all([assign, published]);
      }
      expect(await bed.rows('SELECT count(*)::int AS n FROM deliveries WHERE endpoint_id IS NULL')).toEqual([
        { n: 0 },
      ]);
    }, TWO_LADDER);
  }, 120_000);

  it('R-LAD-8 R-RES-3 services that decide by what they read are alone with it: versions, and the twenty tests a minute', async () => {
    await withEngines(async ({ bed, engines }) => {
      const scope = { appId: bed.app.id, environment: 'test' as const };
      const rows = await Promise.all(
        engines.map((of, nth) => of.transact((tx) => tx.insertPolicy(scope, WITH_BREAKER, T0 + nth))),
      );
      expect(rows.map(({ version }) => version).sort()).toEqual([2, 3, 4, 5]);
      const count = { appId: bed.app.id, action: 'endpoint.test', since: T0 - MINUTE, limit: 3 };
      const send = (of: Store) =>
        of.transact(async (tx) => {
          if ((await tx.auditCount(count)).length >= 3) return false;
          await tx.insertAudit({
            ...scope,
            organizationId: 'org_1',
            at: T0,
            actorKind: 'user',
            actorId: 'usr_1',
            action: 'endpoint.test',
            objectId: null,
            result: 'ok',
            requestId: 'req',
            detail: {},
          });
          return true;
        });
      const sent = await Promise.all([...engines, ...engines].map(send));
      expect(sent.filter(Boolean)).toHaveLength(3);
    });
  }, 60_000);

  it('P09 a process that stops inside a transaction loses it after five seconds, and with it its locks', async () => {
    await withEngines(async ({ bed, engines }) => {
      await bed.addEndpoint();
      await publishMany(bed, 2);
      const stopped = await poolOf(engines[1]!).connect();
      await stopped.query('BEGIN');
      await stopped.query('SELECT 1 FROM endpoints FOR UPDATE');
      const startedAt = performance.now();
      let claims: readonly Claim[] = [];
      while (claims.length === 0 && performance.now() - startedAt < 20_000) claims = await bed.claim();
      expect(claims).toHaveLength(2);
      expect(performance.now() - startedAt).toBeLessThan(5 * SECOND + 5 * SECOND);
      stopped.release(true);
    });
  }, 60_000);
});
