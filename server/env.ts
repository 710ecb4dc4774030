import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Cidr } from '@/server/core/address-guard';
import { isLoopbackHost, type MasterKey } from '@/server/env-fields';
import { type Draft, type Fields, fields, RULES } from '@/server/env-rules';

/** What is read from the machine beside the variables. */
export interface EnvFacts {
  /** Where relative paths begin, absolute. */
  cwd: string;
  /** What the folder of this database file is: made as a demo, made as something else, or nothing yet. */
  folderKind(databaseFile: string): 'demo' | 'other' | 'none';
  /** Files of this database that everybody on the machine may read. */
  worldReadable(databaseFile: string): readonly string[];
}

/** One thing that is wrong: the variable, and what to write. */
export interface EnvProblem {
  name: string;
  message: string;
}

/** The configuration of one process, checked. */
export interface Env {
  mode: 'production' | 'development' | 'test';
  role: 'all' | 'console' | 'engine';
  demo: boolean;
  host: string;
  port: number;
  /** An origin, without a slash at its end. */
  publicUrl: string;
  /** Absolute; with PostgreSQL none is opened there. */
  databaseFile: string;
  /** `postgres://…`; null: SQLite, in the file. */
  postgresUrl: string | null;
  /** Absolute: where the database lies, and what is made once lies beside it. */
  dataFolder: string;
  /** Newest first. Empty only in the demo, whose keys lie in its data folder. */
  masterKeys: readonly MasterKey[];
  /** `null` in the demo, and where no console runs. */
  sessionSecret: string | null;
  allowNetworks: readonly Cidr[];
  trustedProxies: readonly Cidr[];
  /** Attempts in flight: of one engine, and per endpoint over all engines. */
  concurrency: number;
  endpointConcurrency: number;
  /** `null`: made at first start into the data folder. */
  dispatchToken: string | null;
  metricsToken: string | null;
  /** `null`: notices are shown in the console only. */
  mail: { url: string; from: string } | null;
  retentionDays: number;
  logLevel: Fields['LOG_LEVEL'];
  /** What is allowed and still worth a line at start. */
  warnings: readonly string[];
}

export type EnvResult = { ok: true; env: Env } | { ok: false; problems: readonly EnvProblem[] };

function warningsOf(
  { set, strict, host }: Draft,
  record: Readonly<Record<string, string | undefined>>,
): string[] {
  const unknown = Object.keys(record).filter(
    (name) => name.startsWith('HOOKLADDER_') && !(name in fields.shape),
  );
  const allowed = set.HOOKLADDER_ALLOW_NETWORKS.map((network) => network.text).join(', ');
  return [
    ...unknown.map((name) => `${name} is no setting of this version and does nothing.`),
    ...(allowed === ''
      ? []
      : [`HOOKLADDER_ALLOW_NETWORKS: deliveries may reach ${allowed} besides public addresses.`]),
    ...(strict && set.PUBLIC_URL === undefined && !isLoopbackHost(host)
      ? ['PUBLIC_URL is not set: links and the sign-in work only on this machine.']
      : []),
    ...(!strict && set.NODE_TLS_REJECT_UNAUTHORIZED === '0'
      ? ['NODE_TLS_REJECT_UNAUTHORIZED=0: no certificate is checked.']
      : []),
  ];
}

function draftOf(set: Fields, facts: EnvFacts): Draft {
  const { file, postgresUrl } = set.DATABASE_URL;
  const databaseFile = resolve(/* turbopackIgnore: true */ facts.cwd, file);
  const folder = postgresUrl === null ? facts.folderKind(databaseFile) : 'none';
  const demo = set.HOOKLADDER_DEMO ?? folder === 'demo';
  return {
    set,
    demo,
    folder,
    databaseFile,
    host: set.HOST ?? (demo ? '127.0.0.1' : '0.0.0.0'),
    publicUrl: set.PUBLIC_URL ?? `http://localhost:${set.PORT}`,
    strict: set.NODE_ENV === 'production' && !demo,
    worldReadable: facts.worldReadable(databaseFile),
  };
}

