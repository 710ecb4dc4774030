import { and, asc, desc, eq, gt, inArray, isNull, lt, type SQL, sql } from 'drizzle-orm';
import { stateOf } from '@/server/core/decide';
import type { DeliveryFilter, Queries, Scope, WriteQueries } from '@/server/ports/queries';
import type { DeliveryListRow } from '@/server/ports/records';
import { first, only, type QueryDeps, type WriteDeps } from './database';
import {
  besideScope,
  drivingConditions,
  filterConditions,
  newestFirst,
  pageConditions,
} from './delivery-conditions';
import { deliveryRow } from './rows';

type DeliveryQueries = Pick<Queries, 'deliveries' | 'delivery' | 'deliveriesOfEvents' | 'typesInUse'>;

/** Ids in one statement. */
const IDS = 500;

function selection({ db, schema: { deliveries, events, endpoints } }: QueryDeps) {
  return db
    .select({
      delivery: deliveries,
      event: {
        eventPublicId: events.publicId,
        resource: events.resource,
        amount: events.amount,
        currency: events.currency,
        exponent: events.exponent,
      },
      endpoint: {
        endpointPublicId: endpoints.publicId,
        endpointNumber: endpoints.number,
        endpointUrl: endpoints.url,
        endpointDescription: endpoints.description,
      },
    })
    .from(deliveries)
    .leftJoin(events, eq(events.id, deliveries.eventId))
    .leftJoin(endpoints, eq(endpoints.id, deliveries.endpointId));
}

type Selected = Awaited<ReturnType<typeof selection>>[number];

function listRow({ delivery, event, endpoint }: Selected): DeliveryListRow {
  const noEvent = { eventPublicId: '', resource: null, amount: null, currency: null, exponent: null };
  const noEndpoint = {
    endpointPublicId: null,
    endpointNumber: null,
    endpointUrl: null,
    endpointDescription: null,
  };
  return { ...deliveryRow(delivery), ...(event ?? noEvent), ...(endpoint ?? noEndpoint) };
}

async function list(deps: QueryDeps, filter: DeliveryFilter, more: SQL[] = []) {
  const { deliveries } = deps.schema;
  const rows = await selection(deps)
    .where(
      and(
        ...drivingConditions(deliveries, filter),
        ...filterConditions(deliveries, filter),
        ...pageConditions(deliveries, filter),
        ...more,
      ),
    )
    .orderBy(newestFirst(filter) ? desc(deliveries.id) : asc(deliveries.id))
    .limit(filter.limit);
  return rows.map(listRow);
}

/** In the order of `ids`. */
async function byIds(deps: QueryDeps, ids: readonly number[]): Promise<DeliveryListRow[]> {
  if (ids.length === 0) return [];
  const rows = await selection(deps).where(inArray(deps.schema.deliveries.id, [...ids]));
  const found = new Map(rows.map(listRow).map((row) => [row.id, row]));
  return ids.flatMap((id) => found.get(id) ?? []);
}

/** Along the attempts with that trigger; a first attempt is what nearly every delivery has. */
async function byTrigger(deps: QueryDeps, filter: DeliveryFilter) {
  const { deliveries, attempts } = deps.schema;
  const { appId, environment, cursor, limit, trigger } = filter;
  if (trigger === 'first') {
    const has = sql`select 1 from ${attempts} where ${attempts.deliveryId} = ${deliveries.id} and ${attempts.trigger} = 'first'`;
    return list(deps, filter, [sql`exists (${has})`]);
  }
  const newest = newestFirst(filter);
  const at = cursor ?? (newest ? Number.MAX_SAFE_INTEGER : 0);
  const found = await deps.db
    .select({ id: attempts.deliveryId })
    .from(attempts)
    .innerJoin(deliveries, eq(deliveries.id, attempts.deliveryId))
    .where(
      and(
        eq(attempts.appId, appId),
        eq(attempts.environment, environment),
        eq(sql`${attempts.trigger}`, trigger),
        sql`${attempts.trigger} <> 'first'`,
        newest ? lt(attempts.deliveryId, at) : gt(attempts.deliveryId, at),
        ...filterConditions(deliveries, filter),
      ),
    )
    .groupBy(attempts.deliveryId)
    .orderBy(newest ? desc(attempts.deliveryId) : asc(attempts.deliveryId))
    .limit(limit);
  return byIds(
    deps,
    found.map(({ id }) => id),
  );
}

