import type { EndpointStatus } from '@/server/core/model';
import type {
  PublishedDelivery,
  PublishedEvent,
  PublishRecord,
  PublishResult,
  PublishUnit,
} from '@/server/ports/store';
import { stateValues } from '../sqlite/columns';
import type { LaneBook } from '../sqlite/lane';
import { DELIVERY_COLUMNS, EVENT_COLUMNS, plannedRows } from '../sqlite/publish';
import { insertRows, type Value } from './bulk';
import { type Client, select } from './connect';
import { takeKeys, writeAnswers } from './keys';
import type { Policies } from './policies';
import { lockScopes, type ScopeKey, scopeName } from './scope-lock';
import type { Transaction } from './transactions';

type Scene = Parameters<typeof plannedRows>[1];
type Planned = ReturnType<typeof plannedRows> & { record: PublishRecord };

/** Writes units into the open transaction (R-PUB-1): all of them in a few statements, or none. */
export interface Publisher {
  write(transaction: Transaction, units: readonly PublishUnit[]): Promise<PublishResult[]>;
}

interface RawTarget {
  id: number;
  publicId: string;
  number: number;
  status: EndpointStatus;
  /** JSON text. */
  types: string;
  policyId: number | null;
  appId: number;
  environment: string;
}

const SCOPES = 'unnest($1::bigint[], $2::text[]) AS x(app_id, environment)';
const ENVIRONMENTS = `SELECT ae.app_id AS "appId", ae.environment, ae.policy_id AS "policyId"
  FROM ${SCOPES} JOIN app_environments ae ON ae.app_id = x.app_id AND ae.environment = x.environment`;
const TARGETS = `SELECT ep.id, ep.public_id AS "publicId", ep.number, ep.status, ep.types, ep.policy_id AS "policyId",
    ep.app_id AS "appId", ep.environment
  FROM ${SCOPES} JOIN endpoints ep ON ep.app_id = x.app_id AND ep.environment = x.environment
  ORDER BY ep.app_id, ep.environment, ep.number`;

function scopesOf(records: readonly PublishRecord[]): ScopeKey[] {
  const scopes = records.map(({ appId, environment }) => ({ appId, environment }));
  return [...new Map(scopes.map((scope) => [scopeName(scope), scope])).values()];
}

/** Each app and environment's endpoints and policy, as they are now. */
async function readScenes(
  client: Client,
  records: readonly PublishRecord[],
  policies: Policies,
): Promise<(record: PublishRecord) => Scene> {
  const scopes = scopesOf(records);
  const values = [scopes.map(({ appId }) => appId), scopes.map(({ environment }) => environment)];
  const environments = await select<ScopeKey & { policyId: number }>(client, ENVIRONMENTS, values);
  const targets = await select<RawTarget>(client, TARGETS, values);
  await policies.load(client, [
    ...environments.map(({ policyId }) => policyId),
    ...targets.flatMap(({ policyId }) => policyId ?? []),
  ]);
  const scenes = new Map<string, Scene>();
  for (const { policyId, ...scope } of environments) {
    const name = scopeName(scope);
    const own = targets.filter((target) => scopeName(target) === name);
    scenes.set(name, {
      policyId,
      policy: policies.of(policyId),
      targets: own.map(({ id, publicId, number, status, types, policyId: ownPolicy }) => ({
        id,
        publicId,
        number,
        status,
        types: JSON.parse(types),
        policyId: ownPolicy ?? policyId,
      })),
    });
  }
  return (record) => {
    const scene = scenes.get(scopeName(record));
    if (scene === undefined) throw new Error('No such app and environment.');
    return scene;
  };
}

function bookOver(policies: Policies): LaneBook {
  return { policy: (id) => policies.of(id), lane: () => null, breakerOfProbe: () => null };
}

