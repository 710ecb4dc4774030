// Deliveries as lists and pages show them.
import type { DeliveryFilter, Queries, Scope } from '@/server/ports/queries';
import type { DeliveryListRow } from '@/server/ports/records';
import type { Actor } from './actor';
import type { AttemptResource, DeliveryDetail, DeliveryResource } from './contract';
import { readCursor, writeCursor } from './cursor';
import { buildDeliveryDetail } from './delivery-detail';
import {
  type BoundedCount,
  type DeliveryListVerbInput,
  deliveryInput,
  deliveryListVerbInput,
  deliveryNewerVerbInput,
  noInput,
  type Page,
} from './inputs';
import { attemptsOf, findDelivery } from './lookup';
import { renderAttempt } from './render/attempt';
import { deliveryId, renderDelivery } from './render/delivery';
import { hidesQueries, loadView, type View } from './render/view';
import { defineVerb } from './verb';

const READ = { scope: 'deliveries:read', role: 'viewer' } as const;

const NEWER_LIMIT = 100;
const TYPES_LIMIT = 500;

export const listDeliveries = defineVerb({
  kind: 'query',
  audit: 'none',
  access: READ,
  name: 'deliveries.list',
  target: 'environment',
  input: deliveryListVerbInput,
  handler: async ({ deps, scope, input, actor, app, now }): Promise<Page<DeliveryResource>> => {
    const { limit, cursor, ...fields } = input;
    const queries = deps.store.read;
    const owner = { list: 'deliveries', ...scope, ...fields };
    const filter = await storeFilter({ queries, scope }, fields);
    if (filter === null) return { data: [], next_cursor: null };
    const page = { limit, cursor: readCursor(owner, cursor) };
    const rows = await queries.deliveries({ ...filter, ...page });
    const reader = { queries, scope, now, hidesQueries: hidesQueries(actor, app.organizationId) };
    const view = await loadView(reader, rows);
    const last = rows.length < limit ? undefined : rows[rows.length - 1];
    return {
      data: rows.map((row) => renderDelivery(row, view)),
      next_cursor: last === undefined ? null : writeCursor(owner, last.id),
    };
  },
});

export const newerDeliveries = defineVerb({
  kind: 'query',
  audit: 'none',
  access: READ,
  name: 'deliveries.newer',
  target: 'environment',
  input: deliveryNewerVerbInput,
  handler: async ({ deps, scope, input, actor, app, environment }): Promise<BoundedCount> => {
    const { after, ...fields } = input;
    const queries = deps.store.read;
    const filter = await storeFilter({ queries, scope }, fields);
    if (filter === null) return { count: 0, capped: false };
    const seen = after === undefined ? null : await findDelivery({ actor, app, environment }, queries, after);
    const page = { limit: NEWER_LIMIT, order: 'asc', cursor: seen?.id ?? 0 } as const;
    const rows = await queries.deliveries({ ...filter, ...page });
    return { count: rows.length, capped: rows.length === NEWER_LIMIT };
  },
});

export const typesInUse = defineVerb({
  kind: 'query',
  audit: 'none',
  access: READ,
  name: 'deliveries.types',
  target: 'environment',
  input: noInput,
  handler: async ({ deps, scope }): Promise<string[]> =>
    [...(await deps.store.read.typesInUse(scope, TYPES_LIMIT))].sort(),
});

export const getDelivery = defineVerb({
  kind: 'query',
  audit: 'none',
  access: READ,
  name: 'deliveries.get',
  target: 'app',
  input: deliveryInput,
  handler: async (context): Promise<DeliveryResource> => {
    const { deps, input, now, app, actor } = context;
    const queries = deps.store.read;
    const row = await findDelivery(context, queries, input.deliveryId);
    const view = await viewOf({ queries, now, actor, organizationId: app.organizationId }, row);
    return renderDelivery(row, view);
  },
});

export const getDeliveryDetail = defineVerb({
  kind: 'query',
  audit: 'none',
  access: READ,
  name: 'deliveries.detail',
  target: 'app',
  input: deliveryInput,
  handler: async (context): Promise<DeliveryDetail> => {
    const { deps, input, now, app, actor } = context;
    const queries = deps.store.read;
    const row = await findDelivery(context, queries, input.deliveryId);
    const view = await viewOf({ queries, now, actor, organizationId: app.organizationId }, row);
    return buildDeliveryDetail(queries, row, view);
  },
});

export const listAttempts = defineVerb({
  kind: 'query',
  audit: 'none',
  access: READ,
  name: 'deliveries.attempts',
  target: 'app',
  input: deliveryInput,
  handler: async (context): Promise<AttemptResource[]> => {
    const { deps, input, app, actor } = context;
    const row = await findDelivery(context, deps.store.read, input.deliveryId);
    const shown = { hidesQueries: hidesQueries(actor, app.organizationId) };
    const attempts = await attemptsOf(deps.store.read, row.id);
    return attempts.map((attempt) => renderAttempt(attempt, deliveryId(row), shown));
  },
});

interface Reader {
  queries: Queries;
  now: number;
  actor: Actor;
  organizationId: string;
}

function viewOf(reader: Reader, row: DeliveryListRow): Promise<View> {
  const { queries, now, actor, organizationId } = reader;
  const scope = { appId: row.appId, environment: row.environment };
  return loadView({ queries, scope, now, hidesQueries: hidesQueries(actor, organizationId) }, [row]);
}

/** Filters as the store takes them; null: no row can match, since the endpoint named is not of this scope. */
async function storeFilter(
  at: { queries: Queries; scope: Scope },
  fields: Omit<DeliveryListVerbInput, 'limit' | 'cursor'>,
): Promise<Omit<DeliveryFilter, 'limit'> | null> {
  const { endpointId, code, createdAfter, createdBefore, ...same } = fields;
  const filter: Omit<DeliveryFilter, 'limit'> = {
    ...at.scope,
    ...same,
    statusCode: code,
    createdAfter: instantOf(createdAfter),
    createdBefore: instantOf(createdBefore),
  };
  if (endpointId === undefined) return filter;
  const endpoint = await endpointNumber(at, endpointId);
  return endpoint === null ? null : { ...filter, endpointId: endpoint };
}

/** Epoch ms of an ISO instant that the schema has accepted. */
export function instantOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text);
}

/** The row number of an endpoint of this scope; null: there is none. */
export async function endpointNumber(
  at: { queries: Queries; scope: Scope },
  id: string,
): Promise<number | null> {
  const row = await at.queries.endpoint(id);
  const isHere = row?.appId === at.scope.appId && row.environment === at.scope.environment;
  return isHere ? row.id : null;
}
