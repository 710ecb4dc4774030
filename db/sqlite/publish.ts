import type { Database as Connection } from 'better-sqlite3';
import { firstState } from '@/server/core/cycle';
import type { DeliveryState, EndpointStatus } from '@/server/core/model';
import type { Policy } from '@/server/core/policy';
import { planPublish } from '@/server/core/publish-plan';
import type {
  Change,
  PublishedDelivery,
  PublishedEvent,
  PublishRecord,
  PublishResult,
  PublishUnit,
} from '@/server/ports/store';
import { bit, places, STATE_COLUMNS, stateValues } from './columns';
import type { LaneBook } from './lane';

/** An endpoint as publishing sees it. */
interface Target {
  id: number;
  publicId: string;
  number: number;
  status: EndpointStatus;
  types: readonly string[];
  policyId: number;
}

export interface Scene {
  policyId: number;
  policy: Policy;
  targets: readonly Target[];
}

/** What publishes of one transaction read once: each app and environment's endpoints and policy. */
export interface PublishScenes {
  book: LaneBook;
  of(record: PublishRecord): Scene;
}

export interface Publisher {
  scenes(book: LaneBook): PublishScenes;
  /** Writes a unit into the open transaction (R-PUB-1). An exception leaves it to the caller to roll back. */
  write(unit: PublishUnit, scenes: PublishScenes): PublishResult;
}

interface RawTarget {
  id: number;
  publicId: string;
  number: number;
  status: EndpointStatus;
  types: string;
  policyId: number | null;
}

export const EVENT_COLUMNS = [
  'public_id',
  'app_id',
  'environment',
  'type',
  'content_type',
  'body_sha256',
  'created_at',
  'occurred_at',
  'money',
  'amount',
  'currency',
  'exponent',
  'resource',
  'matched_at_publish',
  'body',
];

export const DELIVERY_COLUMNS = [
  'event_id',
  'app_id',
  'environment',
  'endpoint_id',
  'type',
  'policy_id',
  'created_at',
  'event_created_at',
  'money',
  'is_test',
  'actor',
  ...STATE_COLUMNS,
];

function createScenes(db: Connection): (book: LaneBook) => PublishScenes {
  const environmentPolicy = db
    .prepare<[number, string], number>(
      'SELECT policy_id FROM app_environments WHERE app_id = ? AND environment = ?',
    )
    .pluck();
  const endpoints = db.prepare<[number, string], RawTarget>(
    `SELECT id, public_id AS publicId, number, status, types, policy_id AS policyId
     FROM endpoints WHERE app_id = ? AND environment = ? ORDER BY number`,
  );
  const read = (book: LaneBook, { appId, environment }: PublishRecord): Scene => {
    const policyId = environmentPolicy.get(appId, environment);
    if (policyId === undefined) throw new Error('No such app and environment.');
    const targets = endpoints
      .all(appId, environment)
      .map((raw) => ({ ...raw, types: JSON.parse(raw.types), policyId: raw.policyId ?? policyId }));
    return { policyId, policy: book.policy(policyId), targets };
  };
  return (book) => {
    const scenes = new Map<string, Scene>();
    return {
      book,
      of(record) {
        const key = `${record.appId}/${record.environment}`;
        const known = scenes.get(key);
        if (known !== undefined) return known;
        const scene = read(book, record);
        scenes.set(key, scene);
        return scene;
      },
    };
  };
}

/** The rows of one event: a delivery for each endpoint that matches, or the one that says that none did. */
export function plannedRows(record: PublishRecord, { targets, policy, policyId }: Scene, book: LaneBook) {
  const now = record.createdAt;
  const { endpointIds, unmatched } = planPublish({ endpoints: targets, record, policy, now });
  const trigger = record.testEndpointId === null ? 'first' : 'test';
  const matched = new Set(endpointIds);
  const states = new Map<number, DeliveryState>();
  /** Endpoints under one policy begin alike. */
  const stateUnder = (id: number): DeliveryState => {
    const known = states.get(id);
    if (known !== undefined) return known;
    const ladder = id === policyId ? policy : book.policy(id);
    const state = firstState({ now, eventCreatedAt: record.createdAt, ladder, trigger });
    states.set(id, state);
    return state;
  };
  const rows: { target: Target | null; policyId: number; state: DeliveryState }[] = targets
    .filter(({ id }) => matched.has(id))
    .map((target) => ({ target, policyId: target.policyId, state: stateUnder(target.policyId) }));
  if (unmatched !== null) rows.push({ target: null, policyId, state: unmatched });
  return { matchedAtPublish: endpointIds.length, rows };
}

