import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';

interface Migration {
  tag: string;
  when: number;
  statements: readonly string[];
}

export interface MigrateOptions {
  /** Where the SQL files lie; the repository's own unless told. */
  folder?: string;
}

export interface Migrated {
  applied: readonly string[];
}

/** The database is newer than this program: a way back is refused. */
export class MigrationRefused extends Error {
  readonly code = 'migration_refused';
}

/** Advisory lock of whoever migrates ("HKLM"). */
const MIGRATING = 0x484b4c4d;

function defaultFolder(): string {
  return join(/* turbopackIgnore: true */ process.cwd(), 'db', 'migrations', 'postgres');
}

function readMigrations(folder: string): readonly Migration[] {
  const journal: { entries: { tag: string; when: number }[] } = JSON.parse(
    readFileSync(join(folder, 'meta', '_journal.json'), 'utf8'),
  );
  return journal.entries.map(({ tag, when }) => ({
    tag,
    when,
    statements: readFileSync(join(folder, `${tag}.sql`), 'utf8').split('--> statement-breakpoint'),
  }));
}

async function pendingOf(client: pg.Client, migrations: readonly Migration[]): Promise<readonly Migration[]> {
  const { rows: found } = await client.query("SELECT to_regclass('migrations') AS table");
  const { rows } =
    found[0]?.table === null
      ? { rows: [] }
      : await client.query<{ tag: string }>('SELECT tag FROM migrations ORDER BY tag');
  const applied = rows.map(({ tag }) => tag);
  const known = new Set(migrations.map(({ tag }) => tag));
  const unknown = applied.filter((tag) => !known.has(tag));
  if (unknown.length > 0) {
    throw new MigrationRefused(`The database was written by a newer version (${unknown.join(', ')}).`);
  }
  return migrations.filter(({ tag }) => !applied.includes(tag));
}

async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, application_name: 'hookladder migrate' });
  // A connection that breaks fails the query that waits for it; without a listener it would end the process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Migrations that are not applied yet, by tag; none for a database that is up to date. */
export function pendingMigrations(url: string, folder: string = defaultFolder()): Promise<readonly string[]> {
  return connected(url, async (client) =>
    (await pendingOf(client, readMigrations(folder))).map(({ tag }) => tag),
  );
}

async function apply(client: pg.Client, pending: readonly Migration[]): Promise<void> {
  await client.query(
    'CREATE TABLE IF NOT EXISTS migrations (tag text PRIMARY KEY NOT NULL, made_at bigint NOT NULL)',
  );
  for (const { tag, when, statements } of pending) {
    for (const statement of statements) await client.query(statement);
    await client.query('INSERT INTO migrations (tag, made_at) VALUES ($1, $2)', [tag, when]);
  }
}

/**
 * Brings the database up to date, all pending migrations in one transaction under a lock, so that two processes that
 * start at once are safe. Copies are the operator's.
 * @throws MigrationRefused when it is newer than this program.
 */
export async function migrate(url: string, options: MigrateOptions = {}): Promise<Migrated> {
  const migrations = readMigrations(options.folder ?? defaultFolder());
  return connected(url, async (client) => {
    await client.query('BEGIN');
    try {
      await client.query('SELECT pg_advisory_xact_lock($1)', [MIGRATING]);
      const pending = await pendingOf(client, migrations);
      if (pending.length > 0) await apply(client, pending);
      await client.query('COMMIT');
      return { applied: pending.map(({ tag }) => tag) };
    } catch (error) {
      await client.query('ROLLBACK').catch(() => undefined);
      throw error;
    }
  });
}