/**
 * Checks the whole configuration; pure but for the facts that are asked for. An empty variable counts as not set.
 * Returns every problem at once (first those of single variables), each with what to write (OPS-1, OPS-2, OPS-3).
 */
export function parseEnv(record: Readonly<Record<string, string | undefined>>, facts: EnvFacts): EnvResult {
  const given = Object.fromEntries(
    Object.entries(record).filter(([, text]) => text !== undefined && text.trim() !== ''),
  );
  const parsed = fields.safeParse(given);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => ({ name: String(path[0]), message }));
    return { ok: false, problems };
  }
  const draft = draftOf(parsed.data, facts);
  const problems = RULES.filter((rule) => rule.broken(draft)).map((rule) => ({
    name: rule.name,
    message: rule.message(draft),
  }));
  return problems.length > 0
    ? { ok: false, problems }
    : { ok: true, env: envOf(draft, warningsOf(draft, given)) };
}

function envOf({ set, demo, host, publicUrl, databaseFile }: Draft, warnings: readonly string[]): Env {
  return {
    mode: set.NODE_ENV,
    role: set.HOOKLADDER_ROLE,
    demo,
    host,
    port: set.PORT,
    publicUrl,
    databaseFile,
    postgresUrl: set.DATABASE_URL.postgresUrl,
    dataFolder: dirname(databaseFile),
    masterKeys: set.HOOKLADDER_MASTER_KEY,
    sessionSecret: set.HOOKLADDER_SESSION_SECRET ?? null,
    allowNetworks: set.HOOKLADDER_ALLOW_NETWORKS,
    trustedProxies: set.HOOKLADDER_TRUSTED_PROXIES,
    concurrency: set.HOOKLADDER_CONCURRENCY,
    endpointConcurrency: set.HOOKLADDER_ENDPOINT_CONCURRENCY,
    dispatchToken: set.HOOKLADDER_DISPATCH_TOKEN ?? null,
    metricsToken: set.HOOKLADDER_METRICS_TOKEN ?? null,
    mail: set.SMTP_URL && set.MAIL_FROM ? { url: set.SMTP_URL, from: set.MAIL_FROM } : null,
    retentionDays: set.HOOKLADDER_RETENTION_DAYS,
    logLevel: set.LOG_LEVEL,
    warnings,
  };
}

/** The configuration is wrong; the message is for the person who starts the product, and holds no value. */
export class ConfigurationError extends Error {
  constructor(readonly problems: readonly EnvProblem[]) {
    const lines = problems.map(({ name, message }) => `  ${name}: ${message}`);
    super(`Hookladder does not start, its configuration is wrong:\n${lines.join('\n')}`);
    this.name = 'ConfigurationError';
  }
}

/** Written into a data folder that is made as a demo: such a folder is one for ever. */
export const DEMO_MARKER = 'demo.json';
const WORLD_READABLE = 0o004;

/** What this machine's disk says about a database file. */
export function diskFacts(cwd: string): EnvFacts {
  return {
    cwd,
    folderKind(databaseFile) {
      const folder = dirname(databaseFile);
      if (existsSync(join(folder, DEMO_MARKER))) return 'demo';
      const isUsed = existsSync(folder) && readdirSync(folder).some((name) => !name.startsWith('.'));
      return isUsed ? 'other' : 'none';
    },
    worldReadable: (databaseFile) =>
      [databaseFile, `${databaseFile}-wal`, `${databaseFile}-shm`].filter(
        (file) =>
          existsSync(/* turbopackIgnore: true */ file) &&
          (statSync(/* turbopackIgnore: true */ file).mode & WORLD_READABLE) !== 0,
      ),
  };
}

/** Reads this process's configuration. Throws {@link ConfigurationError} when it is wrong. */
export function readEnv(): Env {
  const result = parseEnv(process.env, diskFacts(process.cwd()));
  if (!result.ok) throw new ConfigurationError(result.problems);
  return result.env;
}
