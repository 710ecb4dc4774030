import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestPostgres, type TestDatabase } from '@/server/testing/temp-postgres';
import { MigrationRefused, migrate, pendingMigrations } from './migrate';

const FOLDER = join(process.cwd(), 'db', 'migrations', 'postgres');

interface Journal {
  entries: { idx: number; tag: string; when: number }[];
}

function journalOf(dialect: string): Journal {
  return JSON.parse(readFileSync(join(FOLDER, '..', dialect, 'meta', '_journal.json'), 'utf8'));
}

let database: TestDatabase;
let folder: string;

beforeEach(async () => {
  database = await createTestPostgres({ migrated: false });
  folder = mkdtempSync(join(tmpdir(), 'hookladder-migrations-'));
  cpSync(FOLDER, folder, { recursive: true });
});

afterEach(async () => {
  rmSync(folder, { recursive: true });
  await database.drop();
});

async function rows(sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Adds a migration behind all others. */
function add(tag: string, sql: string): void {
  const file = join(folder, 'meta', '_journal.json');
  const journal: Journal = JSON.parse(readFileSync(file, 'utf8'));
  journal.entries.push({ idx: 99, tag, when: 99 });
  writeFileSync(file, JSON.stringify(journal));
  writeFileSync(join(folder, `${tag}.sql`), sql);
}

describe('migrations on PostgreSQL', () => {
  it('S6 have the same numbers and names as those on SQLite', () => {
    const tags = (dialect: string) => journalOf(dialect).entries.map(({ idx, tag }) => `${idx} ${tag}`);
    expect(tags('postgres')).toEqual(tags('sqlite'));
  });

  it('S6 an empty database is brought up to date, one that is needs nothing', async () => {
    const all = journalOf('postgres').entries.map(({ tag }) => tag);
    expect(await pendingMigrations(database.url)).toEqual(all);
    expect(await migrate(database.url)).toEqual({ applied: all });
    expect(await pendingMigrations(database.url)).toEqual([]);
    expect(await migrate(database.url)).toEqual({ applied: [] });
    expect(await rows('SELECT tag FROM migrations ORDER BY tag')).toEqual(all.map((tag) => ({ tag })));
  });

  it('S6 four processes that start at once apply each migration once', async () => {
    const done = await Promise.all(Array.from({ length: 4 }, () => migrate(database.url)));
    expect(done.filter(({ applied }) => applied.length > 0)).toHaveLength(1);
  });

  it('S6 one that fails leaves nothing of any that was pending with it', async () => {
    await migrate(database.url);
    add('0098_make_one', 'CREATE TABLE one (id bigint)');
    add('0099_fail', 'CREATE TABLE two (id bigint);\n--> statement-breakpoint\nSELECT 1 / 0');
    await expect(migrate(database.url, { folder })).rejects.toThrow('division by zero');
    expect(await rows("SELECT to_regclass('one') AS one, to_regclass('two') AS two")).toEqual([
      { one: null, two: null },
    ]);
    expect(await pendingMigrations(database.url, folder)).toEqual(['0098_make_one', '0099_fail']);
  });

  it('S6 a database that a newer version wrote is refused', async () => {
    add('0099_of_tomorrow', 'CREATE TABLE tomorrow (id bigint)');
    await migrate(database.url, { folder });
    await expect(migrate(database.url)).rejects.toThrow(MigrationRefused);
    await expect(migrate(database.url)).rejects.toThrow(/newer version \(0099_of_tomorrow\)/);
  });
});
