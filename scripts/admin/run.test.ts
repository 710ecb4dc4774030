import { existsSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { authDatabase, authSchema } from '@/db/sqlite/auth-handle';
import { openReader, openWriter } from '@/db/sqlite/connect';
import { pendingMigrations } from '@/db/sqlite/migrate';
import { createSqliteStore } from '@/db/sqlite/store';
import { createAesSecretBox } from '@/server/adapters/aes-secret-box';
import { createAccounts, createDirectory } from '@/server/auth/accounts';
import { createAuth } from '@/server/auth/config';
import { hashKey, parseApiKey } from '@/server/core/api-key';
import { makeId } from '@/server/core/ids';
import { secretIdentity } from '@/server/core/sealed-identity';
import type { AdminDeps } from '@/server/services/admin';
import { createFakeClock } from '@/server/testing/fake-clock';
import { createSeededRandom } from '@/server/testing/seeded-random';
import { UsageError } from './args';
import { runAdmin } from './run';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

const anEndpoint = {
  scope: { appId: 1, environment: 'test' },
  url: 'https://hooks.example.com/in',
  description: '',
  types: [],
  headerNames: [],
  sealedHeaders: null,
  policyId: null,
  concurrency: null,
} as const;
const anEvent = {
  appId: 1,
  environment: 'test',
  type: 'payment.paid',
  body: new TextEncoder().encode('{}'),
  contentType: 'application/json',
  bodySha256: '0'.repeat(64),
  occurredAt: null,
  money: false,
  amount: null,
  currency: null,
  exponent: null,
  resource: null,
  testEndpointId: null,
  actor: null,
} as const;

/** An installation in a folder of its own, as the commands find it: nothing is open before the first command. */
function installation() {
  const folder = mkdtempSync(join(tmpdir(), 'hookladder-admin-'));
  const file = join(folder, 'hookladder.db');
  const clock = createFakeClock();
  const random = createSeededRandom(11);
  const newId = (prefix: string) => makeId(prefix, clock.now(), random.bytes(10));
  const secretBox = createAesSecretBox([{ id: 'k1', key: Buffer.alloc(32, 7) }], random);
  let admin: AdminDeps | null = null;

  const make = (): AdminDeps => {
    const store = createSqliteStore({
      path: file,
      newId,
      sleep: async () => undefined,
      onWarning: () => undefined,
    });
    const auth = createAuth({
      database: authDatabase(store),
      schema: authSchema,
      secret: 'Zk3v9Qp1Xw7Lr5Tb2Ng8Hd4Jm6Cf0Ys-',
      baseURL: 'http://localhost:3000',
      now: () => clock.now(),
      newId,
      log: silent,
    });
    const deps = {
      store,
      clock,
      random,
      secretBox,
      log: silent,
      guard: { allowNetworks: [], ownHosts: [] },
      engine: { kick: () => undefined, status: () => ({ running: false, inFlight: 0, due: 0 }) },
      changes: { subscribe: () => () => undefined },
      directory: createDirectory(auth),
      publicUrl: 'http://localhost:3000',
      demo: false,
    };
    return { deps, accounts: createAccounts(auth, () => clock.now()) };
  };

  const run = async (...argv: string[]) => {
    const out: string[] = [];
    const err: string[] = [];
    const code = await runAdmin(argv, {
      print: (line, stream) => void (stream === 'out' ? out : err).push(line),
      container: {
        databaseFile: () => file,
        open: async () => {
          if (pendingMigrations(file).length > 0) throw new UsageError('Run first: npm run admin -- migrate');
          admin ??= make();
          return admin;
        },
      },
    });
    return { code, out: out.join('\n'), err: err.join('\n') };
  };
  /** Runs with `--json` and returns what was printed; the command must succeed. */
  const json = async (...argv: string[]) => {
    const { code, out, err } = await run(...argv, '--json');
    expect([code, err]).toEqual([0, '']);
    return JSON.parse(out);
  };
  return {
    folder,
    file,
    run,
    json,
    secretBox,
    at: clock.now(),
    store: () => {
      if (admin === null) throw new Error('No command has opened the store yet.');
      return admin.deps.store;
    },
    rows: (sql: string) => {
      const db = openReader(file);
      const rows = db.prepare<[], Record<string, unknown>>(sql).all();
      db.close();
      return rows;
    },
    write: (sql: string, ...values: unknown[]) => {
      const db = openWriter(file);
      db.pragma('foreign_keys = OFF');
      const statement = db.prepare(sql);
      if (statement.reader) statement.all(...values);
      else statement.run(...values);
      db.close();
    },
  };
}

async function migrated() {
  const made = installation();
  expect((await made.run('migrate')).code).toBe(0);
  return made;
}

async function withMerchant() {
  const made = await migrated();
  await made.json('user', 'create', '--email', 'dorj@altanpay.example', '--name', 'Dorj');
  const { organization } = await made.json(
    'org',
    'create',
    '--name',
    'Altan Pay',
    '--owner',
    'dorj@altanpay.example',
  );
  const { app } = await made.json(
    'app',
    'create',
    '--org',
    'altan-pay',
    '--name',
    'Shop',
    '--policy',
    'two-ladder',
  );
  return { ...made, organization, app };
}

describe('npm run admin', () => {
  it('OPS-20 an empty folder asks for the migration, which then brings it up to date', async () => {
    const { run, file } = installation();
    const before = await run('user', 'create', '--email', 'a@b.example', '--name', 'A');
    expect([before.code, before.err]).toEqual([2, expect.stringContaining('npm run admin -- migrate')]);
    expect((await run('migrate')).out).toContain('Applied: 0001_');
    expect((await run('migrate')).out).toBe('The database is up to date.');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('D44 a user’s password is drawn, shown once and kept as a hash alone', async () => {
    const { json, run, rows } = await migrated();
    const { user, password } = await json(
      'user',
      'create',
      '--email',
      'Dorj@AltanPay.example',
      '--name',
      'Dorj',
    );
    expect(password).toMatch(/^([0-9a-hjkmnp-tv-z]{5}-){3}[0-9a-hjkmnp-tv-z]{5}$/);
    expect(user).toMatchObject({ email: 'dorj@altanpay.example', platformRole: null });
    expect(JSON.stringify(rows('SELECT * FROM account'))).not.toContain(password);
    const given = await run(
      'user',
      'create',
      '--email',
      'b@x.example',
      '--name',
      'B',
      '--password',
      'tram-lantern-oxide',
    );
    expect(given.out).not.toContain('tram-lantern-oxide');
  });

  it('D10 a weak password and a second user of one address are refused in words', async () => {
    const { run } = await migrated();
    const create = (...more: string[]) =>
      run('user', 'create', '--email', 'a@b.example', '--name', 'A', ...more);
    expect(await create('--password', 'short')).toMatchObject({
      code: 1,
      err: expect.stringContaining('at least 8'),
    });
    expect((await create()).code).toBe(0);
    expect(await create()).toMatchObject({ code: 1, err: expect.stringContaining('exists already') });
  });

  it('OPS-20 an organization, its owner, an app under a preset in both environments', async () => {
    const { organization, app, rows } = await withMerchant();
    expect(organization).toMatchObject({ name: 'Altan Pay', slug: 'altan-pay' });
    expect(rows('SELECT role FROM member')).toEqual([{ role: 'owner' }]);
    expect(app).toMatchObject({ name: 'Shop', policy: 'two-ladder', organizationId: organization.id });
    const policies = rows('SELECT environment, policy FROM policies ORDER BY environment');
    expect(policies.map(({ environment, policy }) => [environment, JSON.parse(String(policy)).name])).toEqual(
      [
        ['live', 'two-ladder'],
        ['test', 'two-ladder'],
      ],
    );
  });

  it('OPS-20 a second organization of the name gets a short name of its own', async () => {
    const { json } = await withMerchant();
    const { organization } = await json('org', 'create', '--name', 'Altan  Pay!');
    expect(organization.slug).toBe('altan-pay-2');
  });

  it('D19 a key is shown once, bound to environment and app, and kept as a hash', async () => {
    const { json, rows, app, organization } = await withMerchant();
    const words = ['--org', organization.id, '--app', app.id, '--env', 'live', '--expires', '90d'];
    const { key } = await json(
      'key',
      'create',
      ...words,
      '--scopes',
      'events:write,events:read',
      '--name',
      'CI',
    );
    expect(parseApiKey(key.key)?.kind).toBe('live');
    const [row] = rows('SELECT * FROM api_keys');
    expect(row).toMatchObject({
      public_id: key.id,
      organization_id: organization.id,
      environment: 'live',
      name: 'CI',
      hash: hashKey(key.key),
      last4: key.key.slice(-4),
      expires_at: Date.UTC(2026, 0, 1) + 90 * 86_400_000,
    });
    expect(JSON.stringify(row)).not.toContain(key.key);
  });

  it('D19 a platform key is of no organization and alone carries platform scopes', async () => {
    const { json, run, rows, organization } = await withMerchant();
    const { key } = await json('key', 'create', '--ops', '--scopes', 'apps:write,breakers:reset');
    expect(parseApiKey(key.key)?.kind).toBe('ops');
    expect(rows('SELECT organization_id, environment FROM api_keys')).toEqual([
      { organization_id: null, environment: null },
    ]);
    const merchant = ['key', 'create', '--org', organization.id, '--env', 'test', '--scopes'];
    expect((await run(...merchant, 'apps:write')).code).toBe(2);
    expect((await run('key', 'create', '--ops', '--env', 'test', '--scopes', 'apps:write')).code).toBe(2);
  });

  it('D01 a key cannot be bound to another merchant’s app', async () => {
    const { json, run, app } = await withMerchant();
    const { organization } = await json('org', 'create', '--name', 'Other');
    const words = ['--org', organization.id, '--app', app.id, '--env', 'test', '--scopes', 'events:read'];
    expect(await run('key', 'create', ...words)).toMatchObject({
      code: 1,
      err: expect.stringContaining('id'),
    });
  });

  it('OPS-20 roles: a member changes, support comes and goes', async () => {
    const { json, run, rows } = await withMerchant();
    await json('user', 'create', '--email', 'oyun@x.example', '--name', 'Oyun');
    const member = ['org', 'add-member', '--org', 'altan-pay', '--email', 'oyun@x.example', '--role'];
    await json(...member, 'viewer');
    await json(...member, 'admin');
    expect(rows(`SELECT role FROM member ORDER BY role`)).toEqual([{ role: 'admin' }, { role: 'owner' }]);
    expect(await run(...member, 'god')).toMatchObject({
      code: 2,
      err: expect.stringContaining('viewer, developer'),
    });
    await json('support', 'grant', '--email', 'oyun@x.example');
    const role = () =>
      rows(`SELECT platform_role AS role FROM user WHERE email = 'oyun@x.example'`)[0]?.['role'];
    expect(role()).toBe('support');
    await json('support', 'revoke', '--email', 'oyun@x.example');
    expect(role()).toBeNull();
    expect((await run('support', 'revoke', '--email', 'oyun@x.example')).code).toBe(2);
  });

  it('D37 every command stands in the audit log as the system’s, without a secret', async () => {
    const { json, rows, organization } = await withMerchant();
    const { key } = await json(
      'key',
      'create',
      '--org',
      organization.id,
      '--env',
      'test',
      '--scopes',
      'events:read',
    );
    const { password } = await json('user', 'password', '--email', 'dorj@altanpay.example');
    await json('support', 'grant', '--email', 'dorj@altanpay.example');
    const audit = rows('SELECT * FROM audit_log ORDER BY id');
    expect(audit.map(({ action }) => action)).toEqual([
      'user.created',
      'organization.created',
      'member.added',
      'app.created',
      'key.created',
      'user.password_set',
      'platform_role.granted',
    ]);
    expect(new Set(audit.map((row) => row['actor_kind']))).toEqual(new Set(['system']));
    expect(JSON.stringify(audit)).not.toContain(key.key);
    expect(JSON.stringify(audit)).not.toContain(password);
  });

  it('OPS-21 a backup is whole, private, and never over another file', async () => {
    const { run, folder } = await withMerchant();
    const copy = join(folder, 'copy.db');
    expect((await run('backup', copy)).code).toBe(0);
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    const db = openReader(copy);
    expect(db.prepare('SELECT count(*) FROM apps').pluck().get()).toBe(1);
    db.close();
    expect(await run('backup', copy)).toMatchObject({
      code: 2,
      err: expect.stringContaining('exists already'),
    });
    expect((await run('backup')).code).toBe(2);
    expect(existsSync(join(folder, 'none'))).toBe(false);
    expect((await run('backup', join(folder, 'none', 'copy.db'))).code).toBe(2);
  });

  it('OPS-20 check finds nothing in a sound installation', async () => {
    const { run } = await withMerchant();
    const { code, out } = await run('check');
    expect([code, out]).toEqual([0, expect.not.stringContaining('BAD')]);
  });

  it('OPS-20 R-ATT-9 check names what is not well, says what to do, and exits 3', async () => {
    const { run, write, store, secretBox, at } = await withMerchant();
    const { endpoint, deliveryId } = await store().transact(async (tx) => {
      const endpoint = await tx.insertEndpoint({ ...anEndpoint, publicId: 'ep_x', now: at });
      const other = { appId: 1, endpointId: endpoint.id + 1, version: 1 };
      await tx.insertSecret({
        appId: 1,
        endpointId: endpoint.id,
        environment: 'test',
        version: 1,
        sealed: secretBox.seal('whsec_of_another_row', secretIdentity(other)),
        createdAt: at,
        expiresAt: null,
      });
      const published = await tx.publish({ records: [{ ...anEvent, publicId: 'evt_x', createdAt: at }] });
      if (published.kind !== 'published') throw new Error(published.kind);
      return { endpoint, deliveryId: published.events[0]?.deliveries[0]?.id };
    });
    expect((await run('check')).out).toMatch(new RegExp(`BAD {2}secrets .*1 of 1 .*${endpoint.publicId}`));

    const lease = 'UPDATE deliveries SET lease_until = ?, lease_token = ? WHERE id = ?';
    write(lease, at - 599_000, 'token', deliveryId);
    expect((await run('check')).out).toMatch(/ok {3}leases/);
    write(lease, at - 601_000, 'token', deliveryId);
    expect((await run('check')).out).toMatch(/BAD {2}leases .*: 1\./);
    write('UPDATE deliveries SET lease_until = NULL, due_at = NULL WHERE id = ?', deliveryId);
    expect((await run('check')).out).toMatch(/BAD {2}pending/);
    write('UPDATE deliveries SET endpoint_id = 777 WHERE id = ?', deliveryId);
    const { code, out } = await run('check');
    expect(out).toMatch(/BAD {2}links .*deliveries/);
    expect(code).toBe(3);
    const report = JSON.parse((await run('check', '--json')).out);
    expect(report.findings.filter(({ ok }: { ok: boolean }) => !ok).length).toBeGreaterThan(1);
  });

  it('OPS-20 check of a damaged file says so, and which backup to take', async () => {
    const { run, file, write, store } = await withMerchant();
    await store().close();
    write('PRAGMA wal_checkpoint(TRUNCATE)');
    const bytes = readFileSync(file);
    bytes.fill(0xff, 4_096 * 3, 4_096 * 6);
    writeFileSync(file, bytes);
    const { code, out, err } = await run('check');
    expect(code).toBeGreaterThan(0);
    expect(out + err).toMatch(/damaged|malformed/);
  });
});

describe('the command line', () => {
  it.each([
    [[], 2],
    [['--help'], 0],
    [['user', 'create', '--help'], 0],
    [['nonsense'], 2],
    [['user', 'delete'], 2],
    [['user', 'create'], 2],
    [['user', 'create', '--email'], 2],
    [['user', 'create', '--email', 'a@b.example', '--name', 'A', '--colour', 'red'], 2],
    [['key', 'create', '--scopes', 'everything'], 2],
  ])('OPS-20 %j ends with %d and opens nothing', async (argv, code) => {
    const { run, file } = installation();
    const result = await run(...argv);
    expect(result.code).toBe(code);
    expect(result.out + result.err).not.toContain('    at ');
    expect(existsSync(file)).toBe(false);
  });

  it('OPS-20 what is wrong is said so that it can be mended', async () => {
    const { run } = installation();
    expect((await run('user', 'create', '--name', 'A')).err).toContain(
      '--email is missing: write --email ADDRESS',
    );
    expect((await run('user', 'delete')).err).toContain('Did you mean: user create, user password?');
    const json = await run('nonsense', '--json');
    expect(JSON.parse(json.err)).toEqual({
      error: { code: 'usage', message: 'There is no command "nonsense".' },
    });
  });

  it('OPS-20 a file that is no database is a failure in one line', async () => {
    const { run, file } = installation();
    writeFileSync(file, 'this is not SQLite at all, whatever its name says'.repeat(100));
    const { code, err } = await run('migrate');
    expect([code, err.split('\n').length]).toEqual([1, 1]);
  });
});