/** An event has few deliveries: they are sorted here. */
async function byEvent(deps: QueryDeps, filter: DeliveryFilter, eventId: number) {
  const { deliveries } = deps.schema;
  const rows = await selection(deps).where(
    and(
      eq(deliveries.eventId, eventId),
      ...besideScope(deliveries, filter),
      ...filterConditions(deliveries, filter),
      ...pageConditions(deliveries, filter),
    ),
  );
  const sign = newestFirst(filter) ? -1 : 1;
  return rows
    .map(listRow)
    .sort((a, b) => sign * (a.id - b.id))
    .slice(0, filter.limit);
}

/** One seek for each type that there is, whatever the number of rows. */
async function typesOfDeliveries({ db, schema: { deliveries } }: QueryDeps, scope: Scope, limit: number) {
  const types: string[] = [];
  for (let after = ''; types.length < limit; ) {
    const [next] = await db
      .select({ type: deliveries.type })
      .from(deliveries)
      .where(
        and(
          eq(deliveries.appId, scope.appId),
          eq(deliveries.environment, scope.environment),
          gt(deliveries.type, after),
        ),
      )
      .orderBy(asc(deliveries.type))
      .limit(1);
    if (next === undefined) break;
    types.push(next.type);
    after = next.type;
  }
  return types;
}

export function deliveryQueries(deps: QueryDeps): DeliveryQueries {
  const { db, schema } = deps;
  const { deliveries, eventTypes } = schema;
  return {
    deliveries(filter) {
      if (filter.trigger !== undefined) return byTrigger(deps, filter);
      return filter.eventId === undefined ? list(deps, filter) : byEvent(deps, filter, filter.eventId);
    },
    delivery: async (id) => first(await byIds(deps, [id])),
    async deliveriesOfEvents(eventIds) {
      const found: DeliveryListRow[] = [];
      for (let at = 0; at < eventIds.length; at += IDS) {
        const ids = eventIds.slice(at, at + IDS);
        const rows = await selection(deps).where(inArray(deliveries.eventId, ids));
        found.push(...rows.map(listRow));
      }
      return found.sort((a, b) => a.id - b.id);
    },
    async typesInUse(scope, limit) {
      const listed = await db
        .select({ type: eventTypes.type })
        .from(eventTypes)
        .where(eq(eventTypes.appId, scope.appId))
        .orderBy(asc(eventTypes.type))
        .limit(limit);
      const seen = await typesOfDeliveries(deps, scope, limit);
      return [...new Set([...listed.map(({ type }) => type), ...seen])].sort().slice(0, limit);
    },
  };
}

type DeliveryWrites = Pick<WriteQueries, 'updateDelivery' | 'insertDelivery' | 'deleteUnmatched'>;

export function deliveryWrites({ db, schema: { deliveries }, note }: WriteDeps): DeliveryWrites {
  return {
    async updateDelivery(id, state, change) {
      const row = only(
        await db
          .update(deliveries)
          .set({ ...stateOf(state), ...change })
          .where(eq(deliveries.id, id))
          .returning({ appId: deliveries.appId, environment: deliveries.environment }),
      );
      note({ ...row, kind: 'delivery' });
    },
    async insertDelivery(delivery) {
      const row = only(
        await db
          .insert(deliveries)
          .values({ ...delivery, id: undefined })
          .returning(),
      );
      note({ appId: row.appId, environment: row.environment, kind: 'delivery' });
      return deliveryRow(row);
    },
    async deleteUnmatched(eventId) {
      await db.delete(deliveries).where(and(eq(deliveries.eventId, eventId), isNull(deliveries.endpointId)));
    },
  };
}
