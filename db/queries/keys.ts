import { and, asc, desc, eq, gte } from 'drizzle-orm';
import type { Queries, WriteQueries } from '@/server/ports/queries';
import { first, only, type QueryDeps, type WriteDeps } from './database';

type KeyQueries = Pick<Queries, 'apiKeyByHash' | 'apiKeys' | 'idempotency' | 'meta' | 'auditCount' | 'audit'>;

const MOST_KEYS = 1_000;

export function keyQueries({ db, schema }: QueryDeps): KeyQueries {
  const { apiKeys, idempotencyKeys, meta, auditLog } = schema;
  return {
    apiKeyByHash: async (hash) =>
      first(await db.select().from(apiKeys).where(eq(apiKeys.hash, hash)).limit(1)),
    apiKeys: async (organizationId) =>
      await db
        .select()
        .from(apiKeys)
        .where(eq(apiKeys.organizationId, organizationId))
        .orderBy(asc(apiKeys.id))
        .limit(MOST_KEYS),
    idempotency: async ({ appId, environment }, key) =>
      first(
        await db
          .select()
          .from(idempotencyKeys)
          .where(
            and(
              eq(idempotencyKeys.appId, appId),
              eq(idempotencyKeys.environment, environment),
              eq(idempotencyKeys.key, key),
            ),
          )
          .limit(1),
      ),
    meta: async (key) => first(await db.select().from(meta).where(eq(meta.key, key)).limit(1))?.value ?? null,
    async auditCount({ appId, action, since, limit }) {
      const rows = await db
        .select({ at: auditLog.at })
        .from(auditLog)
        .where(and(eq(auditLog.appId, appId), eq(auditLog.action, action), gte(auditLog.at, since)))
        .orderBy(desc(auditLog.at))
        .limit(limit);
      return rows.map(({ at }) => at);
    },
    async audit({ organizationId, limit }) {
      const rows = await db
        .select()
        .from(auditLog)
        .where(eq(auditLog.organizationId, organizationId))
        .orderBy(desc(auditLog.id))
        .limit(limit);
      return rows.map(({ id: _id, ...row }) => row);
    },
  };
}

type KeyWrites = Pick<
  WriteQueries,
  'insertApiKey' | 'touchApiKey' | 'insertAudit' | 'insertIdempotency' | 'setMeta'
>;

export function keyWrites({ db, schema }: WriteDeps): KeyWrites {
  const { apiKeys, idempotencyKeys, meta, auditLog } = schema;
  return {
    insertApiKey: async (key) => only(await db.insert(apiKeys).values(key).returning()),
    async touchApiKey(id, at) {
      await db.update(apiKeys).set({ lastUsedAt: at }).where(eq(apiKeys.id, id));
    },
    async insertAudit(row) {
      await db.insert(auditLog).values(row);
    },
    async insertIdempotency(row) {
      const made = await db
        .insert(idempotencyKeys)
        .values(row)
        .onConflictDoNothing()
        .returning({ key: idempotencyKeys.key });
      return made.length === 0 ? 'exists' : 'inserted';
    },
    async setMeta(key, value) {
      await db.insert(meta).values({ key, value }).onConflictDoUpdate({ target: meta.key, set: { value } });
    },
  };
}
