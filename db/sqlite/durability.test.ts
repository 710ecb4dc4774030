import { spawn } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { describe, expect, it, vi } from 'vitest';
import type { Store } from '@/server/ports/store';
import { StoreUnavailable } from '@/server/ports/store-unavailable';
import { createTestStore } from '@/server/testing/temp-store';
import { createBed, type StoreHarness } from '../conformance/bed.conformance';
import { CHILD } from '../conformance/child.conformance';
import { openReader } from './connect';
import { partsOf } from './store';

async function openBed(options: Parameters<typeof createTestStore>[0] = {}) {
  const store = await createTestStore(options);
  const harness: StoreHarness = {
    store,
    another: () => createTestStore({ path: store.path }),
    damage: async () => undefined,
    exec: async () => undefined,
    rows: async (sql) => {
      const db = openReader(store.path);
      try {
        return db.prepare<[], Record<string, unknown>>(sql).all();
      } finally {
        db.close();
      }
    },
    close: () => store.close(),
  };
  return { ...(await createBed(harness)), path: store.path };
}

/** Listeners are called once for each commit that changed a list. */
function countCommits(store: Store): () => number {
  let commits = 0;
  store.onChange(() => {
    commits += 1;
  });
  return () => commits;
}

/** Another process's lock. */
function holdLock(path: string) {
  const db = new Database(path);
  db.exec('BEGIN IMMEDIATE');
  return () => {
    db.exec('COMMIT');
    db.close();
  };
}

