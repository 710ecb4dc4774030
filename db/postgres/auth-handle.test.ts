import { getAuthTables } from 'better-auth/db';
import { organization } from 'better-auth/plugins';
import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestPostgresStore, type TestPostgresStore } from '@/server/testing/temp-postgres';
import { postgresAuthDatabase, postgresAuthSchema } from './auth-handle';

let store: TestPostgresStore;
beforeEach(async () => {
  store = await createTestPostgresStore();
});
afterEach(() => store.close());

const AT = new Date('2026-01-01T00:00:00.123Z');
const USER = { id: 'usr_1', name: 'A', email: 'a@example.com', createdAt: AT, updatedAt: AT };

describe('the auth handle on PostgreSQL', () => {
  it('D13 has every table and field that Better Auth expects', () => {
    const expected = getAuthTables({
      plugins: [organization()],
      user: { additionalFields: { platformRole: { type: 'string', required: false } } },
    });
    for (const [model, { fields }] of Object.entries(expected)) {
      const table = Object.entries(postgresAuthSchema).find(([name]) => name === model)?.[1];
      expect([model, Object.keys(table ?? {})]).toEqual([model, expect.arrayContaining(Object.keys(fields))]);
    }
  });

  it('D13 reads what it wrote: dates to the millisecond, booleans, missing rows, returned rows', async () => {
    const db = postgresAuthDatabase(store);
    const { user } = postgresAuthSchema;
    const table = user as unknown as Parameters<typeof db.insert>[0];
    const [made] = await db.insert(table).values(USER).returning();
    expect(made).toMatchObject({ ...USER, emailVerified: false, image: null, platformRole: null });
    const find = (id: string) => db.select().from(table).where(eq(user.id, id));
    expect(await find('usr_1')).toEqual([made]);
    expect(await find('nobody')).toEqual([]);
    const changed = await db
      .update(table)
      .set({ emailVerified: true, platformRole: 'support' })
      .where(eq(user.id, 'usr_1'))
      .returning();
    expect(changed).toMatchObject([{ emailVerified: true, platformRole: 'support' }]);
    await expect(db.insert(table).values({ ...USER, id: 'usr_2' })).rejects.toThrow();
    await db.delete(table).where(eq(user.id, 'usr_1'));
    expect(await find('usr_1')).toEqual([]);
  });

  it('D13 a store on another database is refused', () => {
    expect(() => postgresAuthDatabase({ ...store })).toThrow('Not a store on PostgreSQL.');
  });
});
