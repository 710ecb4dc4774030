import { breakerScopeOf, closedBreaker } from '@/server/core/breaker';
import type { Environment, GateInterval } from '@/server/core/model';
import type { BreakerRow, SecretRow } from '@/server/ports/records';
import type { BreakerHolder, Lane } from '../sqlite/lane';
import { breakerOf, endpointOf, type Raw, secretOf } from '../sqlite/rows';
import { type Client, select } from './connect';
import type { Policies } from './policies';

/** What was read of endpoints inside one transaction, as the driver gave it. */
export interface LaneRows {
  endpoints: Map<number, Raw>;
  /** By `breakerKey`. */
  breakers: Map<string, Raw>;
  secrets: Map<number, readonly Raw[]>;
  /** What extends a slow window (R-FAIL-8), since ever. */
  extensions: Map<number, readonly GateInterval[]>;
}

export function emptyLaneRows(): LaneRows {
  return { endpoints: new Map(), breakers: new Map(), secrets: new Map(), extensions: new Map() };
}

interface BreakerKey {
  appId: number;
  environment: Environment;
  endpointId: number | null;
}

function breakerKey({ appId, environment, endpointId }: BreakerKey): string {
  return endpointId === null ? `${appId}/${environment}` : `${endpointId}`;
}

function keyOfRaw(raw: Raw): string {
  const endpointId = raw['endpoint_id'];
  return endpointId === null ? `${raw['app_id']}/${raw['environment']}` : `${endpointId}`;
}

const ENDPOINTS = `SELECT ep.*, ae.policy_id AS environment_policy_id, a.public_id AS app_public_id,
    (SELECT count(*) FROM deliveries d WHERE d.endpoint_id = ep.id AND d.lease_until IS NOT NULL) AS running
  FROM endpoints ep
  JOIN app_environments ae ON ae.app_id = ep.app_id AND ae.environment = ep.environment
  JOIN apps a ON a.id = ep.app_id
  WHERE ep.id = ANY($1::bigint[])`;

const BREAKER_COLUMNS = `b.*, (SELECT d.lease_token FROM deliveries d WHERE d.id = b.probe_delivery_id) AS probe_lease`;
const BREAKERS = `SELECT ${BREAKER_COLUMNS} FROM breakers b WHERE b.endpoint_id = ANY($1::bigint[])
  UNION ALL
  SELECT ${BREAKER_COLUMNS} FROM (
    SELECT DISTINCT app_id, environment FROM endpoints WHERE id = ANY($1::bigint[])) s
  JOIN breakers b ON b.app_id = s.app_id AND b.environment = s.environment AND b.endpoint_id IS NULL`;

/** Endpoints as they are now, with how many leases run on each, their breakers, and the policies that they name. */
export async function loadLanes(
  client: Client,
  ids: readonly number[],
  into: { rows: LaneRows; policies: Policies },
): Promise<void> {
  const { rows, policies } = into;
  for (const id of ids) rows.endpoints.delete(id);
  const endpoints = await select<Raw>(client, ENDPOINTS, [ids]);
  for (const raw of endpoints) rows.endpoints.set(Number(raw['id']), raw);
  for (const raw of await select<Raw>(client, BREAKERS, [ids])) rows.breakers.set(keyOfRaw(raw), raw);
  await policies.load(client, endpoints.map(policyIdOf));
}

export function policyIdOf(endpoint: Raw): number {
  return Number(endpoint['policy_id'] ?? endpoint['environment_policy_id']);
}

/** Secrets that sign now, newest first (R-SIG-2). */
export async function loadSecrets(
  client: Client,
  at: { ids: readonly number[]; now: number },
  rows: LaneRows,
): Promise<void> {
  const found = await select<Raw>(
    client,
    `SELECT * FROM endpoint_secrets WHERE endpoint_id = ANY($1::bigint[]) AND (expires_at IS NULL OR expires_at > $2)
     ORDER BY endpoint_id, version DESC`,
    [at.ids, at.now],
  );
  for (const id of at.ids) rows.secrets.set(id, []);
  for (const raw of found) {
    const id = Number(raw['endpoint_id']);
    rows.secrets.set(id, [...(rows.secrets.get(id) ?? []), raw]);
  }
}