describe('the SQLite file', () => {
  it('P02 every commit is synced: FULL on the writer, read back after its first write', async () => {
    const bed = await openBed();
    const { connection, reader } = partsOf(bed.store);
    await bed.publish();
    expect(connection.pragma('synchronous', { simple: true })).toBe(2);
    expect(connection.pragma('journal_mode', { simple: true })).toBe('wal');
    expect(connection.pragma('foreign_keys', { simple: true })).toBe(1);
    expect(connection.pragma('secure_delete', { simple: true })).toBe(1);
    expect(connection.pragma('busy_timeout', { simple: true })).toBeLessThanOrEqual(50);
    expect(() => reader.exec('DELETE FROM events')).toThrow(/readonly/);
    await bed.close();
  });

  it('D41 only the owner may read the file, its log and its index', async () => {
    const bed = await openBed();
    await bed.publish();
    for (const suffix of ['', '-wal', '-shm']) expect(statSync(bed.path + suffix).mode & 0o777).toBe(0o600);
    await bed.close();
  });

  it('P24 O29 a lock of another process is waited for with growing waits, the event loop free meanwhile', async () => {
    const waits: number[] = [];
    let turns = 0;
    let release = () => {};
    const bed = await openBed({
      sleep: async (ms) => {
        waits.push(ms);
        await nextTurn();
        turns += 1;
        if (waits.length === 9) release();
      },
    });
    await bed.addEndpoint();
    release = holdLock(bed.path);
    let others = 0;
    const ticking = setInterval(() => {
      others += 1;
    }, 0);
    const event = await bed.publish();
    clearInterval(ticking);
    expect(event.deliveries).toHaveLength(1);
    expect(waits).toEqual([5, 10, 20, 40, 80, 160, 250, 250, 250]);
    expect(turns).toBe(9);
    expect(others).toBeGreaterThan(0);
    await bed.close();
  });

  it('P24 reads go on while another process holds the lock; a writer gives up after 15 s and leaves nothing', async () => {
    let waited = 0;
    const bed = await openBed({
      sleep: async (ms) => {
        waited += ms;
      },
    });
    const release = holdLock(bed.path);
    const record = bed.record();
    await expect(bed.store.publish({ records: [record] })).rejects.toMatchObject({
      name: 'StoreUnavailable',
      code: 'store_unavailable',
      fault: 'busy',
    });
    expect(waited).toBeGreaterThanOrEqual(15_000);
    expect(waited).toBeLessThan(16_000);
    expect(await bed.store.read.app(bed.app.publicId)).toMatchObject({ id: bed.app.id });
    release();
    expect(await bed.store.publish({ records: [record] })).toMatchObject({ kind: 'published' });
    await bed.close();
  });

  it('P23 a full disk refuses writes, keeps what was acknowledged, and the store goes on when there is room', async () => {
    const bed = await openBed();
    await bed.addEndpoint();
    const { connection } = partsOf(bed.store);
    const kept = await bed.publish();
    const pages = Number(connection.pragma('page_count', { simple: true }));
    connection.pragma(`max_page_count = ${pages + 2}`);
    const big = { body: Buffer.alloc(200_000, 1) };
    const results = await Promise.allSettled([bed.publish(big), bed.publish(big)]);
    for (const result of results) {
      expect(result).toMatchObject({
        status: 'rejected',
        reason: { code: 'store_unavailable', fault: 'full' },
      });
    }
    await expect(
      bed.store.transact((tx) => tx.publish({ records: [bed.record(big)] })),
    ).rejects.toBeInstanceOf(StoreUnavailable);
    expect(await bed.store.read.eventById(kept.id)).not.toBeNull();
    connection.pragma('max_page_count = 1073741823');
    expect(await bed.publish(big)).toMatchObject({ matchedAtPublish: 1 });
    expect(await bed.rows('SELECT count(*) AS n FROM events')).toEqual([{ n: 2 }]);
    expect(connection.pragma('integrity_check', { simple: true })).toBe('ok');
    await bed.close();
  });

  it('R-PUB-1 group commit: what arrives in one turn shares a transaction, at most 200 rows, and needs no timer', async () => {
    const bed = await openBed();
    await bed.addEndpoint();
    vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval'] });
    const commits = countCommits(bed.store);
    try {
      await Promise.all(Array.from({ length: 200 }, () => bed.publish()));
      expect(commits()).toBe(1);
      await Promise.all(Array.from({ length: 201 }, () => bed.publish()));
      expect(commits()).toBe(3);
      await bed.store.publish({ records: Array.from({ length: 1_000 }, () => bed.record()) });
      expect(commits()).toBe(4);
    } finally {
      vi.useRealTimers();
    }
    await bed.close();
  });

  it('R-PUB-1 a publish waits for the transaction before it, and what arrives meanwhile shares the next', async () => {
    const bed = await openBed();
    await bed.addEndpoint();
    let finish = () => {};
    const commits = countCommits(bed.store);
    const long = bed.store.transact(async (tx) => {
      await tx.setMeta('long', '1');
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
    });
    let done = 0;
    const publishes = Array.from({ length: 20 }, async () => {
      await nextTurn();
      await bed.publish();
      done += 1;
    });
    for (let n = 0; n < 5; n += 1) await nextTurn();
    expect(done).toBe(0);
    finish();
    await Promise.all([long, ...publishes]);
    expect(commits()).toBe(1);
    await bed.close();
  });

  it('P26 closing moves the log into the file', async () => {
    const bed = await openBed();
    await bed.publish();
    expect(existsSync(`${bed.path}-wal`)).toBe(true);
    await bed.close();
    expect(existsSync(`${bed.path}-wal`)).toBe(false);
  });

  it('P25 after close nothing is written any more', async () => {
    const bed = await openBed();
    await bed.close();
    await expect(bed.store.publish({ records: [bed.record()] })).rejects.toMatchObject({ fault: 'closed' });
  });

  it('P01 P03 O20 kill -9: every event that was acknowledged is there, with its delivery', async () => {
    const bed = await openBed();
    await bed.addEndpoint();
    await bed.close();
    const acknowledged: string[] = [];
    for (const name of ['a', 'b', 'c']) {
      acknowledged.push(...(await publishUntilKilled(bed.path, name)));
    }
    const db = openReader(bed.path);
    const stored = new Set(
      db
        .prepare<[], string>('SELECT public_id FROM events e JOIN deliveries d ON d.event_id = e.id')
        .pluck()
        .all(),
    );
    expect(acknowledged.length).toBeGreaterThan(100);
    expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
    db.close();
  }, 60_000);
});

/** Ids that a process of its own printed before it was killed. */
function publishUntilKilled(path: string, name: string): Promise<string[]> {
  const child = spawn(process.execPath, ['--import', 'tsx', CHILD, 'publish', path, name], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  return new Promise((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      printed += String(chunk);
      if (printed.split('\n').length > 60) child.kill('SIGKILL');
    });
    child.on('error', reject);
    child.on('close', () => resolve(printed.split('\n').slice(0, -1)));
  });
}
