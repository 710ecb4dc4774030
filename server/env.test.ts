import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { demoSetting, serverEnv } from '@/scripts/lib/settings.mjs';
import { ConfigurationError, DEMO_MARKER, diskFacts, type Env, type EnvFacts, parseEnv } from '@/server/env';

const facts: EnvFacts = { cwd: '/srv/app', folderKind: () => 'none', worldReadable: () => [] };
const KEY = Buffer.from(Array.from({ length: 32 }, (_, n) => (n * n * 7 + 13 * n + 5) % 251)).toString(
  'base64',
);
const OTHER = Buffer.from(Array.from({ length: 32 }, (_, n) => (n * n * 11 + 3 * n + 77) % 253)).toString(
  'base64',
);
const SECRET = 'kV7w0mZq2L9xT4bN8cR1yH6uJ3dF5gPa';
const REAL = {
  NODE_ENV: 'production',
  HOOKLADDER_MASTER_KEY: KEY,
  HOOKLADDER_SESSION_SECRET: SECRET,
  PUBLIC_URL: 'https://hooks.example.com',
};

function envOf(record: Record<string, string | undefined>, over: Partial<EnvFacts> = {}): Env {
  const result = parseEnv(record, { ...facts, ...over });
  if (!result.ok) throw new ConfigurationError(result.problems);
  return result.env;
}

function wrong(record: Record<string, string | undefined>, over: Partial<EnvFacts> = {}): string[] {
  const result = parseEnv(record, { ...facts, ...over });
  return result.ok ? [] : result.problems.map(({ name }) => name);
}

describe('defaults', () => {
  it('OPS-1 an almost empty environment gives the documented defaults', () => {
    const env = envOf({ HOOKLADDER_MASTER_KEY: KEY, HOOKLADDER_SESSION_SECRET: SECRET });
    expect(env).toEqual({
      mode: 'production',
      role: 'all',
      demo: false,
      host: '0.0.0.0',
      port: 3000,
      publicUrl: 'http://localhost:3000',
      databaseFile: '/srv/app/data/hookladder.db',
      postgresUrl: null,
      dataFolder: '/srv/app/data',
      masterKeys: [{ id: '1', key: new Uint8Array(Buffer.from(KEY, 'base64')) }],
      sessionSecret: SECRET,
      allowNetworks: [],
      trustedProxies: [],
      concurrency: 256,
      endpointConcurrency: 8,
      dispatchToken: null,
      metricsToken: null,
      mail: null,
      retentionDays: 30,
      logLevel: 'info',
      warnings: ['PUBLIC_URL is not set: links and the sign-in work only on this machine.'],
    });
  });

  it('OPS-1 an empty variable counts as not set', () => {
    expect(envOf({ ...REAL, PORT: '', HOOKLADDER_CONCURRENCY: ' ', LOG_LEVEL: '' })).toMatchObject({
      port: 3000,
      concurrency: 256,
      logLevel: 'info',
    });
  });

  it('OPS-1 the public URL follows the port', () => {
    expect(envOf({ ...REAL, PUBLIC_URL: undefined, PORT: '8080' }).publicUrl).toBe('http://localhost:8080');
  });

  it('OPS-1 everything that is written is taken', () => {
    const env = envOf({
      ...REAL,
      PORT: '8443',
      HOST: '::1',
      DATABASE_URL: 'file:/var/lib/hl/h.db',
      HOOKLADDER_ROLE: 'engine',
      HOOKLADDER_CONCURRENCY: '64',
      HOOKLADDER_ENDPOINT_CONCURRENCY: '2',
      HOOKLADDER_ALLOW_NETWORKS: '10.20.0.0/16, fd00::/8',
      HOOKLADDER_TRUSTED_PROXIES: '127.0.0.1/32',
      HOOKLADDER_DISPATCH_TOKEN: 'dispatch-token-0123',
      HOOKLADDER_METRICS_TOKEN: 'metrics-token-01234',
      HOOKLADDER_RETENTION_DAYS: '90',
      SMTP_URL: 'smtps://u:p@mail.example.com',
      MAIL_FROM: 'Hookladder <hooks@example.com>',
      LOG_LEVEL: 'debug',
    });
    expect(env).toMatchObject({
      port: 8443,
      host: '::1',
      role: 'engine',
      databaseFile: '/var/lib/hl/h.db',
      dataFolder: '/var/lib/hl',
      concurrency: 64,
      endpointConcurrency: 2,
      dispatchToken: 'dispatch-token-0123',
      metricsToken: 'metrics-token-01234',
      retentionDays: 90,
      mail: { url: 'smtps://u:p@mail.example.com', from: 'Hookladder <hooks@example.com>' },
      logLevel: 'debug',
    });
    expect(env.allowNetworks.map((network) => network.text)).toEqual(['10.20.0.0/16', 'fd00::/8']);
    expect(env.trustedProxies.map((network) => network.text)).toEqual(['127.0.0.1/32']);
  });
});

