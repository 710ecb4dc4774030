import { and, asc, desc, eq, gt, inArray, lt, type SQL, sql } from 'drizzle-orm';
import type { DeliveryStatus } from '@/server/core/model';
import type { EventFilter, Page, Queries } from '@/server/ports/queries';
import type { EventRow } from '@/server/ports/records';
import type { Schema } from '../schema/tables';
import { first, type QueryDeps } from './database';
import { beside, createdIn, inIndex } from './filters';
import { eventColumns } from './rows';

type EventQueries = Pick<Queries, 'event' | 'eventById' | 'events' | 'eventBodies'>;

const OPEN: readonly DeliveryStatus[] = ['pending', 'failed', 'skipped'];

function newestFirst({ order }: Page): boolean {
  return order !== 'asc';
}

function createEventConditions({ schema: { events, deliveries } }: QueryDeps) {
  const scope = ({ appId, environment }: EventFilter): SQL[] => [
    eq(events.appId, appId),
    eq(events.environment, environment),
  ];

  /** What seeks. */
  const driving = (filter: EventFilter): SQL[] => {
    if (filter.resource !== undefined) {
      return [
        ...scope(filter),
        eq(events.resource, filter.resource),
        ...inIndex(events.resource, sql`${events.resource} is not null`),
      ];
    }
    if (filter.delivered === 'none') return [...scope(filter), sql`${events.matchedAtPublish} = 0`];
    if (filter.type !== undefined) return [...scope(filter), eq(events.type, filter.type)];
    return scope(filter);
  };

  const hasDelivery = (condition: SQL): SQL =>
    sql`exists (select 1 from ${deliveries} where ${deliveries.eventId} = ${events.id} and ${condition})`;

  const byDelivered = (delivered: EventFilter['delivered']): SQL[] => {
    switch (delivered) {
      case 'true':
        return [
          hasDelivery(sql`${deliveries.status} = 'delivered'`),
          sql`not ${hasDelivery(sql`${deliveries.status} <> 'delivered'`)}`,
        ];
      case 'false':
        return [
          hasDelivery(sql`${deliveries.endpointId} is not null and ${deliveries.status} <> 'delivered'`),
        ];
      case 'none':
        return [sql`${events.matchedAtPublish} = 0`];
      case undefined:
        return [];
      default: {
        const never: never = delivered;
        return never;
      }
    }
  };

  /** Mere filters. */
  const beingBeside = (filter: EventFilter): SQL[] => {
    const conditions = [...createdIn('events', events, filter), ...byDelivered(filter.delivered)];
    if (filter.type !== undefined) conditions.push(beside(events.type, filter.type));
    if (filter.resource !== undefined) conditions.push(beside(events.resource, filter.resource));
    if (filter.status !== undefined) conditions.push(hasDelivery(beside(deliveries.status, filter.status)));
    if (filter.endpointId !== undefined) {
      conditions.push(hasDelivery(eq(deliveries.endpointId, filter.endpointId)));
    }
    return conditions;
  };

  return { scope, driving, beingBeside };
}

function cursorOf(
  filter: EventFilter,
  column: Schema['events']['id'] | Schema['deliveries']['eventId'],
): SQL[] {
  const { cursor } = filter;
  if (cursor === undefined || cursor === null) return [];
  return [newestFirst(filter) ? lt(column, cursor) : gt(column, cursor)];
}

function inOrder(filter: EventFilter, rows: readonly EventRow[]): EventRow[] {
  const sign = newestFirst(filter) ? -1 : 1;
  return [...rows].sort((a, b) => sign * (a.id - b.id)).slice(0, filter.limit);
}

async function list(deps: QueryDeps, filter: EventFilter): Promise<EventRow[]> {
  const { events } = deps.schema;
  const conditions = createEventConditions(deps);
  return await deps.db
    .select(eventColumns(deps.schema))
    .from(events)
    .where(
      and(...conditions.driving(filter), ...conditions.beingBeside(filter), ...cursorOf(filter, events.id)),
    )
    .orderBy(newestFirst(filter) ? desc(events.id) : asc(events.id))
    .limit(filter.limit);
}

/** Ids of events with a delivery of a rare status, along that status's own index. */
async function idsByStatus(deps: QueryDeps, filter: EventFilter, status: DeliveryStatus): Promise<number[]> {
  const { events, deliveries } = deps.schema;
  const rows = await deps.db
    .select({ id: deliveries.eventId })
    .from(deliveries)
    .innerJoin(events, eq(events.id, deliveries.eventId))
    .where(
      and(
        eq(deliveries.appId, filter.appId),
        eq(deliveries.environment, filter.environment),
        eq(sql`${deliveries.status}`, status),
        ...inIndex(deliveries.status, sql`${deliveries.status} <> 'delivered'`),
        ...cursorOf(filter, deliveries.eventId),
        ...createEventConditions(deps).beingBeside(filter),
      ),
    )
    .groupBy(deliveries.eventId)
    .orderBy(newestFirst(filter) ? desc(deliveries.eventId) : asc(deliveries.eventId))
    .limit(filter.limit);
  return rows.map(({ id }) => id);
}

async function byStatuses(deps: QueryDeps, filter: EventFilter, statuses: readonly DeliveryStatus[]) {
  const { events } = deps.schema;
  const found = new Set<number>();
  for (const status of statuses) for (const id of await idsByStatus(deps, filter, status)) found.add(id);
  if (found.size === 0) return [];
  const rows = await deps.db
    .select(eventColumns(deps.schema))
    .from(events)
    .where(inArray(events.id, [...found]));
  return inOrder(filter, rows);
}

/** `skipped` also means those that no endpoint wanted, whatever became of their row. */
async function skipped(deps: QueryDeps, filter: EventFilter): Promise<EventRow[]> {
  const { status: _status, ...rest } = filter;
  const rows = [
    ...(await byStatuses(deps, filter, ['skipped'])),
    ...(await list(deps, { ...rest, delivered: 'none' })),
  ];
  return inOrder(filter, [...new Map(rows.map((row) => [row.id, row])).values()]);
}

export function eventQueries(deps: QueryDeps): EventQueries {
  const { db, schema } = deps;
  const { events } = schema;
  const withBody = { ...eventColumns(schema), body: events.body };
  return {
    event: async (publicId) =>
      first(await db.select(withBody).from(events).where(eq(events.publicId, publicId)).limit(1)),
    eventById: async (id) => first(await db.select(withBody).from(events).where(eq(events.id, id)).limit(1)),
    async events(filter) {
      const { status, delivered, resource } = filter;
      if (resource !== undefined || delivered === 'none') return list(deps, filter);
      if (status === 'skipped' && delivered === undefined) return skipped(deps, filter);
      if (status !== undefined && status !== 'delivered') return byStatuses(deps, filter, [status]);
      return delivered === 'false' ? byStatuses(deps, filter, OPEN) : list(deps, filter);
    },
    async eventBodies(ids) {
      if (ids.length === 0) return new Map();
      const rows = await db
        .select({ id: events.id, body: events.body })
        .from(events)
        .where(inArray(events.id, [...ids]));
      return new Map(rows.map(({ id, body }) => [id, body]));
    },
  };
}
