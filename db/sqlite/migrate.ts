import { closeSync, existsSync, openSync, readFileSync, rmSync, statfsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Database as Connection } from 'better-sqlite3';
import { openReader, openWriter } from './connect';
import { isBusy } from './errors';

const LOCK_TRIES = 600;
const LOCK_WAIT_MS = 100;

interface Migration {
  tag: string;
  when: number;
  statements: readonly string[];
}

export interface MigrateOptions {
  /** Where the SQL files lie; the repository's own unless told. */
  folder?: string;
  /** Migrate without a copy where the disk has no room for one. */
  noBackup?: boolean;
}

export interface Migrated {
  applied: readonly string[];
  /** The copy that was made first, where the database held something. */
  copy: string | null;
}

/** The database is newer than this program: a way back is refused. */
export class MigrationRefused extends Error {
  readonly code = 'migration_refused';
}

function defaultFolder(): string {
  return join(/* turbopackIgnore: true */ process.cwd(), 'db', 'migrations', 'sqlite');
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

function appliedTags(db: Connection): readonly string[] {
  const known = db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'migrations'").get();
  if (known === undefined) return [];
  return db.prepare<[], string>('SELECT tag FROM migrations ORDER BY tag').pluck().all();
}

function pendingOf(db: Connection, migrations: readonly Migration[]): readonly Migration[] {
  const applied = appliedTags(db);
  const known = new Set(migrations.map(({ tag }) => tag));
  const unknown = applied.filter((tag) => !known.has(tag));
  if (unknown.length > 0) {
    throw new MigrationRefused(`The database was written by a newer version (${unknown.join(', ')}).`);
  }
  return migrations.filter(({ tag }) => !applied.includes(tag));
}

/** Migrations that are not applied yet, by tag; none for a database that is up to date. */
export function pendingMigrations(path: string, folder: string = defaultFolder()): readonly string[] {
  if (!existsSync(path)) return readMigrations(folder).map(({ tag }) => tag);
  const db = openReader(path);
  try {
    return pendingOf(db, readMigrations(folder)).map(({ tag }) => tag);
  } finally {
    db.close();
  }
}

/** A consistent copy, by a second connection that reads while the lock is held. */
function copyFirst(path: string, tag: string, noBackup: boolean): string | null {
  const free = statfsSync(dirname(path));
  if (free.bavail * free.bsize < statSync(path).size * 1.2) {
    if (noBackup) return null;
    throw new MigrationRefused(
      'The disk has no room for a copy before migrating; free some, or --no-backup.',
    );
  }
  const copy = `${path}.before-${tag}`;
  rmSync(copy, { force: true });
  // Made empty and private first: there is no instant at which others may read it.
  closeSync(openSync(copy, 'wx', 0o600));
  const reader = openReader(path);
  try {
    reader.prepare('VACUUM INTO ?').run(copy);
  } finally {
    reader.close();
  }
  return copy;
}

/** Whoever else migrates now is waited for: its lock is held for as long as it takes. */
async function patiently<T>(step: () => T): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return step();
    } catch (error) {
      if (!isBusy(error) || tries === LOCK_TRIES) throw error;
    }
    await wait(LOCK_WAIT_MS);
  }
}

function apply(db: Connection, pending: readonly Migration[]): void {
  db.exec('CREATE TABLE IF NOT EXISTS migrations (tag text PRIMARY KEY NOT NULL, made_at integer NOT NULL)');
  const note = db.prepare('INSERT INTO migrations (tag, made_at) VALUES (?, ?)');
  for (const { tag, when, statements } of pending) {
    for (const statement of statements) db.exec(statement);
    note.run(tag, when);
  }
}

/**
 * Brings the file at `path` up to date, all pending migrations in one transaction under the write lock, so that two
 * processes that start at once are safe. A database that holds something is copied first.
 * @throws MigrationRefused when it is newer than this program, or the disk has no room for the copy.
 */
export async function migrate(path: string, options: MigrateOptions = {}): Promise<Migrated> {
  const migrations = readMigrations(options.folder ?? defaultFolder());
  const db = await patiently(() => openWriter(path));
  try {
    if (pendingOf(db, migrations).length === 0) return { applied: [], copy: null };
    await patiently(() => db.exec('BEGIN IMMEDIATE'));
    try {
      const pending = pendingOf(db, migrations);
      const holdsSomething = appliedTags(db).length > 0;
      const first = pending[0];
      const copy =
        first !== undefined && holdsSomething ? copyFirst(path, first.tag, options.noBackup ?? false) : null;
      apply(db, pending);
      db.exec('COMMIT');
      return { applied: pending.map(({ tag }) => tag), copy };
    } catch (error) {
      if (db.inTransaction) db.exec('ROLLBACK');
      throw error;
    }
  } finally {
    db.close();
  }
}