describe('nonsense', () => {
  it.each([
    ['PORT', '0'],
    ['PORT', '65536'],
    ['PORT', '80a'],
    ['PORT', '-1'],
    ['HOST', 'http://0.0.0.0'],
    ['PUBLIC_URL', 'hooks.example.com'],
    ['PUBLIC_URL', 'https://hooks.example.com/console'],
    ['PUBLIC_URL', 'https://user@hooks.example.com'],
    ['PUBLIC_URL', 'https://hooks.example.com/?a'],
    ['PUBLIC_URL', 'ftp://hooks.example.com'],
    ['DATABASE_URL', 'mysql://db/hookladder'],
    ['DATABASE_URL', 'postgres://db'],
    ['DATABASE_URL', 'postgres:///hookladder'],
    ['DATABASE_URL', 'file::memory:'],
    ['DATABASE_URL', 'file:./data/'],
    ['DATABASE_URL', 'file://host/data.db'],
    ['DATABASE_URL', 'file:./data.db?mode=ro'],
    ['HOOKLADDER_MASTER_KEY', 'short'],
    ['HOOKLADDER_MASTER_KEY', Buffer.alloc(31, 7).toString('base64')],
    ['HOOKLADDER_MASTER_KEY', `${KEY},${OTHER}`],
    ['HOOKLADDER_MASTER_KEY', `a:${KEY},a:${OTHER}`],
    ['HOOKLADDER_MASTER_KEY', `A B:${KEY}`],
    ['HOOKLADDER_SESSION_SECRET', 'too-short'],
    ['HOOKLADDER_ROLE', 'worker'],
    ['HOOKLADDER_DEMO', 'yes'],
    ['HOOKLADDER_ALLOW_NETWORKS', '10.0.0.1/8'],
    ['HOOKLADDER_ALLOW_NETWORKS', 'example.com'],
    ['HOOKLADDER_ALLOW_NETWORKS', '0.0.0.0/0'],
    ['HOOKLADDER_ALLOW_NETWORKS', '10.0.0.0/8,::/0'],
    ['HOOKLADDER_TRUSTED_PROXIES', '10.0.0.0/33'],
    ['HOOKLADDER_CONCURRENCY', '0'],
    ['HOOKLADDER_CONCURRENCY', '1e3'],
    ['HOOKLADDER_ENDPOINT_CONCURRENCY', '8.5'],
    ['HOOKLADDER_DISPATCH_TOKEN', 'short'],
    ['HOOKLADDER_METRICS_TOKEN', 'with a space in it'],
    ['HOOKLADDER_RETENTION_DAYS', '0'],
    ['SMTP_URL', 'mail.example.com'],
    ['MAIL_FROM', 'nobody'],
    ['LOG_LEVEL', 'loud'],
    ['NODE_ENV', 'prod'],
  ])('OPS-2 %s=%s is refused by name, with what to write', (name, value) => {
    const result = parseEnv({ ...REAL, [name]: value }, facts);
    expect(result.ok ? [] : result.problems.map((problem) => problem.name)).toEqual([name]);
    const message = result.ok ? '' : new ConfigurationError(result.problems).message;
    expect(message).toMatch(new RegExp(`^  ${name}: .{15,}$`, 'm'));
  });

  it('OPS-2 every wrong variable is named at once', () => {
    expect(wrong({ ...REAL, PORT: 'x', LOG_LEVEL: 'x', HOOKLADDER_ROLE: 'x' }).sort()).toEqual([
      'HOOKLADDER_ROLE',
      'LOG_LEVEL',
      'PORT',
    ]);
  });

  it('OPS-2 mail without a sender is refused', () => {
    expect(wrong({ ...REAL, SMTP_URL: 'smtp://mail.example.com' })).toEqual(['MAIL_FROM']);
  });

  it('OPS-2 no message holds a secret value', () => {
    const values = fc.string({ unit: 'grapheme-ascii', minLength: 12, maxLength: 30 });
    const names = fc.constantFrom(
      'HOOKLADDER_MASTER_KEY',
      'HOOKLADDER_SESSION_SECRET',
      'HOOKLADDER_METRICS_TOKEN',
      'SMTP_URL',
    );
    fc.assert(
      fc.property(names, values, (name, value) => {
        const result = parseEnv({ ...REAL, [name]: value }, facts);
        return (
          result.ok ||
          !result.problems.some(({ message }) => message.includes(value.trim()) && value.trim().length > 11)
        );
      }),
    );
  });

  it('OPS-2 a misspelt setting is pointed out', () => {
    expect(envOf({ ...REAL, HOOKLADDER_CONCURENCY: '9' }).warnings).toEqual([
      'HOOKLADDER_CONCURENCY is no setting of this version and does nothing.',
    ]);
  });
});

