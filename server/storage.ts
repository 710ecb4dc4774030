// Which store an installation has: SQLite in a file, or PostgreSQL. Nothing else asks.
import { postgresAuthDatabase, postgresAuthSchema } from '@/db/postgres/auth-handle';
import * as postgres from '@/db/postgres/migrate';
import { createPostgresStore } from '@/db/postgres/store';
import { authDatabase, authSchema } from '@/db/sqlite/auth-handle';
import * as sqlite from '@/db/sqlite/migrate';
import { createSqliteStore } from '@/db/sqlite/store';
import { createServerClock } from '@/server/adapters/server-clock';
import type { AuthSettings } from '@/server/auth/config';
import type { Env } from '@/server/env';
import type { Clock } from '@/server/ports/clock';
import type { Logger } from '@/server/ports/logger';
import type { Store } from '@/server/ports/store';

type Place = Pick<Env, 'databaseFile' | 'postgresUrl'>;

export interface Storage {
  store: Store;
  /** Of the database's server where there is one, so that machines agree on what is due (R-TIM-1). */
  clock: Clock;
}

/** Opens the store; it is migrated already. */
export function openStorage(
  { databaseFile, postgresUrl }: Place,
  parts: { clock: Clock; log: Logger; newId: (prefix: string) => string },
): Storage {
  const { clock, log, newId } = parts;
  const sleep = (ms: number) =>
    new Promise<void>((resolve) => {
      clock.setTimer(clock.now() + ms, () => resolve());
    });
  const onWarning = (event: string, fields: object) => log.warn(event, fields);
  if (postgresUrl === null) {
    return { store: createSqliteStore({ path: databaseFile, newId, sleep, onWarning }), clock };
  }
  const store = createPostgresStore({ url: postgresUrl, newId, sleep, onWarning });
  const serverClock = createServerClock({ clock, measure: () => store.serverTime(), log });
  serverClock.start().catch((error: unknown) => log.warn('server_clock_unread', { error: String(error) }));
  return { store, clock: serverClock };
}

/** Brings the database up to date, under a lock. A copy is made first where the database is a file. */
export async function migrateDatabase(
  { databaseFile, postgresUrl }: Place,
  options: { noBackup?: boolean } = {},
): Promise<{ applied: readonly string[]; copy: string | null }> {
  if (postgresUrl === null) return sqlite.migrate(databaseFile, options);
  return { applied: (await postgres.migrate(postgresUrl)).applied, copy: null };
}

/** Names of the migrations that are still to come. */
export async function pendingMigrations({ databaseFile, postgresUrl }: Place): Promise<readonly string[]> {
  return postgresUrl === null
    ? sqlite.pendingMigrations(databaseFile)
    : postgres.pendingMigrations(postgresUrl);
}

/** What Better Auth needs to keep its tables in the same store. */
export function authStorage(
  { postgresUrl }: Place,
  store: Store,
): Pick<AuthSettings, 'database' | 'schema' | 'dialect'> {
  return postgresUrl === null
    ? { database: authDatabase(store), schema: authSchema, dialect: 'sqlite' }
    : { database: postgresAuthDatabase(store), schema: postgresAuthSchema, dialect: 'pg' };
}
