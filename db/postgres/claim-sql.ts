import { PROBE_CANDIDATES } from '@/server/core/gates';
import type { Candidate } from '../sqlite/claim-statements';
import {
  DELIVERY_COLUMNS,
  deliveryIdOf,
  EVENT_COLUMNS,
  endpointIdOf,
  type RawDelivery,
} from '../sqlite/delivery-row';
import { IS_TEST, type Key, OPEN, type WalkKind } from './claim-heads';
import { type Client, select, selectArrays } from './connect';

/** How long a claim waits for lanes that other engines hold, while it holds nothing itself. */
export const SHORT_WAIT = "SET LOCAL lock_timeout = '1s'";

/** How many test sends one claim looks at: each app may make 20 a minute. */
const TESTS = 200;

const PLACES = DELIVERY_COLUMNS.split(', ');
const DUE_AT = PLACES.indexOf('d.due_at');
const POLICY_ID = PLACES.indexOf('d.policy_id');

export function policyIdOfRow(raw: RawDelivery): number {
  return Number(raw[POLICY_ID]);
}

/** First attempts of test sends that are due (R-RES-3). */
export function dueTests(client: Client, now: number): Promise<{ id: number; endpointId: number | null }[]> {
  return select(
    client,
    `SELECT d.id, d.endpoint_id AS "endpointId" FROM deliveries d
     WHERE ${IS_TEST} AND d.due_at <= $1 ORDER BY d.due_at, d.id LIMIT ${TESTS}`,
    [now],
  );
}

/** Longest due first. */
const byDue = (a: RawDelivery, b: RawDelivery) =>
  Number(a[DUE_AT]) - Number(b[DUE_AT]) || deliveryIdOf(a) - deliveryIdOf(b);

/** Rows that are still free to be leased, held, with their events. One that another transaction holds is left out. */
export async function holdRows(client: Client, ids: readonly number[]): Promise<RawDelivery[]> {
  const rows = await selectArrays(
    client,
    `SELECT ${DELIVERY_COLUMNS}, ${EVENT_COLUMNS} FROM deliveries d LEFT JOIN events e ON e.id = d.event_id
     WHERE d.id = ANY($1::bigint[]) AND d.status = 'pending' AND d.lease_until IS NULL
     ORDER BY d.due_at, d.id FOR NO KEY UPDATE OF d SKIP LOCKED`,
    [ids],
  );
  return rows.sort(byDue);
}

interface OfLanes {
  kind: WalkKind;
  lanes: readonly Key[];
  now: number;
}

const LANES = 'unnest($2::bigint[], $3::bigint[])';
const keysOf = (lanes: readonly Key[]) => [
  lanes.map(({ appId }) => appId),
  lanes.map(({ endpointId }) => endpointId),
];

const inLane = (kind: WalkKind) => `${OPEN[kind]} AND d.app_id = x.app_id AND d.endpoint_id = x.endpoint_id`;

function byLane<R>(rows: readonly R[], endpointId: (row: R) => number): Map<number, R[]> {
  const found = new Map<number, R[]>();
  for (const row of rows) {
    const id = endpointId(row);
    const own = found.get(id);
    if (own === undefined) found.set(id, [row]);
    else own.push(row);
  }
  return found;
}

const dueText = (kind: WalkKind) => `SELECT ${DELIVERY_COLUMNS}, ${EVENT_COLUMNS}
  FROM unnest($2::bigint[], $3::bigint[], $4::bigint[]) AS x(app_id, endpoint_id, wanted)
  CROSS JOIN LATERAL (
    SELECT d.* FROM deliveries d WHERE ${inLane(kind)} AND d.due_at <= $1
    ORDER BY d.due_at, d.id LIMIT x.wanted FOR NO KEY UPDATE SKIP LOCKED) d
  LEFT JOIN events e ON e.id = d.event_id`;
const DUE = { ordinary: dueText('ordinary'), suspect: dueText('suspect') };

/** Due rows of lanes, held, with their events, by endpoint, longest due first. */
export async function holdDue(
  client: Client,
  at: Omit<OfLanes, 'lanes'> & { lanes: readonly (Key & { limit: number })[] },
): Promise<Map<number, RawDelivery[]>> {
  const limits = at.lanes.map(({ limit }) => limit);
  const rows = await selectArrays(client, DUE[at.kind], [at.now, ...keysOf(at.lanes), limits]);
  return byLane(rows.sort(byDue), (raw) => endpointIdOf(raw) ?? 0);
}

const nextText = (kind: WalkKind) => `SELECT x.endpoint_id AS "endpointId", d.due_at AS "dueAt"
  FROM ${LANES} AS x(app_id, endpoint_id)
  CROSS JOIN LATERAL (
    SELECT d.due_at FROM deliveries d WHERE ${inLane(kind)} AND d.due_at > $1 ORDER BY d.due_at LIMIT 1) d`;
const NEXT = { ordinary: nextText('ordinary'), suspect: nextText('suspect') };

/** When the first row of a lane that is not due yet will be. */
export async function nextDue(client: Client, { kind, lanes, now }: OfLanes): Promise<Map<number, number>> {
  if (lanes.length === 0) return new Map();
  const rows = await select<{ endpointId: number; dueAt: number }>(client, NEXT[kind], [
    now,
    ...keysOf(lanes),
  ]);
  return new Map(rows.map(({ endpointId, dueAt }) => [endpointId, dueAt]));
}

const candidatesText = (
  kind: WalkKind,
) => `SELECT d.id, d.fast, d.due_at AS "dueAt", x.endpoint_id AS "endpointId"
  FROM ${LANES} AS x(app_id, endpoint_id)
  CROSS JOIN LATERAL (
    SELECT d.id, d.fast, d.due_at FROM deliveries d
    WHERE ${inLane(kind)} AND d.due_at <= $1 AND d.next_trigger <> 'test'
    ORDER BY d.due_at, d.id LIMIT ${PROBE_CANDIDATES}) d`;
const CANDIDATES = { ordinary: candidatesText('ordinary'), suspect: candidatesText('suspect') };

/** R-BRK-3: the longest due of lanes, of which one may be the probe. */
export async function candidates(
  client: Client,
  { kind, lanes, now }: OfLanes,
): Promise<Map<number, Candidate[]>> {
  const rows = await select<Candidate & { endpointId: number }>(client, CANDIDATES[kind], [
    now,
    ...keysOf(lanes),
  ]);
  return byLane(
    rows.sort((a, b) => a.dueAt - b.dueAt || a.id - b.id),
    ({ endpointId }) => endpointId,
  );
}
