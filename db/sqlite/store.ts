import { setTimeout as wait } from 'node:timers/promises';
import type { Database as Connection } from 'better-sqlite3';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import type { Change, Store, Tx } from '@/server/ports/store';
import type { Db } from '../queries/database';
import { makeQueries, makeWriteQueries } from '../queries/queries';
import { schema } from '../schema/sqlite';
import { createClaim } from './claim';
import { openReader, openWriter } from './connect';
import { createDrain } from './drain';
import { createLaneReader } from './lane';
import { createExpiredLeases, createRelease } from './leases';
import { createPublisher } from './publish';
import { createPublishQueue } from './publish-queue';
import { createSettle } from './settle';
import { createSweep } from './sweep';
import { createUnsigned } from './unsigned';
import { createWriter, type Writer } from './writer';
import { createWrites } from './writes';

export interface SqliteStoreOptions {
  /** The file, migrated already. */
  path: string;
  /** A new public id with this prefix, for breakers, whose rows are made when they are first needed. */
  newId: (prefix: string) => string;
  /** Waits without blocking, while another process holds the lock. */
  sleep?: (ms: number) => Promise<void>;
  onWarning?: (event: string, fields: object) => void;
}

/** What the auth handle needs of a store besides its port. */
export interface SqliteParts {
  writer: Writer;
  connection: Connection;
  reader: Connection;
}

const parts = new WeakMap<Store, SqliteParts>();

/** @throws TypeError when the store is not one of SQLite. */
export function partsOf(store: Store): SqliteParts {
  const found = parts.get(store);
  if (found === undefined) throw new TypeError('Not a store on SQLite.');
  return found;
}

/** The synchronous driver, typed as the async builder that queries are written against. */
function handle(connection: Connection): Db {
  return drizzle(connection) as unknown as Db;
}

function createListeners(onWarning: SqliteStoreOptions['onWarning']) {
  const listeners = new Set<(changes: readonly Change[]) => void>();
  return {
    add(listener: (changes: readonly Change[]) => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    /** A listener's fault is not the transaction's: that is committed. */
    tell(changes: readonly Change[]) {
      for (const listener of listeners) {
        try {
          listener(changes);
        } catch (error) {
          onWarning?.('listener_failed', { error: String(error) });
        }
      }
    },
  };
}

function createHotPath(connection: Connection, writer: Writer, newId: (prefix: string) => string) {
  const lanes = createLaneReader(connection);
  const writes = createWrites(connection, () => newId('brk'));
  const deps = { lanes, writes, note: writer.note };
  return {
    lanes,
    writes,
    publisher: createPublisher(connection, writer.note),
    claim: createClaim(connection, deps),
    settle: createSettle(connection, deps),
    release: createRelease(connection, deps),
    sweep: createSweep(connection, deps),
    drain: createDrain(connection, deps),
    unsigned: createUnsigned(connection, writer.note),
  };
}

/** The store on one SQLite file: one writer behind a queue, reads on a connection that cannot write. */
export function createSqliteStore({ path, newId, sleep = wait, onWarning }: SqliteStoreOptions): Store {
  const connection = openWriter(path);
  const reader = openReader(path);
  const listeners = createListeners(onWarning);
  const writer = createWriter(connection, {
    sleep: async (ms) => void (await sleep(ms)),
    onCommit: listeners.tell,
    onRollback: () => hot.lanes.forget(),
  });
  const hot = createHotPath(connection, writer, newId);
  const expired = createExpiredLeases(reader);
  const version = reader.prepare<[], number>('PRAGMA data_version').pluck();
  const db = handle(connection);
  const tx: Tx = {
    ...makeQueries({ db, schema }),
    ...makeWriteQueries({ db, schema, note: writer.note, newId }),
    publish: async (unit) => hot.publisher.write(unit, hot.publisher.scenes(hot.lanes.open(0))),
  };

  const store: Store = {
    dialect: 'sqlite',
    read: makeQueries({ db: handle(reader), schema }),
    transact: (work) => writer.transact(() => work(tx)),
    publish: createPublishQueue({
      db: connection,
      writer,
      publisher: hot.publisher,
      lanes: hot.lanes,
    }),
    claim: (request) => writer.run(() => hot.claim(request)),
    settle: (ends, decider, random) => writer.run(() => hot.settle(ends, decider, random)),
    release: (claims, now) => writer.run(() => hot.release(claims, now)),
    async expiredLeases(query) {
      const { ends, unreadable } = expired(query);
      if (unreadable.length > 0) {
        await writer.run(() => {
          for (const id of unreadable) hot.writes.setAside(id, query.now);
        });
      }
      return ends;
    },
    sweep: (query) => writer.run(() => hot.sweep(query)),
    drain: (query) => writer.run(() => hot.drain(query)),
    setUnsigned: (endpointId, gate) => writer.run(() => hot.unsigned.set(endpointId, gate)),
    retryUnsigned: (now) => writer.run(() => hot.unsigned.retryAll(now)),
    onChange: listeners.add,
    version: () => version.get() ?? 0,
    async close() {
      await writer.finish();
      // The writer goes last: only it can move the log into the file.
      reader.close();
      connection.close();
    },
  };
  parts.set(store, { writer, connection, reader });
  return store;
}