describe('master keys', () => {
  it('R-SIG-3 id:key pairs come newest first', () => {
    const { masterKeys } = envOf({ ...REAL, HOOKLADDER_MASTER_KEY: `2026-11:${OTHER}, old:${KEY}` });
    expect(masterKeys.map(({ id }) => id)).toEqual(['2026-11', 'old']);
    expect(Buffer.from(masterKeys[0]?.key ?? []).toString('base64')).toBe(OTHER);
  });

  it('R-SIG-3 URL-safe base64 without padding is the same key', () => {
    const text = Buffer.from(KEY, 'base64').toString('base64url');
    expect(envOf({ ...REAL, HOOKLADDER_MASTER_KEY: text }).masterKeys).toEqual(envOf(REAL).masterKeys);
  });

  it('R-ATT-9 OPS-3 no master key at all refuses to start, in development too', () => {
    expect(wrong({ ...REAL, HOOKLADDER_MASTER_KEY: undefined })).toEqual(['HOOKLADDER_MASTER_KEY']);
    expect(wrong({ ...REAL, NODE_ENV: 'development', HOOKLADDER_MASTER_KEY: undefined })).toEqual([
      'HOOKLADDER_MASTER_KEY',
    ]);
  });
});

describe('what production refuses', () => {
  it.each([
    ['all bytes alike', Buffer.alloc(32, 7)],
    ['zeros', Buffer.alloc(32)],
    ['counting up', Buffer.from(Array.from({ length: 32 }, (_, n) => n))],
    ['counting down', Buffer.from(Array.from({ length: 32 }, (_, n) => 200 - n))],
    ['text', Buffer.from('this-is-a-sample-master-key-0123')],
    ['a short pattern', Buffer.from('deadbeef'.repeat(8), 'hex')],
  ])('OPS-3 a sample key: %s', (_what, bytes) => {
    const record = { ...REAL, HOOKLADDER_MASTER_KEY: `new:${KEY},old:${bytes.toString('base64')}` };
    expect(wrong(record)).toEqual(['HOOKLADDER_MASTER_KEY']);
    expect(wrong({ ...record, NODE_ENV: 'development' })).toEqual([]);
  });

  it('OPS-3 a key that dice made is no sample', () => {
    const bytes = fc
      .uint8Array({ minLength: 32, maxLength: 32 })
      .filter((key) => new Set(key).size > 20 && key.some((byte) => byte > 126));
    fc.assert(
      fc.property(
        bytes,
        (key) => wrong({ ...REAL, HOOKLADDER_MASTER_KEY: Buffer.from(key).toString('base64') }).length === 0,
      ),
    );
  });

  it.each(['please-change-me-please-change-me', 'x'.repeat(40), 'abababababababababababababababab'])(
    'OPS-3 a placeholder for the session secret: %s',
    (secret) => {
      expect(wrong({ ...REAL, HOOKLADDER_SESSION_SECRET: secret })).toEqual(['HOOKLADDER_SESSION_SECRET']);
    },
  );

  it('OPS-3 no session secret, unless only the engine runs', () => {
    expect(wrong({ ...REAL, HOOKLADDER_SESSION_SECRET: undefined })).toEqual(['HOOKLADDER_SESSION_SECRET']);
    expect(wrong({ ...REAL, HOOKLADDER_SESSION_SECRET: undefined, HOOKLADDER_ROLE: 'engine' })).toEqual([]);
  });

  it('OPS-3 an http: PUBLIC_URL that is not loopback', () => {
    expect(wrong({ ...REAL, PUBLIC_URL: 'http://hooks.example.com' })).toEqual(['PUBLIC_URL']);
    expect(wrong({ ...REAL, PUBLIC_URL: 'http://127.0.0.1.example.com' })).toEqual(['PUBLIC_URL']);
    for (const url of [
      'http://localhost:3000',
      'http://127.0.0.9',
      'http://[::1]:3000',
      'https://hooks.example.com',
    ]) {
      expect(wrong({ ...REAL, PUBLIC_URL: url })).toEqual([]);
    }
    expect(wrong({ ...REAL, NODE_ENV: 'development', PUBLIC_URL: 'http://hooks.example.com' })).toEqual([]);
  });

  it('OPS-3 NODE_TLS_REJECT_UNAUTHORIZED=0', () => {
    expect(wrong({ ...REAL, NODE_TLS_REJECT_UNAUTHORIZED: '0' })).toEqual(['NODE_TLS_REJECT_UNAUTHORIZED']);
    expect(wrong({ ...REAL, NODE_TLS_REJECT_UNAUTHORIZED: '1' })).toEqual([]);
    expect(
      envOf({ ...REAL, NODE_ENV: 'development', NODE_TLS_REJECT_UNAUTHORIZED: '0' }).warnings,
    ).toHaveLength(1);
  });

  it('OPS-3 a database that everybody may read', () => {
    const open = { worldReadable: () => ['/srv/app/data/hookladder.db'] };
    expect(wrong(REAL, open)).toEqual(['DATABASE_URL']);
    expect(wrong({ ...REAL, NODE_ENV: 'development' }, open)).toEqual([]);
  });

  it('OPS-3 nothing said about NODE_ENV means production', () => {
    expect(wrong({ ...REAL, NODE_ENV: undefined, PUBLIC_URL: 'http://hooks.example.com' })).toEqual([
      'PUBLIC_URL',
    ]);
  });
});

