import { eq, gt, lt, type SQL, sql } from 'drizzle-orm';
import type { DeliveryFilter, Page } from '@/server/ports/queries';
import type { Schema } from '../schema/tables';
import { beside, createdIn, inIndex } from './filters';

type Deliveries = Schema['deliveries'];

export function newestFirst({ order }: Page): boolean {
  return order !== 'asc';
}

type Driving = 'endpoint' | 'reason' | 'errorClass' | 'statusCode' | 'status' | 'type' | 'money' | 'none';

/** The condition whose index the list runs along: the one that is likely to leave the fewest rows. */
function drivingOf({
  endpointId,
  reason,
  errorClass,
  statusCode,
  status,
  type,
  money,
}: DeliveryFilter): Driving {
  const candidates: [Driving, boolean][] = [
    ['endpoint', endpointId !== undefined],
    ['reason', reason !== undefined && reason !== 'waiting'],
    ['errorClass', errorClass !== undefined],
    ['statusCode', statusCode !== undefined],
    ['status', (status !== undefined && status !== 'delivered') || reason === 'waiting'],
    ['type', type !== undefined],
    ['money', money === true],
  ];
  return candidates.find(([, applies]) => applies)?.[0] ?? 'none';
}

function deliveryScope(deliveries: Deliveries, { appId, environment }: DeliveryFilter): SQL[] {
  return [eq(deliveries.appId, appId), eq(deliveries.environment, environment)];
}

export function besideScope(deliveries: Deliveries, { appId, environment }: DeliveryFilter): SQL[] {
  return [beside(deliveries.appId, appId), beside(deliveries.environment, environment)];
}

/** A status other than `delivered`; the literal stands as in the partial index, so that the planner may use it. */
function openStatus(deliveries: Deliveries, status: string): SQL[] {
  const { status: column } = deliveries;
  return [eq(sql`${column}`, status), ...inIndex(column, sql`${column} <> 'delivered'`)];
}

/** What seeks: of all conditions the one that chooses the index. */
export function drivingConditions(deliveries: Deliveries, filter: DeliveryFilter): SQL[] {
  const { endpointId, reason, errorClass, statusCode, status, type } = filter;
  const scope = deliveryScope(deliveries, filter);
  const { lastErrorClass, lastStatusCode } = deliveries;
  const along = drivingOf(filter);
  switch (along) {
    case 'endpoint': {
      const rare = status !== undefined && status !== 'delivered' ? openStatus(deliveries, status) : [];
      return [eq(sql`${deliveries.endpointId}`, endpointId), ...rare, ...besideScope(deliveries, filter)];
    }
    case 'reason':
      return [
        ...scope,
        eq(sql`${deliveries.reason}`, reason),
        ...inIndex(
          deliveries.reason,
          sql`${deliveries.reason} is not null and ${deliveries.reason} <> 'waiting'`,
        ),
      ];
    case 'errorClass':
      return [
        ...scope,
        eq(sql`${lastErrorClass}`, errorClass),
        ...inIndex(lastErrorClass, sql`${lastErrorClass} is not null`),
      ];
    case 'statusCode':
      return [
        ...scope,
        eq(sql`${lastStatusCode}`, statusCode),
        ...inIndex(lastStatusCode, sql`${lastStatusCode} is not null`),
      ];
    case 'status':
      return [...scope, ...openStatus(deliveries, status ?? 'pending')];
    case 'type':
      return [...scope, eq(sql`${deliveries.type}`, type)];
    case 'money':
      return [...scope, sql`${deliveries.money} = true and ${deliveries.money}`];
    case 'none':
      return scope;
    default: {
      const never: never = along;
      return never;
    }
  }
}

/** Every condition as a mere filter; the driving one is then true already. */
export function filterConditions(deliveries: Deliveries, filter: DeliveryFilter): SQL[] {
  const { money } = filter;
  const wanted = [
    [deliveries.status, filter.status],
    [deliveries.type, filter.type],
    [deliveries.endpointId, filter.endpointId],
    [deliveries.eventId, filter.eventId],
    [deliveries.reason, filter.reason],
    [deliveries.lastErrorClass, filter.errorClass],
    [deliveries.lastStatusCode, filter.statusCode],
  ] as const;
  const conditions = createdIn('deliveries', deliveries, filter);
  for (const [column, value] of wanted) {
    if (value !== undefined) conditions.push(beside(column, value));
  }
  if (money !== undefined) conditions.push(money ? sql`${deliveries.money}` : sql`not ${deliveries.money}`);
  return conditions;
}

export function pageConditions(deliveries: Deliveries, filter: DeliveryFilter): SQL[] {
  const { cursor } = filter;
  if (cursor === undefined || cursor === null) return [];
  return [newestFirst(filter) ? lt(deliveries.id, cursor) : gt(deliveries.id, cursor)];
}
