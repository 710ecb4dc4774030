import { drizzle } from 'drizzle-orm/node-postgres';
import type { Store } from '@/server/ports/store';
import { schema } from '../schema/postgres';
import { poolOf } from './store';

/** Better Auth's tables by their own names. */
export const postgresAuthSchema = {
  user: schema.user,
  session: schema.session,
  account: schema.account,
  verification: schema.verification,
  organization: schema.organization,
  member: schema.member,
  invitation: schema.invitation,
};

/** A Drizzle handle for Better Auth (`provider: 'pg'`) over the store's own connections; each statement is its own transaction. */
export function postgresAuthDatabase(store: Store) {
  return drizzle(poolOf(store), { schema: postgresAuthSchema as unknown as Record<string, unknown> });
}
