import type { Database as Connection } from 'better-sqlite3';
import { breakerScopeOf, closedBreaker } from '@/server/core/breaker';
import { type Gate, type GateInput, gateOf } from '@/server/core/gates';
import type { BreakerScope, Environment, GateInterval } from '@/server/core/model';
import type { Policy } from '@/server/core/policy';
import type { BreakerRow, EndpointRow, SecretRow } from '@/server/ports/records';
import { breakerOf, CorruptRow, endpointOf, policyOf, type Raw, secretOf } from './rows';

/** The breaker that several lanes may share, as it is inside this transaction. `id` 0: it has no row yet. */
export interface BreakerHolder {
  row: BreakerRow;
}

/** An endpoint with what its deliveries obey now, read in the transaction that acts on it (R-ATT-6). */
export interface Lane {
  endpoint: EndpointRow;
  appPublicId: string;
  policy: Policy;
  scope: BreakerScope | null;
  /** The one that its effective policy names, and no other (R-BRK-11). */
  breaker: BreakerHolder | null;
}

export function gateInputOf(lane: Lane, now: number): GateInput {
  return { health: lane.endpoint, breaker: lane.breaker?.row ?? null, scope: lane.scope, now };
}

export function laneGate(lane: Lane, now: number): Gate | null {
  return gateOf(gateInputOf(lane, now));
}

/** Reads lanes inside one transaction and remembers them until its end, so that later steps see earlier ones. */
export interface LaneBook {
  /** Null: no such endpoint. @throws CorruptRow where its row or its policy cannot be read. */
  lane(endpointId: number): Lane | null;
  /** @throws CorruptRow */
  policy(id: number): Policy;
  /** The breaker whose probe in flight carries this token; null where none does. */
  breakerOfProbe(probe: { appId: number; environment: Environment; token: string }): BreakerHolder | null;
}

export interface LaneReader {
  open(now: number): LaneBook;
  /** Those that sign now, newest first (R-SIG-2). */
  secrets(endpointId: number, now: number): readonly SecretRow[];
  /** What extends a slow window since `from` (R-FAIL-8). */
  extensions(endpointId: number, from: number): readonly GateInterval[];
  /** After a rollback: what was read in it may never have been, and its keys are given again. */
  forget(): void;
}

const KEPT_POLICIES = 5_000;

interface BreakerKey {
  appId: number;
  environment: Environment;
  endpointId: number | null;
}

function keyOf({ appId, environment, endpointId }: BreakerKey): string {
  return endpointId === null ? `${appId}/${environment}` : `${endpointId}`;
}

/** What a breaker without a row stands for. */
function unwritten(key: BreakerKey, now: number): BreakerRow {
  return { ...key, ...closedBreaker(), id: 0, publicId: '', createdAt: now };
}

function prepareLanes(db: Connection) {
  return {
    endpoint: db.prepare<[number], Raw>(`
      SELECT ep.*, ae.policy_id AS environment_policy_id, a.public_id AS app_public_id
      FROM endpoints ep
      JOIN app_environments ae ON ae.app_id = ep.app_id AND ae.environment = ep.environment
      JOIN apps a ON a.id = ep.app_id
      WHERE ep.id = ?`),
    policy: db.prepare<[number], Raw>('SELECT policy FROM policies WHERE id = ?'),
    endpointBreaker: db.prepare<[number], Raw>('SELECT * FROM breakers WHERE endpoint_id = ?'),
    appBreaker: db.prepare<[number, string], Raw>(
      'SELECT * FROM breakers WHERE app_id = ? AND environment = ? AND endpoint_id IS NULL',
    ),
    probeBreaker: db.prepare<[number, string, string], Raw>(
      'SELECT * FROM breakers WHERE app_id = ? AND environment = ? AND probe_token = ?',
    ),
    secrets: db.prepare<[number, number], Raw>(
      `SELECT * FROM endpoint_secrets WHERE endpoint_id = ? AND (expires_at IS NULL OR expires_at > ?)
       ORDER BY version DESC`,
    ),
    extensions: db.prepare<[number, number], GateInterval>(
      `SELECT kind, from_at AS fromAt, to_at AS toAt FROM gate_intervals
       WHERE endpoint_id = ? AND kind IN ('pause', 'unsigned') AND (to_at IS NULL OR to_at > ?)`,
    ),
  };
}

type Statements = ReturnType<typeof prepareLanes>;

/** A policy is immutable: what was read once stays true until a rollback. */
function createPolicyReader(statements: Statements) {
  const policies = new Map<number, Policy>();
  return {
    forget: () => policies.clear(),
    policy(id: number): Policy {
      const known = policies.get(id);
      if (known !== undefined) return known;
      const raw = statements.policy.get(id);
      if (raw === undefined) throw new CorruptRow('policy missing');
      const read = policyOf(raw);
      if (policies.size >= KEPT_POLICIES) policies.clear();
      policies.set(id, read);
      return read;
    },
  };
}

function createBook(statements: Statements, policy: LaneBook['policy'], now: number): LaneBook {
  const lanes = new Map<number, Lane | null>();
  const breakers = new Map<string, BreakerHolder>();

  const hold = (key: BreakerKey, read: () => BreakerRow): BreakerHolder => {
    const known = breakers.get(keyOf(key));
    if (known !== undefined) return known;
    const holder = { row: read() };
    breakers.set(keyOf(key), holder);
    return holder;
  };

  const breakerAt = (key: BreakerKey): BreakerHolder =>
    hold(key, () => {
      const raw =
        key.endpointId === null
          ? statements.appBreaker.get(key.appId, key.environment)
          : statements.endpointBreaker.get(key.endpointId);
      return raw === undefined ? unwritten(key, now) : breakerOf(raw);
    });

  const readLane = (endpointId: number): Lane | null => {
    const raw = statements.endpoint.get(endpointId);
    if (raw === undefined) return null;
    const endpoint = endpointOf(raw);
    const effective = policy(endpoint.policyId ?? Number(raw['environment_policy_id']));
    const scope = breakerScopeOf(effective);
    const { appId, environment, id } = endpoint;
    const breaker =
      scope === null ? null : breakerAt({ appId, environment, endpointId: scope === 'app' ? null : id });
    return { endpoint, appPublicId: String(raw['app_public_id']), policy: effective, scope, breaker };
  };

  return {
    policy,
    lane(endpointId) {
      const known = lanes.get(endpointId);
      if (known !== undefined) return known;
      const lane = readLane(endpointId);
      lanes.set(endpointId, lane);
      return lane;
    },
    breakerOfProbe({ appId, environment, token }) {
      const raw = statements.probeBreaker.get(appId, environment, token);
      if (raw === undefined) return null;
      const row = breakerOf(raw);
      return hold(row, () => row);
    },
  };
}

export function createLaneReader(db: Connection): LaneReader {
  const statements = prepareLanes(db);
  const { policy, forget } = createPolicyReader(statements);
  return {
    open: (now) => createBook(statements, policy, now),
    secrets: (endpointId, now) => statements.secrets.all(endpointId, now).map(secretOf),
    extensions: (endpointId, from) => statements.extensions.all(endpointId, from),
    forget,
  };
}
