// R-PUB-1 to 10: one event, or a batch of them, with their deliveries in one transaction.
import { z } from 'zod';
import type { Scope } from '@/server/ports/queries';
import type { AppEnvironmentRow, EventTypeRow } from '@/server/ports/records';
import type { PublishedEvent, PublishRecord, PublishUnit, Tx } from '@/server/ports/store';
import { actorId } from './actor';
import type { EventResource } from './contract';
import type { ServiceDeps } from './deps';
import { type HotQueries, hotReads } from './hot-reads';
import { checkKey, holdingKeys, idempotencyConflict, runOnce, type StoredAnswer } from './idempotency';
import { renderPublished } from './publish-answer';
import { checkType, type Draft, eventContentHash, makeRecord, type Recorded } from './publish-record';
import { loadView, type View } from './render/view';
import { notFound } from './service-error';
import { defineVerb, type HandlerContext } from './verb';

/** R-PUB-7 */
export const MAX_BATCH_EVENTS = 1_000;

const bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array);

const draftShape = {
  type: z.string(),
  body: bytes,
  contentType: z.string().regex(/^[\x20-\x7e]{1,200}$/, 'The content type is not valid.'),
  occurredAt: z.number().int().nullable(),
};

const publishInput = z.strictObject({ ...draftShape, key: z.string().optional() });

const batchInput = z.strictObject({
  events: z
    .array(z.strictObject({ ...draftShape, key: z.string().optional() }))
    .min(1)
    .max(MAX_BATCH_EVENTS),
  /** The request's own key and the hash of method, path and raw body (R-PUB-5). */
  once: z.strictObject({ key: z.string(), contentHash: z.string() }).optional(),
});

const ACCESS = { scope: 'events:write', role: 'developer' } as const;
const RECORD = { action: 'event.published', unrecorded: 'the event itself is the record' };

export type PublishAnswer =
  | { kind: 'published'; event: EventResource }
  | ({ kind: 'replayed' } & StoredAnswer);

export const publishEvent = defineVerb({
  name: 'events.publish',
  kind: 'publish',
  audit: RECORD,
  target: 'environment',
  access: ACCESS,
  input: publishInput,
  handler: async ({ deps, scope, input, now, actor }): Promise<PublishAnswer> => {
    const { key, ...draft } = input;
    checkType(draft.type);
    const queries = hotReads(deps.store);
    const settings = await settingsOf(queries, scope);
    const entry = await queries.eventType(scope.appId, draft.type);
    const recording = { settings, entry, random: deps.random, now, actor: actorId(actor) };
    const recorded = makeRecord(draft, recording);
    const view = await loadView({ queries, scope, now, hidesQueries: false });
    const answer = (events: readonly PublishedEvent[]) => renderFirst(events, recorded, view);
    if (key === undefined) {
      const done = await deps.store.publish({ records: [recorded.record] });
      if (done.kind !== 'published') throw new Error('an event without a key was not published');
      deps.engine.kick();
      return { kind: 'published', event: answer(done.events) };
    }
    return publishKeyed(
      { deps, scope, now },
      { draft, recorded, key: checkKey(key, 'idempotency-key'), answer },
    );
  },
});

async function publishKeyed(
  at: { deps: ServiceDeps; scope: Scope; now: number },
  call: {
    draft: Draft;
    recorded: Recorded;
    key: string;
    answer(events: readonly PublishedEvent[]): EventResource;
  },
): Promise<PublishAnswer> {
  const { store, engine } = at.deps;
  let event: EventResource | null = null;
  const unit: PublishUnit = {
    records: [call.recorded.record],
    idempotency: idempotencyOf(at, call, (events) => {
      event = call.answer(events);
      return event;
    }),
  };
  const done = await holdingKeys({ store, scope: at.scope, keys: [call.key] }, () => store.publish(unit));
  if (done.kind === 'conflict') throw idempotencyConflict();
  if (done.kind === 'replayed') return done;
  engine.kick();
  return { kind: 'published', event: event ?? call.answer(done.events) };
}

function idempotencyOf(
  at: { scope: Scope; now: number },
  call: { draft: Draft; key: string },
  answer: (events: readonly PublishedEvent[]) => EventResource,
): NonNullable<PublishUnit['idempotency']> {
  return {
    ...at.scope,
    key: call.key,
    contentHash: eventContentHash(call.draft),
    createdAt: at.now,
    answer: (events) => ({ status: 201, body: JSON.stringify(answer(events)) }),
  };
}

/** An event of a batch; a repeated item has the first event's id (R-PUB-7). */
export type BatchItem = EventResource & { replayed: boolean };

export type BatchAnswer =
  | { kind: 'published'; items: readonly BatchItem[] }
  | ({ kind: 'replayed' } & StoredAnswer);

