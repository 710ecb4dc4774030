import Database from 'better-sqlite3';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestPostgres, type TestDatabase } from '@/server/testing/temp-postgres';
import { createTestDatabase } from '@/server/testing/temp-store';

/** Everything that two databases must have alike, one line each, as they say of themselves after their migrations. */
type Facts = ReadonlySet<string>;

/** Which types stand for each other (the column kit). */
const KINDS: Record<string, string> = {
  integer: 'number',
  bigint: 'number',
  boolean: 'number',
  'timestamp(3) with time zone': 'number',
  text: 'text',
  jsonb: 'text',
  blob: 'bytes',
  bytea: 'bytes',
};

/** An index's condition without what each database adds to it; its parts in any order. */
function condition(sql: string | null | undefined): string {
  if (!sql) return '';
  const plain = sql.replace(/::text|[()"`]/g, '').replace(/\s+/g, ' ');
  return ` where ${plain
    .split(/ and /i)
    .map((part) => part.trim().toLowerCase())
    .sort()
    .join(' and ')}`;
}

function column(
  table: string,
  of: { name: string; type: string; notNull: boolean; default: boolean },
): string {
  const kind = KINDS[of.type.toLowerCase()] ?? `unknown type ${of.type}`;
  return `${table}.${of.name}: ${kind}${of.notNull ? ', not null' : ''}${of.default ? ', with a default' : ''}`;
}

function index(
  table: string,
  of: { name: string; unique: boolean; columns: string[]; where: string },
): string {
  return `${table}: ${of.unique ? 'unique ' : ''}index ${of.name} on ${of.columns.join(', ')}${of.where}`;
}

function sqliteFacts(path: string): Facts {
  const db = new Database(path, { readonly: true });
  const facts = new Set<string>();
  const all = (sql: string) => db.prepare<[], Record<string, string | number | null>>(sql).all();
  for (const { name: table } of all(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
  )) {
    const name = String(table);
    const columns = all(`PRAGMA table_info("${name}")`);
    for (const { name: each, type, notnull, dflt_value } of columns) {
      const notNull = notnull === 1;
      facts.add(
        column(name, { name: String(each), type: String(type), notNull, default: dflt_value !== null }),
      );
    }
    const key = columns.filter(({ pk }) => Number(pk) > 0).sort((a, b) => Number(a['pk']) - Number(b['pk']));
    facts.add(`${name}: primary key ${key.map((each) => each['name']).join(', ')}`);
    for (const { name: each, unique, origin } of all(`PRAGMA index_list("${name}")`)) {
      if (origin === 'pk') continue;
      const [found] = all(`SELECT sql FROM sqlite_schema WHERE name = '${each}'`);
      facts.add(
        index(name, {
          name: String(each),
          unique: unique === 1,
          columns: all(`PRAGMA index_info("${each}")`).map((of) => String(of['name'])),
          where: condition(String(found?.['sql'] ?? '').split(/ WHERE /i)[1]),
        }),
      );
    }
    const links = new Map<unknown, Record<string, string | number | null>[]>();
    for (const link of all(`PRAGMA foreign_key_list("${name}")`)) {
      links.set(link['id'], [...(links.get(link['id']) ?? []), link]);
    }
    for (const parts of links.values()) {
      parts.sort((a, b) => Number(a['seq']) - Number(b['seq']));
      const [from, to] = [parts.map((part) => part['from']), parts.map((part) => part['to'])];
      facts.add(
        `${name}: ${from.join(', ')} → ${parts[0]?.['table']} ${to.join(', ')} on delete ${String(parts[0]?.['on_delete']).toLowerCase()}`,
      );
    }
  }
  db.close();
  return facts;
}

const COLUMNS = `SELECT c.relname AS "table", a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type,
    a.attnotnull AS "notNull", a.atthasdef AS "default"
  FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
  WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND a.attnum > 0 AND NOT a.attisdropped`;
const INDEXES = `SELECT t.relname AS "table", c.relname AS name, i.indisunique AS unique, i.indisprimary AS primary,
    pg_get_expr(i.indpred, i.indrelid) AS "where",
    ARRAY(SELECT pg_get_indexdef(i.indexrelid, n, true) FROM generate_series(1, i.indnkeyatts) n) AS columns
  FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid
  WHERE t.relnamespace = 'public'::regnamespace AND i.indisvalid`;
const LINKS = `SELECT c.conrelid::regclass::text AS "table", c.confrelid::regclass::text AS target, c.confdeltype AS deletes,
    ARRAY(SELECT a.attname FROM unnest(c.conkey) WITH ORDINALITY k(n, o)
      JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.n ORDER BY o)::text[] AS "from",
    ARRAY(SELECT a.attname FROM unnest(c.confkey) WITH ORDINALITY k(n, o)
      JOIN pg_attribute a ON a.attrelid = c.confrelid AND a.attnum = k.n ORDER BY o)::text[] AS "to"
  FROM pg_constraint c WHERE c.contype = 'f' AND c.connamespace = 'public'::regnamespace AND c.convalidated`;
const DELETES: Record<string, string> = { a: 'no action', c: 'cascade', r: 'restrict', n: 'set null' };
const plain = (name: string) => name.replaceAll('"', '');

async function postgresFacts(client: pg.Client): Promise<Facts> {
  const facts = new Set<string>();
  for (const { table, ...of } of (await client.query(COLUMNS)).rows) facts.add(column(table, of));
  for (const { table, primary, where, ...of } of (await client.query(INDEXES)).rows) {
    const columns = of.columns.map(plain);
    if (primary) facts.add(`${table}: primary key ${columns.join(', ')}`);
    else facts.add(index(table, { ...of, columns, where: condition(where) }));
  }
  for (const { table, target, deletes, from, to } of (await client.query(LINKS)).rows) {
    facts.add(
      `${plain(table)}: ${from.join(', ')} → ${plain(target)} ${to.join(', ')} on delete ${DELETES[deletes]}`,
    );
  }
  return facts;
}

/** SQLite names the index of a UNIQUE in a table's own text by number: its columns say which it is. */
function withoutNames(fact: string): string {
  return fact.replace(/unique index \S+ on/, 'unique on');
}

function differences(sqlite: Facts, postgres: Facts): string[] {
  const [there, here] = [new Set([...sqlite].map(withoutNames)), new Set([...postgres].map(withoutNames))];
  return [
    ...[...there].filter((fact) => !here.has(fact)).map((fact) => `SQLite alone: ${fact}`),
    ...[...here].filter((fact) => !there.has(fact)).map((fact) => `PostgreSQL alone: ${fact}`),
  ].sort();
}

let database: TestDatabase;
let client: pg.Client;
let sqlite: Facts;

beforeAll(async () => {
  sqlite = sqliteFacts(await createTestDatabase());
  database = await createTestPostgres();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});

afterAll(async () => {
  await client.end();
  await database.drop();
});

describe('the schemas of both databases', () => {
  it('D01 agree in columns, nullability, defaults, keys, uniqueness, indexes with their conditions, and foreign keys', async () => {
    const postgres = await postgresFacts(client);
    expect(differences(sqlite, postgres)).toEqual([]);
    // What is compared is all there is: 24 tables and the one that keeps the migrations.
    expect([...postgres].filter((fact) => fact.includes(': primary key '))).toHaveLength(25);
    expect([...postgres].filter((fact) => fact.includes(' → ')).length).toBeGreaterThan(20);
    expect([...postgres].filter((fact) => fact.includes(' where ')).length).toBeGreaterThan(15);
  });

  const planted: [string, string, RegExp][] = [
    [
      'a column that may be null',
      'ALTER TABLE endpoints ALTER url DROP NOT NULL',
      /SQLite alone: endpoints\.url/,
    ],
    ['a column more', 'ALTER TABLE apps ADD extra text', /PostgreSQL alone: apps\.extra/],
    ['a column less', 'ALTER TABLE attempts DROP retried_stale', /SQLite alone: attempts\.retried_stale/],
    [
      'another type',
      'ALTER TABLE events ALTER body TYPE text USING $$x$$',
      /PostgreSQL alone: events\.body: text/,
    ],
    ['a default', 'ALTER TABLE member ALTER role DROP DEFAULT', /SQLite alone: member\.role/],
    ['an index less', 'DROP INDEX deliveries_created', /SQLite alone: deliveries: index deliveries_created/],
    [
      'an index in another order',
      'DROP INDEX deliveries_endpoint; CREATE INDEX deliveries_endpoint ON deliveries (id, endpoint_id)',
      /PostgreSQL alone: deliveries: index deliveries_endpoint on id, endpoint_id/,
    ],
    [
      'an index that is not unique',
      'DROP INDEX attempts_number; CREATE INDEX attempts_number ON attempts (delivery_id, number)',
      /SQLite alone: attempts: unique on delivery_id, number/,
    ],
    [
      'another condition',
      `DROP INDEX deliveries_due; CREATE INDEX deliveries_due ON deliveries (app_id, endpoint_id, due_at)
       WHERE status = 'pending' AND lease_until IS NULL AND unknowns < 4 AND endpoint_id IS NOT NULL`,
      /PostgreSQL alone: deliveries: index deliveries_due .* unknowns < 4/,
    ],
    [
      'a foreign key less',
      'ALTER TABLE breakers DROP CONSTRAINT breakers_of_endpoint',
      /SQLite alone: breakers: app_id, environment, endpoint_id → endpoints/,
    ],
    [
      'a foreign key that cascades',
      `ALTER TABLE api_keys DROP CONSTRAINT api_keys_app_id_apps_id_fk;
       ALTER TABLE api_keys ADD FOREIGN KEY (app_id) REFERENCES apps (id) ON DELETE CASCADE`,
      /PostgreSQL alone: api_keys: app_id → apps id on delete cascade/,
    ],
    [
      'another primary key',
      'ALTER TABLE idempotency_keys DROP CONSTRAINT idempotency_keys_pk; ALTER TABLE idempotency_keys ADD PRIMARY KEY (key)',
      /PostgreSQL alone: idempotency_keys: primary key key/,
    ],
  ];

  it.each(planted)('D01 a planted difference is seen: %s', async (_what, sql, expected) => {
    await client.query('BEGIN');
    try {
      await client.query(sql);
      expect(differences(sqlite, await postgresFacts(client)).join('\n')).toMatch(expected);
    } finally {
      await client.query('ROLLBACK');
    }
  });

  it('D01 numbers and ids are of 64 bits, text is compared byte by byte', async () => {
    const { rows } = await client.query(
      `SELECT c.relname || '.' || a.attname AS name FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
       LEFT JOIN pg_collation l ON l.oid = a.attcollation
       WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND a.attnum > 0 AND c.relname <> 'migrations'
         AND (a.atttypid = 'int4'::regtype OR (a.atttypid = 'text'::regtype AND l.collname <> 'C'))`,
    );
    expect(rows).toEqual([]);
  });
});
