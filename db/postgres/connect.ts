import pg from 'pg';

/** Rows of the hot path are read as SQLite gives them, so that both are made into records by the same functions. */
const PARSERS: Readonly<Record<number, (text: string) => unknown>> = {
  /** boolean */
  16: (text) => (text === 't' ? 1 : 0),
  /** bigint: every number of the product is one that JavaScript holds exactly. */
  20: Number,
  /** integer */
  23: Number,
  /** jsonb, as its text */
  3802: (text) => text,
};

const PLAIN = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    PARSERS[oid] ?? pg.types.getTypeParser(oid, format ?? 'text'),
} as pg.CustomTypesConfig;

/** A connection, inside a transaction or not. */
export type Client = Pick<pg.ClientBase, 'query'>;

const names = new Map<string, string>();

/** Every statement of the hot path is prepared once in each connection, under a name of its own. */
function nameOf(text: string): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  const name = `hookladder_${names.size + 1}`;
  names.set(text, name);
  return name;
}

/** Rows as objects; booleans are 0 and 1, jsonb is text (see `PARSERS`). */
export async function select<R = Record<string, unknown>>(
  client: Client,
  text: string,
  values: readonly unknown[] = [],
): Promise<R[]> {
  const query = { name: nameOf(text), text, values: [...values], types: PLAIN };
  return (await client.query(query)).rows as R[];
}

/** Rows as arrays, in the order of the columns. */
export async function selectArrays(
  client: Client,
  text: string,
  values: readonly unknown[] = [],
): Promise<unknown[][]> {
  const query = { name: nameOf(text), text, values: [...values], types: PLAIN, rowMode: 'array' as const };
  return (await client.query<unknown[]>(query)).rows;
}

/** How many rows a statement changed. */
export async function execute(
  client: Client,
  text: string,
  values: readonly unknown[] = [],
): Promise<number> {
  return (await client.query({ name: nameOf(text), text, values: [...values] })).rowCount ?? 0;
}

export interface PoolOptions {
  url: string;
  /** Connections at most. */
  max: number;
  readOnly: boolean;
  onWarning?: (event: string, fields: object) => void;
}

/** How long a read, and a write (the deletion of an endpoint with all its deliveries is one), may take at most, ms. */
const READ_MS = 30_000;
const WRITE_MS = 300_000;
/** A lock is waited for so long at most, ms: whoever holds it longer has stopped, or hangs. */
const LOCK_MS = 10_000;
/** A process that stops inside a transaction (SIGSTOP, a dead network) loses it, and with it its locks, after this, ms. */
const IDLE_IN_TRANSACTION_MS = 5_000;

export function openPool({ url, max, readOnly, onWarning }: PoolOptions): pg.Pool {
  const settings = [
    `statement_timeout=${readOnly ? READ_MS : WRITE_MS}`,
    `lock_timeout=${LOCK_MS}`,
    `idle_in_transaction_session_timeout=${IDLE_IN_TRANSACTION_MS}`,
    // Each statement is short: compiling one costs more than running it.
    'jit=off',
    // What is read lies in memory or on a disk that does not turn.
    'random_page_cost=1.1',
    // Plans are kept: one that was made while a table was small would still walk it when it is large.
    'enable_seqscan=off',
    ...(readOnly ? ['default_transaction_read_only=on'] : ['synchronous_commit=on']),
  ];
  const pool = new pg.Pool({
    connectionString: url,
    max,
    application_name: `hookladder ${readOnly ? 'reader' : 'writer'}`,
    options: settings.map((setting) => `-c ${setting}`).join(' '),
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  });
  // One that breaks fails the query that waits for it; without a listener it would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  // One that breaks while it is idle: the next query opens another one.
  pool.on('error', (error) => onWarning?.('database_connection_lost', { error: String(error) }));
  return pool;
}
