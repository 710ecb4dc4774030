import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CHILD } from '../conformance/child.conformance';
import { migrate, pendingMigrations } from './migrate';

const OWN = join(process.cwd(), 'db/migrations/sqlite');
const TAGS: string[] = JSON.parse(readFileSync(join(OWN, 'meta/_journal.json'), 'utf8')).entries.map(
  ({ tag }: { tag: string }) => tag,
);

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hookladder-migrate-'));
  path = join(folder, 'hookladder.db');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The repository's migrations and one more. */
function withOneMore(sql: string): string {
  const migrations = join(folder, 'migrations');
  cpSync(OWN, migrations, { recursive: true });
  const journal = join(migrations, 'meta/_journal.json');
  const parsed = JSON.parse(readFileSync(journal, 'utf8'));
  parsed.entries.push({ ...parsed.entries.at(-1), idx: 99, tag: '0099_add_more' });
  writeFileSync(journal, JSON.stringify(parsed));
  writeFileSync(join(migrations, '0099_add_more.sql'), sql);
  return migrations;
}

function open<T>(work: (db: Database.Database) => T, file = path): T {
  const db = new Database(file);
  try {
    return work(db);
  } finally {
    db.close();
  }
}

function migrateInProcess(migrations: string): Promise<string[]> {
  const child = spawn(process.execPath, ['--import', 'tsx', CHILD, 'migrate', path, migrations], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.on('data', (chunk) => {
    printed += String(chunk);
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0 ? resolve(JSON.parse(printed)) : reject(new Error(`code ${code}`)),
    );
  });
}

describe('migrations', () => {
  it('S6 names are numbers and verb phrases, from 0001 without a gap', () => {
    for (const [nth, tag] of TAGS.entries()) {
      expect(tag).toMatch(/^\d{4}_[a-z]+(_[a-z]+)+$/);
      expect(Number(tag.slice(0, 4))).toBe(nth + 1);
    }
  });

  it('S6 a new file gets all of them, private, without a copy; again nothing happens', async () => {
    expect(pendingMigrations(path)).toEqual(TAGS);
    expect(await migrate(path)).toEqual({ applied: TAGS, copy: null });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(pendingMigrations(path)).toEqual([]);
    expect(await migrate(path)).toEqual({ applied: [], copy: null });
    expect(open((db) => db.pragma('foreign_key_check'))).toEqual([]);
  });

  it('S6 two processes that start at once both come through, and each migration is applied once', async () => {
    const applied = await Promise.all([migrateInProcess(OWN), migrateInProcess(OWN), migrate(path)]);
    const all = applied.map((of) => (Array.isArray(of) ? of : of.applied));
    expect(all.filter((of) => of.length > 0)).toEqual([TAGS]);
    expect(open((db) => db.prepare('SELECT count(*) FROM migrations').pluck().get())).toBe(TAGS.length);
  }, 60_000);

  it('S6 P28 a database that holds something is copied first, privately, as it was', async () => {
    await migrate(path);
    open((db) => db.exec("INSERT INTO meta VALUES ('before', '1')"));
    const more = withOneMore(
      'CREATE TABLE more (id integer PRIMARY KEY);\n--> statement-breakpoint\nDELETE FROM meta;',
    );
    const { applied, copy } = await migrate(path, { folder: more });
    expect(applied).toEqual(['0099_add_more']);
    expect(copy).toBe(`${path}.before-0099_add_more`);
    expect(statSync(copy ?? '').mode & 0o777).toBe(0o600);
    expect(open((db) => db.prepare('SELECT * FROM meta').all(), copy ?? '')).toEqual([
      { key: 'before', value: '1' },
    ]);
    expect(open((db) => db.prepare('SELECT * FROM meta').all())).toEqual([]);
  });

  it('S6 a migration that fails leaves the database as it was, and can be tried again', async () => {
    await migrate(path);
    const broken = withOneMore('CREATE TABLE more (id integer);\n--> statement-breakpoint\nSELECT nonsense;');
    await expect(migrate(path, { folder: broken })).rejects.toThrow(/nonsense/);
    expect(open((db) => db.prepare("SELECT name FROM sqlite_schema WHERE name = 'more'").all())).toEqual([]);
    writeFileSync(join(broken, '0099_add_more.sql'), 'CREATE TABLE more (id integer);');
    expect((await migrate(path, { folder: broken })).applied).toEqual(['0099_add_more']);
  });

  it('S6 P27 a database of a newer version, or a file that is none, is refused and left alone', async () => {
    await migrate(path, { folder: withOneMore('CREATE TABLE more (id integer);') });
    await expect(migrate(path)).rejects.toMatchObject({ code: 'migration_refused' });
    const damaged = join(folder, 'damaged.db');
    writeFileSync(damaged, 'this is no database, and long enough to be read as one'.repeat(100));
    await expect(migrate(damaged)).rejects.toThrow(/not a database/);
    expect(existsSync(damaged)).toBe(true);
  });
});
