import { and, asc, count, desc, eq, gt, inArray, isNotNull, isNull, or, type SQL, sql } from 'drizzle-orm';
import type { Queries, WriteQueries } from '@/server/ports/queries';
import { first, only, type QueryDeps, type WriteDeps } from './database';
import { inIndex } from './filters';
import { endpointColumns, endpointRow, secretRow } from './rows';

type EndpointQueries = Pick<
  Queries,
  'endpoints' | 'endpoint' | 'endpointById' | 'secrets' | 'pendingOf' | 'pendingOfEnvironment' | 'oldestDueOf'
>;

const MOST_ENDPOINTS = 1_000;

export function endpointQueries({ db, schema }: QueryDeps): EndpointQueries {
  const { endpoints, endpointSecrets, deliveries } = schema;
  // Said as it stands in the index's own condition, so that the planner may use it.
  const pending = and(
    sql`${deliveries.status} = 'pending'`,
    ...inIndex(deliveries.status, sql`${deliveries.status} <> 'delivered'`),
  );

  return {
    endpoints: async ({ appId, environment }) => {
      const rows = await db
        .select()
        .from(endpoints)
        .where(and(eq(endpoints.appId, appId), eq(endpoints.environment, environment)))
        .orderBy(asc(endpoints.number))
        .limit(MOST_ENDPOINTS);
      return rows.map(endpointRow);
    },
    endpoint: async (publicId) => {
      const row = first(await db.select().from(endpoints).where(eq(endpoints.publicId, publicId)).limit(1));
      return row && endpointRow(row);
    },
    endpointById: async (id) => {
      const row = first(await db.select().from(endpoints).where(eq(endpoints.id, id)).limit(1));
      return row && endpointRow(row);
    },
    secrets: async (endpointId) => {
      const rows = await db
        .select()
        .from(endpointSecrets)
        .where(eq(endpointSecrets.endpointId, endpointId))
        .orderBy(desc(endpointSecrets.version));
      return rows.map(secretRow);
    },
    pendingOf: async (endpointId, limit) => {
      const some = db
        .select({ id: deliveries.id })
        .from(deliveries)
        .where(and(eq(deliveries.endpointId, endpointId), pending))
        .limit(limit)
        .as('some');
      return only(await db.select({ n: count() }).from(some)).n;
    },
    pendingOfEnvironment: async ({ appId, environment }, limit) => {
      const some = db
        .select({ id: deliveries.id })
        .from(deliveries)
        .where(and(eq(deliveries.appId, appId), eq(deliveries.environment, environment), pending))
        .limit(limit)
        .as('some');
      return only(await db.select({ n: count() }).from(some)).n;
    },
    oldestDueOf: (endpointId) => oldestDueOf({ db, schema }, endpointId),
  };
}

/** The due index begins with the app, which the endpoint knows; one seek for each of its two kinds of rows. */
async function oldestDueOf({ db, schema }: QueryDeps, endpointId: number): Promise<number | null> {
  const { endpoints, deliveries } = schema;
  const [at] = await db
    .select({ appId: endpoints.appId })
    .from(endpoints)
    .where(eq(endpoints.id, endpointId));
  if (at === undefined) return null;
  const oldest = async (kind: SQL): Promise<number[]> => {
    const [row] = await db
      .select({ dueAt: deliveries.dueAt })
      .from(deliveries)
      .where(
        and(
          sql`${deliveries.status} = 'pending'`,
          isNull(deliveries.leaseUntil),
          isNotNull(deliveries.endpointId),
          kind,
          eq(deliveries.appId, at.appId),
          eq(deliveries.endpointId, endpointId),
        ),
      )
      .orderBy(asc(deliveries.dueAt))
      .limit(1);
    return row === undefined || row.dueAt === null ? [] : [row.dueAt];
  };
  const found = [
    ...(await oldest(sql`${deliveries.unknowns} < 3`)),
    ...(await oldest(sql`${deliveries.unknowns} >= 3`)),
  ];
  return found.length === 0 ? null : Math.min(...found);
}

type EndpointWrites = Pick<
  WriteQueries,
  | 'insertEndpoint'
  | 'updateEndpoint'
  | 'deleteEndpoint'
  | 'insertSecret'
  | 'expireSecrets'
  | 'openGate'
  | 'closeGate'
>;