async function plan(
  client: Client,
  records: readonly PublishRecord[],
  policies: Policies,
): Promise<Planned[]> {
  const planOnce = async () => {
    const sceneOf = await readScenes(client, records, policies);
    const book = bookOver(policies);
    return records.map((record) => ({ record, ...plannedRows(record, sceneOf(record), book) }));
  };
  const planned = await planOnce();
  // R-PUB-3: what waits for want of an endpoint is given to the next one that comes. Whoever brings one waits for this
  // transaction, or this one for it, and then sees it.
  const waiting = planned.filter(({ rows }) =>
    rows.some(({ target, state }) => target === null && state.status === 'pending'),
  );
  if (waiting.length === 0) return planned;
  await lockScopes(client, scopesOf(waiting.map(({ record }) => record)), 'shared');
  return planOnce();
}

function eventValues({ record, matchedAtPublish }: Planned): Value[] {
  return [
    record.publicId,
    record.appId,
    record.environment,
    record.type,
    record.contentType,
    record.bodySha256,
    record.createdAt,
    record.occurredAt,
    record.money,
    record.amount,
    record.currency,
    record.exponent,
    record.resource,
    matchedAtPublish,
    record.body,
  ];
}

function deliveryValues({ record, rows }: Planned, eventId: number): Value[][] {
  const { appId, environment, type, createdAt, money, testEndpointId, actor } = record;
  return rows.map(({ target, policyId, state }) => [
    eventId,
    appId,
    environment,
    target?.id ?? null,
    type,
    policyId,
    createdAt,
    createdAt,
    money,
    testEndpointId !== null,
    actor,
    ...stateValues(state),
  ]);
}

interface MadeDelivery {
  id: number;
  eventId: number;
  endpointId: number | null;
}

async function writeEvents(transaction: Transaction, planned: readonly Planned[]): Promise<PublishedEvent[]> {
  const { client } = transaction;
  const events = await insertRows<{ id: number; publicId: string }>(
    client,
    { table: 'events', columns: EVENT_COLUMNS, rows: planned.map(eventValues) },
    'RETURNING id, public_id AS "publicId"',
  );
  const eventIds = new Map(events.map(({ id, publicId }) => [publicId, id]));
  const idOf = ({ record }: Planned) => eventIds.get(record.publicId) ?? 0;
  const made = await insertRows<MadeDelivery>(
    client,
    {
      table: 'deliveries',
      columns: DELIVERY_COLUMNS,
      rows: planned.flatMap((each) => deliveryValues(each, idOf(each))),
    },
    'RETURNING id, event_id AS "eventId", endpoint_id AS "endpointId"',
  );
  const deliveryIds = new Map(made.map(({ id, eventId, endpointId }) => [`${eventId}/${endpointId}`, id]));
  return planned.map((each) => {
    const { record, rows, matchedAtPublish } = each;
    const { publicId, appId, environment, createdAt } = record;
    const id = idOf(each);
    transaction.note({ appId, environment, kind: 'published' });
    const deliveries = rows.map(
      ({ target, state }): PublishedDelivery => ({
        id: deliveryIds.get(`${id}/${target?.id ?? null}`) ?? 0,
        endpointId: target?.id ?? null,
        endpointPublicId: target?.publicId ?? null,
        endpointNumber: target?.number ?? null,
        status: state.status,
        reason: state.reason,
        createdAt,
      }),
    );
    return { id, publicId, matchedAtPublish, deliveries };
  });
}

/** @param grew is told how many events were written */
export function createPublisher(openPolicies: () => Policies, grew: (rows: number) => void): Publisher {
  return {
    async write(transaction, units) {
      const { client } = transaction;
      const answered = await takeKeys(client, units);
      const fresh = units.filter((unit) => !answered.has(unit));
      const records = fresh.flatMap((unit) => unit.records);
      const planned = records.length === 0 ? [] : await plan(client, records, openPolicies());
      const events = planned.length === 0 ? [] : await writeEvents(transaction, planned);
      grew(planned.length);
      let at = 0;
      const published = new Map<PublishUnit, readonly PublishedEvent[]>();
      for (const unit of fresh) {
        published.set(unit, events.slice(at, at + unit.records.length));
        at += unit.records.length;
      }
      await writeAnswers(client, published);
      return units.map(
        (unit) => answered.get(unit) ?? { kind: 'published', events: published.get(unit) ?? [] },
      );
    },
  };
}
