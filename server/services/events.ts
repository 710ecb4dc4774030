// The Events API: every event of the last 30 days, with its body and what became of its deliveries.
import type { EventFilter, Queries } from '@/server/ports/queries';
import type { EventRow } from '@/server/ports/records';
import type { AttemptResource, DeliveryResource, EventResource } from './contract';
import { readCursor, writeCursor } from './cursor';
import { endpointNumber, instantOf } from './deliveries';
import { type EventListVerbInput, eventInput, eventListVerbInput, type Page } from './inputs';
import { attemptsOf, findEvent } from './lookup';
import { renderAttempt } from './render/attempt';
import { deliveryId, renderDelivery } from './render/delivery';
import { renderEvent } from './render/event';
import { hidesQueries, loadView, type ViewReader } from './render/view';
import { invalid } from './service-error';
import { defineVerb } from './verb';

const READ = { scope: 'events:read', role: 'viewer' } as const;

/** R-DEL-5: how far back the Events API lists, ms. */
const LISTED_MS = 30 * 86_400_000;

const FIELDS = [
  'id',
  'type',
  'environment',
  'created_at',
  'occurred_at',
  'money',
  'resource',
  'body',
  'body_encoding',
  'content_type',
  'body_sha256',
  'matched_at_publish',
  'deliveries',
] as const;

export const listEvents = defineVerb({
  kind: 'query',
  audit: 'none',
  access: READ,
  name: 'events.list',
  target: 'environment',
  input: eventListVerbInput,
  handler: async ({ deps, scope, input, now, actor, app }): Promise<Page<Partial<EventResource>>> => {
    const { limit, cursor, fields, order, ...filters } = input;
    const queries = deps.store.read;
    const chosen = chosenFields(fields);
    const owner = { list: 'events', ...scope, order, ...filters };
    const at = readCursor(owner, cursor);
    const filter = await storeFilter({ queries, scope, now }, filters);
    const rows = filter === null ? [] : await queries.events({ ...filter, limit, cursor: at, order });
    const reader = { queries, scope, now, hidesQueries: hidesQueries(actor, app.organizationId) };
    const data = await renderEvents(rows, reader, chosen);
    return { data, next_cursor: nextCursor({ rows, limit, order, at }, (seq) => writeCursor(owner, seq)) };
  },
});

export const getEvent = defineVerb({
  kind: 'query',
  audit: 'none',
  access: READ,
  name: 'events.get',
  target: 'app',
  input: eventInput,
  handler: async (context): Promise<EventResource> => {
    const { deps, input, now, actor, app } = context;
    const queries = deps.store.read;
    const event = await findEvent(context, queries, input.eventId);
    const scope = { appId: event.appId, environment: event.environment };
    const rows = await queries.deliveriesOfEvents([event.id]);
    const reader = { queries, scope, now, hidesQueries: hidesQueries(actor, app.organizationId) };
    const view = await loadView(reader, rows);
    const deliveries = rows.map((row) => renderDelivery(row, view));
    return renderEvent(event, { deliveries, body: event.body });
  },
});

export const listEventAttempts = defineVerb({
  kind: 'query',
  audit: 'none',
  access: READ,
  name: 'events.attempts',
  target: 'app',
  input: eventInput,
  handler: async (context): Promise<AttemptResource[]> => {
    const { deps, input, actor, app } = context;
    const event = await findEvent(context, deps.store.read, input.eventId);
    const shown = { hidesQueries: hidesQueries(actor, app.organizationId) };
    const answer: AttemptResource[] = [];
    for (const row of await deps.store.read.deliveriesOfEvents([event.id])) {
      const id = deliveryId(row);
      const attempts = await attemptsOf(deps.store.read, row.id);
      answer.push(...attempts.map((attempt) => renderAttempt(attempt, id, shown)));
    }
    return answer;
  },
});

/** Descending: null at the end. Ascending: where to ask again later, so that a consumer misses nothing. */
function nextCursor(
  page: { rows: readonly EventRow[]; limit: number; order: 'asc' | 'desc'; at: number | null },
  write: (seq: number) => string,
): string | null {
  const last = page.rows[page.rows.length - 1]?.id;
  if (page.order === 'asc') {
    const seq = last ?? page.at;
    return seq === null ? null : write(seq);
  }
  return last === undefined || page.rows.length < page.limit ? null : write(last);
}

type Field = (typeof FIELDS)[number];

function chosenFields(text: string | undefined): ReadonlySet<Field> {
  if (text === undefined) return new Set(FIELDS);
  const names = text.split(',').map((name) => name.trim());
  return new Set(
    names.map((name) => {
      const field = FIELDS.find((known) => known === name);
      if (field === undefined) throw invalid('fields', `There is no field "${name}" in an event.`);
      return field;
    }),
  );
}

async function renderEvents(
  rows: readonly EventRow[],
  reader: ViewReader & { queries: Queries },
  chosen: ReadonlySet<Field>,
): Promise<Partial<EventResource>[]> {
  const { queries } = reader;
  const ids = rows.map((row) => row.id);
  const bodies = chosen.has('body') ? await queries.eventBodies(ids) : new Map<number, Uint8Array>();
  const deliveryRows = chosen.has('deliveries') ? await queries.deliveriesOfEvents(ids) : [];
  const view = await loadView(reader, deliveryRows);
  const deliveries = new Map<number, DeliveryResource[]>(ids.map((id) => [id, []]));
  for (const row of deliveryRows) deliveries.get(row.eventId)?.push(renderDelivery(row, view));
  return rows.map((row) => {
    const event = renderEvent(row, { deliveries: deliveries.get(row.id) ?? [], body: bodies.get(row.id) });
    return Object.fromEntries(Object.entries(event).filter(([name]) => chosen.has(name as Field)));
  });
}

async function storeFilter(
  at: { queries: Queries; scope: { appId: number; environment: 'test' | 'live' }; now: number },
  fields: Omit<EventListVerbInput, 'limit' | 'cursor' | 'order' | 'fields'>,
): Promise<Omit<EventFilter, 'limit'> | null> {
  const { endpointId, createdAfter, createdBefore, ...same } = fields;
  const filter: Omit<EventFilter, 'limit'> = {
    ...at.scope,
    ...same,
    createdAfter: Math.max(instantOf(createdAfter) ?? 0, at.now - LISTED_MS),
    createdBefore: instantOf(createdBefore),
  };
  if (endpointId === undefined) return filter;
  const endpoint = await endpointNumber(at, endpointId);
  return endpoint === null ? null : { ...filter, endpointId: endpoint };
}
