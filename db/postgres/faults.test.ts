import { connect as connectTo, createServer, type Socket } from 'node:net';
import pg from 'pg';
import { describe, expect, it, vi } from 'vitest';
import { createTestPostgres, createTestPostgresStore } from '@/server/testing/temp-postgres';
import { ANSWER, type Bed, createBed, DOWN, T0, WITH_BREAKER } from '../conformance/bed.conformance';
import { openPool } from './connect';
import { createPostgresStore, poolOf } from './store';

async function openBed(options: Parameters<typeof createTestPostgresStore>[0] = {}, policy = WITH_BREAKER) {
  const store = await createTestPostgresStore(options);
  const beside = new pg.Client({ connectionString: store.url });
  await beside.connect();
  const nothing = async () => undefined;
  const harness = {
    store,
    another: async () => store,
    damage: nothing,
    exec: nothing,
    rows: async (sql: string) => (await beside.query(sql)).rows,
    close: async () => {
      await beside.end();
      await store.close();
    },
  };
  return { bed: await createBed(harness, policy), store, beside };
}

/** Every connection of the stores is cut, as when the server restarts. */
const cutAll = (beside: pg.Client) =>
  beside.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE application_name LIKE 'hookladder%' AND datname = current_database()`,
  );

/** A way to the server that can be cut at the very byte. */
async function openCable(url: string) {
  const there = new URL(url);
  const sockets = new Set<Socket>();
  let until: ((sent: string) => boolean) | null = null;
  const server = createServer((from) => {
    const to = connectTo(Number(there.port), there.hostname);
    for (const socket of [from, to]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => void sockets.delete(socket));
    }
    from.on('data', (chunk) => {
      to.write(chunk);
      if (until?.(chunk.toString('latin1')) !== true) return;
      until = null;
      // What was sent arrives; the answer does not.
      from.destroy();
    });
    to.pipe(from);
    from.on('close', () => void to.end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const here = new URL(url);
  here.port = String((server.address() as { port: number }).port);
  return {
    url: here.toString(),
    cutAfter: (is: (sent: string) => boolean) => {
      until = is;
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Every statement that a store sends, while `work` runs. */
async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  const sent: string[] = [];
  const query = pg.Client.prototype.query;
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    const [what] = args;
    sent.push(typeof what === 'string' ? what : String((what as { text?: string }).text));
    return Reflect.apply(query, this, args);
  } as typeof query);
  await work();
  vi.restoreAllMocks();
  return sent;
}

describe('PostgreSQL when something fails', () => {
  it('P22 the server goes and comes back: what is called meanwhile says so, and the same store goes on', async () => {
    const { bed, store, beside } = await openBed();
    await bed.addEndpoint();
    await bed.publish();
    await cutAll(beside);
    await store.listening();
    expect((await bed.publish()).deliveries).toHaveLength(1);
    await beside.query('SELECT 1');
    const claims = await bed.claim();
    expect(claims).toHaveLength(2);
    await cutAll(beside);
    const results = await Promise.allSettled([
      store.publish({ records: [bed.record()] }),
      bed.settle(claims.map((claimed) => bed.endOf(claimed, ANSWER(200), T0 + 5))),
      store.read.app(bed.app.publicId),
    ]);
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'store_unavailable' });
    }
    await bed.settle(claims.map((claimed) => bed.endOf(claimed, ANSWER(200), T0 + 5)));
    expect(await bed.delivery(claims[0]?.deliveryId ?? 0)).toMatchObject({
      status: 'delivered',
      attempts: 1,
    });
    await bed.close();
  });

  it('P22 a server that is not there is no error of its own kind: unavailable, for every kind of call', async () => {
    const store = createPostgresStore({
      url: 'postgres://postgres@127.0.0.1:1/none',
      newId: (prefix) => `${prefix}_1`,
    });
    const calls: (() => Promise<unknown>)[] = [
      () => store.read.app('app_1'),
      () => store.read.events({ appId: 1, environment: 'test', limit: 1, order: 'asc' }),
      () => store.transact((tx) => tx.setMeta('a', 'b')),
      () => store.publish({ records: [] }),
      () => store.expiredLeases({ now: T0, maxLeaseMs: 1, limit: 1 }),
      () => store.sweep({ now: T0, limit: 1 }),
      () => store.drain({ now: T0, limit: 1 }),
      () => store.serverTime(),
    ];
    for (const call of calls)
      await expect(call()).rejects.toMatchObject({ code: 'store_unavailable', fault: 'io' });
    await store.close();
    await expect(store.publish({ records: [] })).rejects.toMatchObject({ fault: 'closed' });
  });

  it('R-PUB-1 a transaction that is cut before its commit leaves nothing, and says that it may be tried again', async () => {
    const { bed, store } = await openBed();
    await bed.addEndpoint();
    const record = bed.record();
    const cut = store.transact(async (tx) => {
      await tx.publish({ records: [record] });
      const pool = poolOf(store);
      await pool.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE state = 'idle in transaction' AND datname = current_database()`,
      );
      await tx.setMeta('a', 'b');
    });
    await expect(cut).rejects.toMatchObject({ code: 'store_unavailable', fault: 'io' });
    expect(await store.read.event(record.publicId)).toBeNull();
    expect(await store.publish({ records: [record] })).toMatchObject({ kind: 'published' });
    await bed.close();
  });

  it('R-PUB-1 R-DEL-2 cut in the very commit nobody knows: it is not called unavailable, and settled again it counts once', async () => {
    const database = await createTestPostgres();
    const cable = await openCable(database.url);
    const { bed } = await openBed({ url: cable.url });
    await bed.addEndpoint();
    const record = bed.record();
    const isCommit = (sent: string) => sent.includes('COMMIT');
    cable.cutAfter(isCommit);
    await expect(bed.store.publish({ records: [record] })).rejects.toThrow(/nobody knows/i);
    expect(await bed.store.read.event(record.publicId)).not.toBeNull();
    const [claimed] = await bed.claim();
    const ends = [bed.endOf(claimed!, DOWN, T0 + 5)];
    cable.cutAfter(isCommit);
    await expect(bed.settle(ends)).rejects.toThrow(/nobody knows/i);
    const [again] = await bed.settle(ends);
    expect(again?.decision).toMatchObject({ dropped: 'lease_lost' });
    expect(await bed.delivery(claimed!.deliveryId)).toMatchObject({ attempts: 1, fast: 1, lease: null });
    expect(await bed.rows('SELECT count(*)::int AS n FROM attempts')).toEqual([{ n: 1 }]);
    await bed.close();
    await cable.close();
    await database.drop();
  });

  it('P24 two transactions that meet in a circle: one is begun anew, and both come to their end', async () => {
    const { bed, store } = await openBed();
    const ids = [(await bed.addEndpoint()).id, (await bed.addEndpoint()).id];
    let met = 0;
    let runs = 0;
    let both = () => {};
    const meeting = new Promise<void>((resolve) => {
      both = resolve;
    });
    const touch = (first: number, second: number) =>
      store.transact(async (tx) => {
        runs += 1;
        await tx.updateEndpoint(first, { description: `${first}` }, T0 + 1);
        met += 1;
        if (met === 2) both();
        await meeting;
        await tx.updateEndpoint(second, { description: `${first}` }, T0 + 1);
      });
    await Promise.all([touch(ids[0]!, ids[1]!), touch(ids[1]!, ids[0]!)]);
    expect(runs).toBe(3);
    await bed.close();
  });

  it('D41 no value of a statement stands in the error that a failing one gives', async () => {
    const { bed, store } = await openBed();
    await bed.addEndpoint();
    const secret = 'whsec_do-not-repeat-me';
    const key = {
      publicId: 'key_1',
      organizationId: 'org_1',
      appId: 999_999,
      environment: 'test' as const,
      name: secret,
      scopes: [],
      prefix: 'a',
      last4: 'b',
      hash: 'c',
      createdAt: T0,
      expiresAt: null,
    };
    const failing = store.transact((tx) => tx.insertApiKey(key));
    await expect(failing).rejects.toThrow(/foreign key/i);
    const error: unknown = await failing.catch((thrown: unknown) => thrown);
    expect(error instanceof Error ? error.message + error.stack : '').not.toContain(secret);
    await bed.close();
  });

  it('R-PUB-8 text that PostgreSQL cannot hold is kept without what it cannot, not refused', async () => {
    const { bed, store } = await openBed();
    const endpoint = await bed.addEndpoint();
    const half = '\ud83d';
    const event = await bed.publish({ resource: 'ord\0_1', body: Buffer.from('a\0b') });
    expect(await store.read.eventById(event.id)).toMatchObject({
      resource: 'ord\ufffd_1',
      body: Buffer.from('a\0b'),
    });
    const claimed = await bed.claimOne();
    await bed.finish(claimed, { kind: 'failed', errorClass: 'protocol', message: `odd\0${half}` }, T0 + 5);
    expect((await store.read.attempts(claimed.deliveryId))[0]?.message).toBe('odd\ufffd\ufffd');
    await bed.update(endpoint.id, { description: 'x\0y', types: [`a\0${half}`, 'b\\u0000'] });
    expect(await bed.endpoint(endpoint.id)).toMatchObject({
      description: 'x\ufffdy',
      types: ['a\ufffd\ufffd', 'b\\u0000'],
    });
    await bed.close();
  });

  it('R-DEL-8 what is asked of the database does not grow with what is claimed, settled and published', async () => {
    const { bed } = await openBed();
    for (let n = 0; n < 20; n += 1) await bed.addEndpoint({ types: [`t${n % 10}`] });
    const publish = (n: number) =>
      statementsOf(() =>
        bed.store.publish({ records: Array.from({ length: n }, () => bed.record({ type: `t${n % 10}` })) }),
      );
    await publish(1);
    const few = await publish(2);
    for (let n = 0; n < 10; n += 1) {
      await bed.store.publish({ records: Array.from({ length: 20 }, () => bed.record({ type: `t${n}` })) });
    }
    const many = await publish(150);
    expect(many.length).toBe(few.length);
    let claims: Awaited<ReturnType<Bed['claim']>> = [];
    const claiming = await statementsOf(async () => {
      claims = await bed.claim({ slots: 200 });
    });
    expect(claims).toHaveLength(200);
    expect(claiming.length).toBeLessThanOrEqual(16);
    const settling = await statementsOf(() =>
      bed.settle(claims.map((claimed) => bed.endOf(claimed, ANSWER(200), T0 + 5))),
    );
    expect(settling.length).toBeLessThanOrEqual(16);
    await bed.close();
  });

  it('R-PUB-1 every commit is synced, and the connections that read cannot write', async () => {
    const { bed, store } = await openBed();
    expect((await poolOf(store).query('SHOW synchronous_commit')).rows).toEqual([
      { synchronous_commit: 'on' },
    ]);
    const reader = openPool({ url: store.url, max: 1, readOnly: true });
    await expect(reader.query('DELETE FROM meta')).rejects.toMatchObject({ code: '25006' });
    await reader.end();
    await bed.close();
  });
});