function secretWrites({ db, schema }: WriteDeps): Pick<EndpointWrites, 'insertSecret' | 'expireSecrets'> {
  const { endpointSecrets } = schema;
  return {
    async insertSecret({ sealed, ...secret }) {
      const row = only(
        await db
          .insert(endpointSecrets)
          .values({ ...secret, keyId: sealed.keyId, ciphertext: sealed.ciphertext })
          .returning(),
      );
      return secretRow(row);
    },
    async expireSecrets(endpointId, expiresAt) {
      await db
        .update(endpointSecrets)
        .set({ expiresAt })
        .where(
          and(
            eq(endpointSecrets.endpointId, endpointId),
            or(isNull(endpointSecrets.expiresAt), gt(endpointSecrets.expiresAt, expiresAt)),
          ),
        );
    },
  };
}

function gateWrites({ db, schema, note }: WriteDeps): Pick<EndpointWrites, 'openGate' | 'closeGate'> {
  const { gateIntervals } = schema;
  return {
    async openGate({ scope, endpointId, kind, at }) {
      await db.insert(gateIntervals).values({ ...scope, endpointId, kind, fromAt: at });
      note({ ...scope, kind: 'endpoint' });
    },
    async closeGate({ scope, endpointId, kind, at }) {
      await db
        .update(gateIntervals)
        .set({
          toAt: sql`case when ${gateIntervals.fromAt} > ${at} then ${gateIntervals.fromAt} else ${at} end`,
        })
        .where(
          and(
            eq(gateIntervals.appId, scope.appId),
            eq(gateIntervals.environment, scope.environment),
            eq(gateIntervals.endpointId, endpointId),
            eq(gateIntervals.kind, kind),
            isNull(gateIntervals.toAt),
          ),
        );
      note({ ...scope, kind: 'endpoint' });
    },
  };
}

export function endpointWrites(deps: WriteDeps): EndpointWrites {
  const { db, schema, note } = deps;
  const { appEnvironments, endpoints } = schema;

  return {
    ...secretWrites(deps),
    ...gateWrites(deps),
    async insertEndpoint({ scope, now, ...endpoint }) {
      const [taken] = await db
        .update(appEnvironments)
        .set({ nextEndpointNumber: sql`${appEnvironments.nextEndpointNumber} + 1` })
        .where(
          and(eq(appEnvironments.appId, scope.appId), eq(appEnvironments.environment, scope.environment)),
        )
        .returning({ next: appEnvironments.nextEndpointNumber });
      if (taken === undefined) throw new Error('No such app and environment.');
      const { sealedHeaders, ...rest } = endpoint;
      const row = only(
        await db
          .insert(endpoints)
          .values({
            ...rest,
            ...scope,
            number: taken.next - 1,
            sealedHeaders: sealedHeaders?.ciphertext ?? null,
            sealedHeadersKey: sealedHeaders?.keyId ?? null,
            status: 'active',
            consecutiveFailures: 0,
            lastEndReachable: true,
            createdAt: now,
            updatedAt: now,
          })
          .returning(),
      );
      note({ ...scope, kind: 'endpoint' });
      return endpointRow(row);
    },
    async updateEndpoint(id, change, now) {
      const row = only(
        await db
          .update(endpoints)
          .set({ ...endpointColumns(change), updatedAt: now })
          .where(eq(endpoints.id, id))
          .returning(),
      );
      note({ appId: row.appId, environment: row.environment, kind: 'endpoint' });
      return endpointRow(row);
    },
    deleteEndpoint: (id) => deleteEndpoint(deps, id),
  };
}

/** R-DEL-4: with all that hangs on it; its events stay. */
async function deleteEndpoint({ db, schema, note }: WriteDeps, id: number): Promise<number> {
  const { endpoints, endpointSecrets, deliveries, attempts, breakers, breakerEvents, gateIntervals } = schema;
  const [row] = await db.select().from(endpoints).where(eq(endpoints.id, id)).limit(1);
  if (row === undefined) return 0;
  const own = db.select({ id: breakers.id }).from(breakers).where(eq(breakers.endpointId, id));
  await db.delete(attempts).where(eq(attempts.endpointId, id));
  const gone = await db.select({ n: count() }).from(deliveries).where(eq(deliveries.endpointId, id));
  await db.delete(deliveries).where(eq(deliveries.endpointId, id));
  await db.delete(breakerEvents).where(inArray(breakerEvents.breakerId, own));
  await db.delete(breakers).where(eq(breakers.endpointId, id));
  await db.delete(gateIntervals).where(eq(gateIntervals.endpointId, id));
  await db.delete(endpointSecrets).where(eq(endpointSecrets.endpointId, id));
  await db.delete(endpoints).where(eq(endpoints.id, id));
  note({ appId: row.appId, environment: row.environment, kind: 'endpoint' });
  return only(gone).n;
}