describe('allowed networks', () => {
  it('R-ATT-7 are said aloud at every start', () => {
    expect(envOf({ ...REAL, HOOKLADDER_ALLOW_NETWORKS: '10.20.0.0/16' }).warnings).toEqual([
      'HOOKLADDER_ALLOW_NETWORKS: deliveries may reach 10.20.0.0/16 besides public addresses.',
    ]);
  });
});

describe('the demo', () => {
  const demo = { NODE_ENV: 'production', HOOKLADDER_DEMO: '1' };

  it('OPS-4 needs nothing, listens on loopback, and its keys are its own', () => {
    expect(envOf(demo)).toMatchObject({
      demo: true,
      host: '127.0.0.1',
      masterKeys: [],
      sessionSecret: null,
      warnings: [],
    });
  });

  it('OPS-4 listens nowhere else', () => {
    expect(wrong({ ...demo, HOST: '0.0.0.0' })).toEqual(['HOST']);
    expect(wrong({ ...demo, HOST: '::1' })).toEqual([]);
  });

  it('OPS-4 is a property of the data folder', () => {
    expect(envOf({ NODE_ENV: 'production' }, { folderKind: () => 'demo' }).demo).toBe(true);
    expect(wrong({ ...REAL, HOOKLADDER_DEMO: '0' }, { folderKind: () => 'demo' })).toEqual([
      'HOOKLADDER_DEMO',
    ]);
    expect(wrong(demo, { folderKind: () => 'other' })).toEqual(['HOOKLADDER_DEMO']);
    expect(envOf({ ...REAL, HOOKLADDER_DEMO: '0' }).demo).toBe(false);
  });
});

