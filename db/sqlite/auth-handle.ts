import type { Database as Connection } from 'better-sqlite3';
import { drizzle } from 'drizzle-orm/sqlite-proxy';
import type { Store } from '@/server/ports/store';
import { schema } from '../schema/sqlite';
import { partsOf } from './store';

/** Better Auth's tables by their own names. */
export const authSchema = {
  user: schema.user,
  session: schema.session,
  account: schema.account,
  verification: schema.verification,
  organization: schema.organization,
  member: schema.member,
  invitation: schema.invitation,
};

type Method = 'run' | 'all' | 'values' | 'get';

function execute(connection: Connection, sql: string, at: { values: unknown[]; method: Method }) {
  const statement = connection.prepare<unknown[], unknown[]>(sql);
  if (!statement.reader) {
    statement.run(...at.values);
    return { rows: [] };
  }
  statement.raw(true);
  // The proxy takes a missing row as none only when it is told so.
  if (at.method === 'get') return { rows: statement.get(...at.values) as unknown as unknown[] };
  return { rows: statement.all(...at.values) };
}

/**
 * A Drizzle handle for Better Auth that has no connection of its own: what writes goes through the writer's queue, one
 * transaction each, what only reads to the connection that cannot write.
 */
export function authDatabase(store: Store) {
  const { writer, connection, reader } = partsOf(store);
  return drizzle(
    async (sql, values, method) => {
      const isRead = connection.prepare(sql).readonly;
      return isRead
        ? execute(reader, sql, { values, method })
        : writer.run(() => execute(connection, sql, { values, method }));
    },
    { schema: authSchema },
  );
}