export async function loadExtensions(client: Client, ids: readonly number[], rows: LaneRows): Promise<void> {
  const found = await select<GateInterval & { endpointId: number }>(
    client,
    `SELECT endpoint_id AS "endpointId", kind, from_at AS "fromAt", to_at AS "toAt" FROM gate_intervals
     WHERE endpoint_id = ANY($1::bigint[]) AND kind IN ('pause', 'unsigned')`,
    [ids],
  );
  for (const id of ids) {
    const own = found.filter(({ endpointId }) => endpointId === id);
    rows.extensions.set(
      id,
      own.map(({ kind, fromAt, toAt }) => ({ kind, fromAt, toAt })),
    );
  }
}

/** Those that reach beyond `from`. */
export function extensionsSince(rows: LaneRows, endpointId: number, from: number): readonly GateInterval[] {
  return (rows.extensions.get(endpointId) ?? []).filter(({ toAt }) => toAt === null || toAt > from);
}

export function secretsOf(rows: LaneRows, endpointId: number): readonly SecretRow[] {
  return (rows.secrets.get(endpointId) ?? []).map(secretOf);
}

/** What a breaker without a row stands for. */
function unwritten(key: BreakerKey, now: number): BreakerRow {
  return { ...key, ...closedBreaker(), id: 0, publicId: '', createdAt: now };
}

/** Lanes made of rows that were read, each once, so that later steps see what earlier ones did to them. */
export interface LaneCache {
  /** Null: no such endpoint. @throws CorruptRow where its row or its policy cannot be read */
  lane(endpointId: number): Lane | null;
  /** The one holder of this row. @throws CorruptRow */
  hold(raw: Raw): BreakerHolder;
}

export function createLaneCache(rows: LaneRows, policies: Policies, now: number): LaneCache {
  const lanes = new Map<number, Lane | null>();
  const breakers = new Map<string, BreakerHolder>();

  const holder = (key: string, read: () => BreakerRow): BreakerHolder => {
    const known = breakers.get(key);
    if (known !== undefined) return known;
    const made = { row: read() };
    breakers.set(key, made);
    return made;
  };

  const breakerAt = (key: BreakerKey): BreakerHolder =>
    holder(breakerKey(key), () => {
      const raw = rows.breakers.get(breakerKey(key));
      return raw === undefined ? unwritten(key, now) : breakerOf(raw);
    });

  const read = (endpointId: number): Lane | null => {
    const raw = rows.endpoints.get(endpointId);
    if (raw === undefined) return null;
    const endpoint = endpointOf(raw);
    const policy = policies.of(policyIdOf(raw));
    const scope = breakerScopeOf(policy);
    const { appId, environment, id } = endpoint;
    const breaker =
      scope === null ? null : breakerAt({ appId, environment, endpointId: scope === 'app' ? null : id });
    return { endpoint, appPublicId: String(raw['app_public_id']), policy, scope, breaker };
  };

  return {
    lane(endpointId) {
      const known = lanes.get(endpointId);
      if (known !== undefined) return known;
      const lane = read(endpointId);
      lanes.set(endpointId, lane);
      return lane;
    },
    hold: (raw) => holder(keyOfRaw(raw), () => breakerOf(raw)),
  };
}

/** Waits for the endpoints' rows, or takes only those that nobody holds; which ones it got. */
export async function lockEndpoints(
  client: Client,
  ids: readonly number[],
  how: 'wait' | 'skip',
): Promise<readonly number[]> {
  const rows = await select<{ id: number }>(
    client,
    `SELECT id FROM endpoints WHERE id = ANY($1::bigint[]) ORDER BY id
     FOR NO KEY UPDATE ${how === 'skip' ? 'SKIP LOCKED' : ''}`,
    [ids],
  );
  return rows.map(({ id }) => id);
}

export async function lockBreakers(
  client: Client,
  ids: readonly number[],
  how: 'wait' | 'skip',
): Promise<readonly number[]> {
  if (ids.length === 0) return [];
  const rows = await select<{ id: number }>(
    client,
    `SELECT id FROM breakers WHERE id = ANY($1::bigint[]) ORDER BY id
     FOR NO KEY UPDATE ${how === 'skip' ? 'SKIP LOCKED' : ''}`,
    [ids],
  );
  return rows.map(({ id }) => id);
}
