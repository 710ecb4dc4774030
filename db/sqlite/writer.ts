import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database as Connection } from 'better-sqlite3';
import type { Change } from '@/server/ports/store';
import { StoreUnavailable } from '@/server/ports/store-unavailable';
import { isBusy, toStoreError } from './errors';

const FIRST_WAIT_MS = 5;
const LONGEST_WAIT_MS = 250;
const GIVE_UP_AFTER_MS = 15_000;
/** Transactions in one turn of the event loop at most, so that a caller in a loop starves nobody. */
const JOBS_A_TURN = 4;

export interface WriterOptions {
  /** Waits so many ms without blocking. */
  sleep: (ms: number) => Promise<void>;
  onCommit: (changes: readonly Change[]) => void;
  onRollback: () => void;
}

type Job = { kind: 'sync'; run: () => void } | { kind: 'async'; run: () => Promise<void> };

/**
 * The one who writes: transactions one after the other, each BEGIN IMMEDIATE … COMMIT. A lock held by another process
 * is waited for without blocking the event loop, and never begun upon (P24).
 */
export interface Writer {
  /** One transaction around prepared, synchronous statements. */
  run<T>(work: () => T): Promise<T>;
  /** One transaction around `work`, in which nothing may be awaited but its own queries. */
  transact<T>(work: () => Promise<T>): Promise<T>;
  /** To be told to listeners once the present transaction is committed. */
  note(change: Change): void;
  /** Takes nothing new, and resolves when what was asked for is done. */
  finish(): Promise<void>;
}

/** Tries until the lock is free, with growing waits between. */
async function patiently(begin: () => void, sleep: WriterOptions['sleep']): Promise<void> {
  let waited = 0;
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    try {
      begin();
      return;
    } catch (error) {
      if (!isBusy(error) || waited >= GIVE_UP_AFTER_MS) throw error;
    }
    await sleep(wait);
    waited += wait;
  }
}

export function createWriter(db: Connection, { sleep, onCommit, onRollback }: WriterOptions): Writer {
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  const rollback = db.prepare('ROLLBACK');
  const queue: (() => Promise<void>)[] = [];
  let changes = new Map<string, Change>();
  let pumping: Promise<void> | null = null;
  let closed = false;
  let inTurn = 0;

  const perform = async (job: Job) => {
    changes = new Map();
    await patiently(() => begin.run(), sleep);
    try {
      if (job.kind === 'sync') job.run();
      else await job.run();
      commit.run();
    } catch (error) {
      if (db.inTransaction) rollback.run();
      onRollback();
      throw error;
    }
    if (changes.size > 0) onCommit([...changes.values()]);
  };

  const pump = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      if (inTurn === 0) setImmediate(() => (inTurn = 0));
      inTurn += 1;
      await next();
      if (inTurn >= JOBS_A_TURN) await nextTurn();
    }
    pumping = null;
  };

  const enqueue = <T>(make: (keep: (result: T) => void) => Job): Promise<T> => {
    if (closed) return Promise.reject(new StoreUnavailable('closed'));
    return new Promise<T>((resolve, reject) => {
      queue.push(async () => {
        let done = () => reject(new Error('The transaction gave no result.'));
        const job = make((result) => {
          done = () => resolve(result);
        });
        try {
          await perform(job);
          done();
        } catch (error) {
          reject(toStoreError(error));
        }
      });
      pumping ??= pump();
    });
  };

  return {
    run: (work) => enqueue((keep) => ({ kind: 'sync', run: () => keep(work()) })),
    transact: (work) => enqueue((keep) => ({ kind: 'async', run: async () => keep(await work()) })),
    note(change) {
      changes.set(`${change.appId}/${change.environment}/${change.kind}`, change);
    },
    async finish() {
      closed = true;
      await pumping;
    },
  };
}
