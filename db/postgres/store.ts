import { setTimeout as wait } from 'node:timers/promises';
import type pg from 'pg';
import type { Store } from '@/server/ports/store';
import { makeQueries } from '../queries/queries';
import { schema } from '../schema/postgres';
import { createClaim } from './claim';
import { openPool, select } from './connect';
import { createDrain } from './drain';
import { toStoreError } from './errors';
import { withFeedEnd } from './feed';
import { guarded, handleOf } from './handle';
import { createExpiredLeases, createRelease } from './leases';
import { createPolicyMemory } from './policies';
import { createPublisher } from './publish';
import { createPublishQueue } from './publish-queue';
import { createSettle } from './settle';
import { createSignals } from './signals';
import { createStatistics } from './statistics';
import { createSweep } from './sweep';
import { createTransactions } from './transactions';
import { makeTx } from './tx';
import { createUnsigned } from './unsigned';

/** Connections of one process: transactions, reads, and one that listens. */
const WRITERS = 8;
const READERS = 6;

export interface PostgresStoreOptions {
  /** `postgres://…`, migrated already. */
  url: string;
  /** A new public id with this prefix, for breakers, whose rows are made when they are first needed. */
  newId: (prefix: string) => string;
  /** Waits before work is begun anew, and before a lost connection is opened again. */
  sleep?: (ms: number) => Promise<void>;
  onWarning?: (event: string, fields: object) => void;
}

export interface PostgresStore extends Store {
  /** The server's clock, epoch ms (R-TIM-1): see `server/adapters/server-clock.ts`. */
  serverTime(): Promise<number>;
  /** Resolves while what other processes commit is heard. */
  listening(): Promise<void>;
}

const pools = new WeakMap<Store, pg.Pool>();

/** Connections that write, for the auth handle. @throws TypeError when the store is not one of PostgreSQL. */
export function poolOf(store: Store): pg.Pool {
  const pool = pools.get(store);
  if (pool === undefined) throw new TypeError('Not a store on PostgreSQL.');
  return pool;
}

async function serverTime(reader: pg.Pool): Promise<number> {
  try {
    const [row] = await select<{ at: string }>(
      reader,
      'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::text AS at',
    );
    return Number(row?.at);
  } catch (error) {
    throw toStoreError(error);
  }
}

/** The store on one PostgreSQL database, which many processes share. Opens its connections when they are needed. */
export function createPostgresStore(options: PostgresStoreOptions): PostgresStore {
  const { url, newId, onWarning } = options;
  const sleep = options.sleep ?? (async (ms: number) => void (await wait(ms)));
  const pool = openPool({ url, max: WRITERS, readOnly: false, onWarning });
  const reader = openPool({ url, max: READERS, readOnly: true, onWarning });
  const signals = createSignals({ url, id: newId('store'), sleep, onWarning });
  const transactions = createTransactions({ pool, signals, sleep });
  const statistics = createStatistics(pool, onWarning);
  const openPolicies = createPolicyMemory();
  const publisher = createPublisher(openPolicies, statistics.grew);
  const deps = { transactions, openPolicies, newId };
  const unsigned = createUnsigned(transactions);
  const expired = createExpiredLeases(reader, transactions, newId);

  const store: PostgresStore = {
    dialect: 'postgres',
    read: guarded(withFeedEnd(makeQueries({ db: handleOf(reader), schema }), reader)),
    transact: (work) =>
      transactions.run((transaction) => work(makeTx(transaction, { newId, publisher })), {
        tellsAlways: true,
      }),
    publish: createPublishQueue(transactions, publisher),
    claim: createClaim(deps),
    settle: createSettle({ ...deps, grew: statistics.grew }),
    release: createRelease(transactions, newId),
    expiredLeases: (query) => expired(query).catch((error) => Promise.reject(toStoreError(error))),
    sweep: createSweep(deps),
    drain: createDrain(deps),
    setUnsigned: unsigned.set,
    retryUnsigned: unsigned.retryAll,
    onChange: signals.add,
    version: signals.version,
    async close() {
      await statistics.close();
      await transactions.close();
      await Promise.all([reader.end(), signals.close()]);
    },
    serverTime: () => serverTime(reader),
    listening: signals.listening,
  };
  pools.set(store, pool);
  return store;
}