export const publishBatch = defineVerb({
  name: 'events.publishBatch',
  kind: 'publish',
  audit: RECORD,
  target: 'environment',
  access: ACCESS,
  input: batchInput,
  handler: async (context): Promise<BatchAnswer> => {
    const { deps, scope, input, now } = context;
    const items = await prepareBatch(context);
    const view = await loadView({ queries: hotReads(deps.store), scope, now, hidesQueries: false });
    const work = (tx: Tx) => writeBatch(tx, items, { scope, now, view });
    const keys = items.flatMap((item) => (item.key === undefined ? [] : [item.key]));
    const answer = await holdingKeys({ store: deps.store, scope, keys: [...new Set(keys)] }, async () => {
      if (input.once === undefined) return { kind: 'done' as const, result: await deps.store.transact(work) };
      const once = { ...input.once, key: checkKey(input.once.key, 'idempotency-key'), answer: storedBatch };
      return runOnce({ deps, scope, now }, once, work);
    });
    if (answer.kind === 'replayed') return answer;
    deps.engine.kick();
    return { kind: 'published', items: answer.result };
  },
});

/** What a batch answers with, and what is kept of it for a replay. */
export function storedBatch(items: readonly BatchItem[]): StoredAnswer {
  return { status: 201, body: JSON.stringify({ data: items }) };
}

interface PreparedItem {
  draft: Draft;
  key: string | undefined;
  recorded: Recorded;
  /** `events.3` */
  path: string;
}

/** One bad event fails the batch and is named by its index (R-PUB-7). */
async function prepareBatch(
  context: HandlerContext<'environment', z.output<typeof batchInput>>,
): Promise<PreparedItem[]> {
  const { deps, scope, input, now, actor } = context;
  const queries = hotReads(deps.store);
  const settings = await settingsOf(queries, scope);
  const entries = new Map<string, EventTypeRow | null>();
  const items: PreparedItem[] = [];
  for (const [index, { key, ...draft }] of input.events.entries()) {
    const path = `events.${index}`;
    checkType(draft.type, `${path}.`);
    if (!entries.has(draft.type)) entries.set(draft.type, await queries.eventType(scope.appId, draft.type));
    const entry = entries.get(draft.type) ?? null;
    const recording = { settings, entry, random: deps.random, now, actor: actorId(actor) };
    const recorded = makeRecord(draft, recording, `${path}.`);
    if (key !== undefined) checkKey(key, `${path}.idempotency_key`);
    items.push({ draft, key, recorded, path });
  }
  return items;
}

/** In the order given: runs of events without a key together, each one with a key by itself. */
async function writeBatch(
  tx: Tx,
  items: readonly PreparedItem[],
  at: { scope: Scope; now: number; view: View },
): Promise<BatchItem[]> {
  const answers: BatchItem[] = [];
  let run: PreparedItem[] = [];
  for (const item of items) {
    if (item.key === undefined) {
      run.push(item);
      continue;
    }
    answers.push(...(await writeRun(tx, run, at.view)));
    run = [];
    answers.push(await writeKeyed(tx, { ...item, key: item.key }, at));
  }
  answers.push(...(await writeRun(tx, run, at.view)));
  return answers;
}

async function writeRun(tx: Tx, run: readonly PreparedItem[], view: View): Promise<BatchItem[]> {
  if (run.length === 0) return [];
  const done = await tx.publish({ records: run.map((item) => item.recorded.record) });
  if (done.kind !== 'published') throw new Error('events without a key were not published');
  return run.map((item, index) => ({
    ...renderFirst(done.events.slice(index, index + 1), item.recorded, view),
    replayed: false,
  }));
}

async function writeKeyed(
  tx: Tx,
  item: PreparedItem & { key: string },
  at: { scope: Scope; now: number; view: View },
): Promise<BatchItem> {
  const answer = (events: readonly PublishedEvent[]) => renderFirst(events, item.recorded, at.view);
  const done = await tx.publish({
    records: [item.recorded.record],
    idempotency: idempotencyOf(at, item, answer),
  });
  if (done.kind === 'conflict') throw idempotencyConflict(`${item.path}.idempotency_key`);
  if (done.kind === 'published') return { ...answer(done.events), replayed: false };
  const stored: EventResource = JSON.parse(done.body);
  return { ...stored, replayed: true };
}

function renderFirst(
  events: readonly PublishedEvent[],
  recorded: { record: PublishRecord; warnings: Recorded['warnings'] },
  view: View,
): EventResource {
  const [event] = events;
  if (event === undefined) throw new Error('the store published nothing');
  return renderPublished(event, { ...recorded, view });
}

async function settingsOf(queries: HotQueries, scope: Scope): Promise<AppEnvironmentRow> {
  const settings = await queries.appEnvironment(scope);
  if (settings === null) throw notFound();
  return settings;
}
