import pg from 'pg';
import type { Store } from '@/server/ports/store';
import { createTestPostgresStore } from '@/server/testing/temp-postgres';
import type { MakeStore } from '../conformance/bed.conformance';
import { describeStore } from '../store.conformance';

/** Damages that SQLite's loose columns take and PostgreSQL's do not, as what comes nearest here. */
const AS_HERE: readonly (readonly [string, string])[] = [
  [
    "UPDATE events SET body = 'text' WHERE id = 1",
    'ALTER TABLE events ALTER body DROP NOT NULL; UPDATE events SET body = NULL WHERE id = 1',
  ],
  ["99, '{', created_at", '99, \'"{"\'::jsonb, created_at'],
  ["99, '{}', created_at", "99, '{}'::jsonb, created_at"],
];

/** Placeholders as PostgreSQL writes them. */
function inPostgres(sql: string): string {
  const [known] = AS_HERE.filter(([there]) => sql.includes(there));
  const text = known === undefined ? sql : sql.replace(...known);
  let place = 0;
  return text.replaceAll('?', () => {
    place += 1;
    return `$${place}`;
  });
}

const NUMBERS: pg.CustomTypesConfig = {
  getTypeParser: (oid: number) => (oid === 20 ? Number : pg.types.getTypeParser(oid)),
} as pg.CustomTypesConfig;

const makeStore: MakeStore = async () => {
  const store = await createTestPostgresStore();
  const others: Store[] = [];
  const pool = new pg.Pool({ connectionString: store.url, max: 1, types: NUMBERS });
  const run = async (sql: string, values: unknown[]) => {
    // Several statements have no placeholders.
    const { rows } = await pool.query(inPostgres(sql), values.length === 0 ? undefined : values);
    return rows;
  };
  return {
    store,
    async another() {
      const other = await createTestPostgresStore({ url: store.url });
      others.push(other);
      return other;
    },
    async damage(sql, ...values) {
      await pool.query("SET session_replication_role = 'replica'");
      try {
        await run(sql, values);
      } finally {
        await pool.query("SET session_replication_role = 'origin'");
      }
    },
    exec: async (sql, ...values) => void (await run(sql, values)),
    rows: (sql) => run(sql, []),
    async close() {
      await pool.end();
      for (const other of others) await other.close();
      await store.close();
    },
  };
};

describeStore('PostgreSQL', makeStore);
