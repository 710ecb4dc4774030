import { and, asc, desc, eq } from 'drizzle-orm';
import type { Queries, WriteQueries } from '@/server/ports/queries';
import { first, only, type QueryDeps, type WriteDeps } from './database';

type AppQueries = Pick<
  Queries,
  | 'app'
  | 'appById'
  | 'appsOf'
  | 'appEnvironment'
  | 'policy'
  | 'eventTypes'
  | 'eventType'
  | 'receiver'
  | 'receivers'
>;

const MOST_APPS = 1_000;

export function appQueries({ db, schema }: QueryDeps): AppQueries {
  const { apps, appEnvironments, policies, eventTypes, receivers } = schema;
  return {
    app: async (publicId) => first(await db.select().from(apps).where(eq(apps.publicId, publicId)).limit(1)),
    appById: async (id) => first(await db.select().from(apps).where(eq(apps.id, id)).limit(1)),
    appsOf: async (organizationId) =>
      await db
        .select()
        .from(apps)
        .where(eq(apps.organizationId, organizationId))
        .orderBy(asc(apps.id))
        .limit(MOST_APPS),
    appEnvironment: async ({ appId, environment }) =>
      first(
        await db
          .select()
          .from(appEnvironments)
          .where(and(eq(appEnvironments.appId, appId), eq(appEnvironments.environment, environment)))
          .limit(1),
      ),
    policy: async (id) => first(await db.select().from(policies).where(eq(policies.id, id)).limit(1)),
    eventTypes: async (appId) =>
      await db.select().from(eventTypes).where(eq(eventTypes.appId, appId)).orderBy(asc(eventTypes.type)),
    eventType: async (appId, type) =>
      first(
        await db
          .select()
          .from(eventTypes)
          .where(and(eq(eventTypes.appId, appId), eq(eventTypes.type, type)))
          .limit(1),
      ),
    receiver: async (token) =>
      first(await db.select().from(receivers).where(eq(receivers.token, token)).limit(1)),
    receivers: async () => await db.select().from(receivers).orderBy(asc(receivers.token)),
  };
}

type AppWrites = Pick<WriteQueries, 'insertApp' | 'insertPolicy' | 'updateAppEnvironment' | 'insertReceiver'>;

export function appWrites({ db, schema }: WriteDeps): AppWrites {
  const { apps, appEnvironments, policies, eventTypes, receivers } = schema;

  const insertPolicy: AppWrites['insertPolicy'] = async ({ appId, environment }, policy, now) => {
    const [newest] = await db
      .select({ version: policies.version })
      .from(policies)
      .where(and(eq(policies.appId, appId), eq(policies.environment, environment)))
      .orderBy(desc(policies.version))
      .limit(1);
    const version = (newest?.version ?? 0) + 1;
    return only(
      await db.insert(policies).values({ appId, environment, version, policy, createdAt: now }).returning(),
    );
  };

  return {
    insertPolicy,
    async insertApp({ publicId, organizationId, name, policy, eventTypes: types, now }) {
      const app = only(
        await db.insert(apps).values({ publicId, organizationId, name, createdAt: now }).returning(),
      );
      for (const environment of ['test', 'live'] as const) {
        const { id: policyId } = await insertPolicy({ appId: app.id, environment }, policy, now);
        await db.insert(appEnvironments).values({
          appId: app.id,
          environment,
          policyId,
          envelope: 'standard',
          catalogueMode: 'accept',
          nextEndpointNumber: 1,
        });
      }
      for (const type of types) {
        await db.insert(eventTypes).values({ ...type, appId: app.id, createdAt: now });
      }
      return app;
    },
    async updateAppEnvironment({ appId, environment }, change) {
      await db
        .update(appEnvironments)
        .set(change)
        .where(and(eq(appEnvironments.appId, appId), eq(appEnvironments.environment, environment)));
    },
    async insertReceiver(row) {
      await db.insert(receivers).values(row);
    },
  };
}
