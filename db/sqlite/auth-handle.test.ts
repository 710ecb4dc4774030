import { getAuthTables } from 'better-auth/db';
import { organization } from 'better-auth/plugins';
import { eq } from 'drizzle-orm';
import { getTableConfig } from 'drizzle-orm/sqlite-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestStore, type TestStore } from '@/server/testing/temp-store';
import { authDatabase, authSchema } from './auth-handle';

let store: TestStore;
beforeEach(async () => {
  store = await createTestStore();
});
afterEach(() => store.close());

const AT = new Date('2026-01-01T00:00:00.123Z');
const USER = { id: 'usr_1', name: 'A', email: 'a@example.com', createdAt: AT, updatedAt: AT };

const TYPES: Record<string, string> = {
  string: 'string',
  boolean: 'boolean',
  date: 'date',
  number: 'number',
};

describe('Better Auth’s tables', () => {
  const expected = getAuthTables({
    plugins: [organization()],
    user: { additionalFields: { platformRole: { type: 'string', required: false } } },
  });

  it.each(Object.keys(expected))(
    'D13 %s has the columns that Better Auth expects, as it expects them',
    (model) => {
      const table = Object.entries(authSchema).find(([name]) => name === model)?.[1];
      if (table === undefined) throw new Error(`no table ${model}`);
      const { columns, indexes, foreignKeys } = getTableConfig(table);
      const keyOf = new Map(Object.entries(table).map(([key, column]) => [column, key]));
      const own = columns
        .filter(({ primary }) => !primary)
        .map((column) => [keyOf.get(column), column.dataType, column.notNull])
        .sort();
      const wanted = Object.entries(expected[model]?.fields ?? {})
        .map(([name, field]) => [name, TYPES[String(field.type)], field.required !== false])
        .sort();
      expect(own).toEqual(wanted);
      const unique = indexes
        .filter(({ config }) => config.unique)
        .map(({ config }) => config.columns.map((c) => 'name' in c && c.name));
      const wantedUnique = Object.entries(expected[model]?.fields ?? {}).filter(([, field]) => field.unique);
      expect(unique).toEqual(wantedUnique.map(([name]) => [name]));
      const references = Object.values(expected[model]?.fields ?? {}).filter((field) => field.references);
      expect(foreignKeys).toHaveLength(references.length);
    },
  );
});

describe('the auth handle', () => {
  it('D13 reads what it wrote: dates, booleans, missing rows, returned rows', async () => {
    const db = authDatabase(store);
    const [made] = await db.insert(authSchema.user).values(USER).returning();
    expect(made).toMatchObject({ ...USER, emailVerified: false, image: null, platformRole: null });
    expect(await db.select().from(authSchema.user).where(eq(authSchema.user.id, 'usr_1')).get()).toEqual(
      made,
    );
    expect(
      await db.select().from(authSchema.user).where(eq(authSchema.user.id, 'nobody')).get(),
    ).toBeUndefined();
    const changed = await db
      .update(authSchema.user)
      .set({ emailVerified: true, platformRole: 'support' })
      .where(eq(authSchema.user.id, 'usr_1'))
      .returning({ verified: authSchema.user.emailVerified, role: authSchema.user.platformRole });
    expect(changed).toEqual([{ verified: true, role: 'support' }]);
    await expect(db.insert(authSchema.user).values({ ...USER, id: 'usr_2' })).rejects.toThrow();
    await db.delete(authSchema.user).where(eq(authSchema.user.id, 'usr_1'));
    expect(await db.select().from(authSchema.user)).toEqual([]);
  });

  it('P24 it has no connection of its own: its writes wait in the writer’s queue, its reads do not', async () => {
    const db = authDatabase(store);
    let finish = () => {};
    const long = store.transact(async (tx) => {
      await tx.setMeta('a', '1');
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
    });
    let written = false;
    const insert = db
      .insert(authSchema.user)
      .values(USER)
      .then(() => {
        written = true;
      });
    expect(await db.select().from(authSchema.user)).toEqual([]);
    expect(written).toBe(false);
    finish();
    await Promise.all([long, insert]);
    expect(await db.select().from(authSchema.user)).toHaveLength(1);
  });
});
