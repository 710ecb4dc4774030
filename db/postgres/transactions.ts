import type pg from 'pg';
import type { Change } from '@/server/ports/store';
import { StoreUnavailable } from '@/server/ports/store-unavailable';
import { isLost, isOutrun, toStoreError } from './errors';
import { plainError } from './handle';
import type { Signals } from './signals';

/** How often the same work is begun anew when another transaction was faster. */
const MOST_TRIES = 8;
const WAIT_MS = 5;

/** One transaction, as it goes. */
export interface Transaction {
  readonly client: pg.PoolClient;
  /** Begins it, where that was put off; once. */
  begin(): Promise<void>;
  /** To be told to listeners, of this process and of others, once it is committed. */
  note(change: Change): void;
}

export interface RunOptions {
  /** Statements before `begin` stand alone: what turns out to have nothing to write holds nothing. */
  putOff?: boolean;
  /** Others are told that something was written even where nothing was noted. */
  tellsAlways?: boolean;
}

/**
 * Transactions at READ COMMITTED: whoever reads a row that it will write locks it first. Locks are taken in one order,
 * deliveries, endpoints, breakers, each by rising id; a claim, which begins with endpoints, never waits for another
 * kind. Where two still meet (a service may lock in any order), the one that PostgreSQL gives up begins anew.
 */
export interface Transactions {
  /** `work` may be run more than once, from its beginning; nothing of an earlier run was kept. */
  run<T>(work: (transaction: Transaction) => Promise<T>, options?: RunOptions): Promise<T>;
  close(): Promise<void>;
}

export interface TransactionDeps {
  pool: pg.Pool;
  signals: Signals;
  sleep: (ms: number) => Promise<void>;
}

class Running implements Transaction {
  private readonly changes = new Map<string, Change>();
  private begun = false;
  private committing = false;

  constructor(
    readonly client: pg.PoolClient,
    private readonly signals: Signals,
    private readonly tellsAlways: boolean,
  ) {}

  async begin(): Promise<void> {
    if (this.begun) return;
    this.begun = true;
    await this.client.query('BEGIN');
  }

  note(change: Change): void {
    this.changes.set(`${change.appId}/${change.environment}/${change.kind}`, change);
  }

  async commit(): Promise<void> {
    if (!this.begun) return;
    const changes = [...this.changes.values()];
    const told = changes.length > 0 || (this.tellsAlways && (await this.hasWritten()));
    if (told) {
      const { text, payloads } = this.signals.statement(changes);
      for (const payload of payloads) await this.client.query(text, [payload]);
    }
    this.committing = true;
    const { command } = await this.client.query('COMMIT');
    if (command !== 'COMMIT')
      throw new Error('A statement of the transaction had failed: all of it is undone.');
    if (told) this.signals.committed(changes);
  }

  /** What the caller is to see, and whether the connection is of no use any more. */
  async undo(error: unknown): Promise<{ seen: unknown; lost: boolean }> {
    const plain = plainError(error);
    const lost = isLost(plain);
    if (lost && this.committing) {
      return {
        seen: new Error('Nobody knows whether the transaction was committed.', { cause: plain }),
        lost,
      };
    }
    if (!this.begun || lost) return { seen: plain, lost };
    try {
      await this.client.query('ROLLBACK');
      return { seen: plain, lost: false };
    } catch {
      return { seen: plain, lost: true };
    }
  }

  private async hasWritten(): Promise<boolean> {
    const { rows } = await this.client.query(
      'SELECT pg_current_xact_id_if_assigned() IS NOT NULL AS written',
    );
    return rows[0]?.written === true;
  }
}

export function createTransactions({ pool, signals, sleep }: TransactionDeps): Transactions {
  const running = new Set<Promise<unknown>>();
  let closed = false;

  const attempt = async <T>(
    work: (transaction: Transaction) => Promise<T>,
    { putOff = false, tellsAlways = false }: RunOptions,
  ): Promise<T> => {
    const client = await pool.connect();
    const transaction = new Running(client, signals, tellsAlways);
    let broken = false;
    try {
      if (!putOff) await transaction.begin();
      const result = await work(transaction);
      await transaction.commit();
      return result;
    } catch (error) {
      const { seen, lost } = await transaction.undo(error);
      broken = lost;
      throw seen;
    } finally {
      client.release(broken);
    }
  };

  const persist = async <T>(
    work: (transaction: Transaction) => Promise<T>,
    options: RunOptions,
  ): Promise<T> => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await attempt(work, options);
      } catch (error) {
        if (!isOutrun(error) || tries === MOST_TRIES) throw toStoreError(error);
      }
      await sleep(WAIT_MS * tries);
    }
  };

  return {
    run(work, options = {}) {
      if (closed) return Promise.reject(new StoreUnavailable('closed'));
      const result = persist(work, options);
      running.add(result);
      const done = () => void running.delete(result);
      result.then(done, done);
      return result;
    },
    async close() {
      closed = true;
      await Promise.allSettled(running);
      await pool.end();
    },
  };
}