describe('the disk', () => {
  const folders: string[] = [];
  const folder = () => {
    const path = mkdtempSync(join(tmpdir(), 'hookladder-env-'));
    folders.push(path);
    return path;
  };
  afterEach(() => {
    for (const path of folders.splice(0)) rmSync(path, { recursive: true, force: true });
  });

  it('OPS-4 tells a demo folder by its marker', () => {
    const cwd = folder();
    const file = join(cwd, 'data', 'hookladder.db');
    const { folderKind } = diskFacts(cwd);
    expect(folderKind(file)).toBe('none');
    mkdirSync(join(cwd, 'data'));
    writeFileSync(join(cwd, 'data', '.keep'), '');
    expect(folderKind(file)).toBe('none');
    writeFileSync(file, '');
    expect(folderKind(file)).toBe('other');
    writeFileSync(join(cwd, 'data', DEMO_MARKER), '{}');
    expect(folderKind(file)).toBe('demo');
  });

  it('OPS-3 finds what everybody may read, the log beside the database too', () => {
    const cwd = folder();
    const file = join(cwd, 'h.db');
    writeFileSync(file, '');
    writeFileSync(`${file}-wal`, '');
    chmodSync(file, 0o600);
    chmodSync(`${file}-wal`, 0o644);
    expect(diskFacts(cwd).worldReadable(file)).toEqual([`${file}-wal`]);
    chmodSync(`${file}-wal`, 0o640);
    expect(diskFacts(cwd).worldReadable(file)).toEqual([]);
  });

  it('OPS-4 the launcher starts the demo on an empty folder with no database named, and nowhere else', () => {
    const root = folder();
    expect(demoSetting({}, root)).toBe('1');
    expect(demoSetting({ HOOKLADDER_DEMO: '0' }, root)).toBe('0');
    expect(demoSetting({ DATABASE_URL: 'file:./other/h.db' }, root)).toBeUndefined();
    mkdirSync(join(root, 'data'));
    writeFileSync(join(root, 'data', 'hookladder.db'), '');
    expect(demoSetting({}, root)).toBeUndefined();
    writeFileSync(join(root, 'data', DEMO_MARKER), '{}');
    expect(demoSetting({}, root)).toBe('1');
    expect(demoSetting({ DATABASE_URL: `file:${root}/data/hookladder.db` }, root)).toBe('1');
    expect(demoSetting({ DATABASE_URL: 'file:data/hookladder.db' }, root)).toBe('1');
  });

  it('OPS-4 the launcher’s environment is one that the configuration takes', () => {
    const root = folder();
    const started = serverEnv({}, { root, dev: false });
    expect(started).toMatchObject({
      PORT: '3000',
      HOST: '127.0.0.1',
      NODE_ENV: 'production',
      NEXT_MANUAL_SIG_HANDLE: 'true',
    });
    expect(parseEnv(started, diskFacts(root)).ok).toBe(true);
    const real = serverEnv({ ...REAL, HOOKLADDER_DEMO: '0' }, { root, dev: false });
    expect(real.HOST).toBe('0.0.0.0');
    expect(parseEnv(real, diskFacts(root)).ok).toBe(true);
  });
});
