import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '@/db/sqlite/migrate';
import { createSqliteStore, type SqliteStoreOptions } from '@/db/sqlite/store';
import { makeId } from '@/server/core/ids';
import type { Store } from '@/server/ports/store';
import { createSeededRandom } from './seeded-random';

let template: Promise<string> | null = null;
let seeds = 0;
const folders = new Set<string>();

function temporaryFolder(): string {
  if (folders.size === 0) {
    process.once('exit', () => {
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    });
  }
  const folder = mkdtempSync(join(tmpdir(), 'hookladder-test-'));
  folders.add(folder);
  return folder;
}

/** Migrated once in each test process; every store begins as a copy of it. */
async function migratedTemplate(): Promise<string> {
  const path = join(temporaryFolder(), 'template.db');
  await migrate(path);
  return path;
}

/** The path of a migrated, empty database in a folder of its own, which goes when the process ends. */
export async function createTestDatabase(): Promise<string> {
  template ??= migratedTemplate();
  const from = await template;
  const path = join(temporaryFolder(), 'hookladder.db');
  copyFileSync(from, path);
  return path;
}

export interface TestStore extends Store {
  /** The file, for what a test does to it by raw SQL or with a second store. */
  readonly path: string;
}

/** A real store on a temporary file. Give `path` to open another one on the same file. */
export async function createTestStore(options: Partial<SqliteStoreOptions> = {}): Promise<TestStore> {
  const path = options.path ?? (await createTestDatabase());
  seeds += 1;
  const random = createSeededRandom(seeds * 7_919);
  const store = createSqliteStore({
    newId: (prefix) => makeId(prefix, Date.UTC(2026, 0, 1), random.bytes(10)),
    ...options,
    path,
  });
  return Object.assign(store, { path });
}