function createEventWriter(db: Connection, note: (change: Change) => void) {
  const insertEvent = db.prepare(
    `INSERT INTO events (${EVENT_COLUMNS.join(', ')}) VALUES (${places(EVENT_COLUMNS)})`,
  );
  const insertDelivery = db.prepare(
    `INSERT INTO deliveries (${DELIVERY_COLUMNS.join(', ')}) VALUES (${places(DELIVERY_COLUMNS)})`,
  );

  return (record: PublishRecord, scene: Scene, book: LaneBook): PublishedEvent => {
    const { matchedAtPublish, rows } = plannedRows(record, scene, book);
    const { appId, environment, publicId, type, createdAt } = record;
    const eventId = Number(
      insertEvent.run(
        publicId,
        appId,
        environment,
        type,
        record.contentType,
        record.bodySha256,
        createdAt,
        record.occurredAt,
        bit(record.money),
        record.amount,
        record.currency,
        record.exponent,
        record.resource,
        matchedAtPublish,
        record.body,
      ).lastInsertRowid,
    );
    const deliveries = rows.map(({ target, policyId, state }): PublishedDelivery => {
      const made = insertDelivery.run(
        eventId,
        appId,
        environment,
        target?.id ?? null,
        type,
        policyId,
        createdAt,
        createdAt,
        bit(record.money),
        bit(record.testEndpointId !== null),
        record.actor,
        ...stateValues(state),
      );
      return {
        id: Number(made.lastInsertRowid),
        endpointId: target?.id ?? null,
        endpointPublicId: target?.publicId ?? null,
        endpointNumber: target?.number ?? null,
        status: state.status,
        reason: state.reason,
        createdAt,
      };
    });
    note({ appId, environment, kind: 'published' });
    return { id: eventId, publicId, matchedAtPublish, deliveries };
  };
}

interface StoredAnswer {
  contentHash: string;
  status: number;
  body: string;
}

/** R-PUB-5: the unique key decides, and the answer is written beside what it protects. */
function createKeyWriter(db: Connection) {
  const take = db.prepare(
    `INSERT INTO idempotency_keys (app_id, environment, key, content_hash, status, body, created_at)
     VALUES (?, ?, ?, ?, 0, '', ?) ON CONFLICT DO NOTHING`,
  );
  const answer = db.prepare(
    'UPDATE idempotency_keys SET status = ?, body = ? WHERE app_id = ? AND environment = ? AND key = ?',
  );
  const stored = db.prepare<[number, string, string], StoredAnswer>(
    `SELECT content_hash AS contentHash, status, body FROM idempotency_keys
     WHERE app_id = ? AND environment = ? AND key = ?`,
  );

  return (
    {
      appId,
      environment,
      key,
      contentHash,
      createdAt,
      answer: build,
    }: NonNullable<PublishUnit['idempotency']>,
    write: () => readonly PublishedEvent[],
  ): PublishResult => {
    if (take.run(appId, environment, key, contentHash, createdAt).changes === 0) {
      const found = stored.get(appId, environment, key);
      if (found === undefined || found.contentHash !== contentHash) return { kind: 'conflict' };
      return { kind: 'replayed', status: found.status, body: found.body };
    }
    const events = write();
    const { status, body } = build(events);
    answer.run(status, body, appId, environment, key);
    return { kind: 'published', events };
  };
}

export function createPublisher(db: Connection, note: (change: Change) => void): Publisher {
  const writeEvent = createEventWriter(db, note);
  const underKey = createKeyWriter(db);

  return {
    scenes: createScenes(db),
    write(unit, scenes) {
      const write = () => unit.records.map((record) => writeEvent(record, scenes.of(record), scenes.book));
      return unit.idempotency === undefined
        ? { kind: 'published', events: write() }
        : underKey(unit.idempotency, write);
    },
  };
}
