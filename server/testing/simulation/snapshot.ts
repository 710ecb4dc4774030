import { partsOf } from '@/db/sqlite/store';
import type {
  Breaker,
  DeliveryFacts,
  DeliveryState,
  EndpointHealth,
  GateInterval,
} from '@/server/core/model';
import type { Policy } from '@/server/core/policy';
import type { Store } from '@/server/ports/store';

type Raw = Record<string, unknown>;
type Mark = [id: number, ...rest: unknown[]];

/** A row's own columns under the names of the ports; SQLite's 0 and 1 stay numbers where a test only asks "is it". */
export interface DeliveryView extends DeliveryState, DeliveryFacts {
  id: number;
  eventId: number;
  appId: number;
  environment: string;
  endpointId: number | null;
  policyId: number;
  leaseToken: string | null;
  leaseUntil: number | null;
  leaseNumber: number | null;
  leaseCycle: number | null;
}

export interface EndpointView extends EndpointHealth {
  id: number;
  publicId: string;
  appId: number;
  environment: string;
  url: string;
  policyId: number | null;
  concurrency: number | null;
}

export interface BreakerView extends Breaker {
  id: number;
  publicId: string;
  appId: number;
  environment: string;
  endpointId: number | null;
}

export interface AttemptView {
  id: number;
  deliveryId: number;
  endpointId: number;
  number: number;
  cycle: number;
  trigger: string;
  startedAt: number;
  endedAt: number;
  outcome: string;
  statusCode: number | null;
  errorClass: string | null;
  url: string;
  ladder: 'fast' | 'slow' | null;
  step: number | null;
  counted: 'reachable' | 'failure' | null;
  epoch: number | null;
  breakerId: number | null;
}

export interface EventView {
  id: number;
  publicId: string;
  appId: number;
  environment: string;
  type: string;
  bodySha256: string;
  matchedAtPublish: number;
}

/** What is committed at one moment. */
export interface Snapshot {
  deliveries: ReadonlyMap<number, DeliveryView>;
  endpoints: ReadonlyMap<number, EndpointView>;
  breakers: readonly BreakerView[];
  events: ReadonlyMap<number, EventView>;
  /** The environment's policy, by `app/environment`. */
  policyIds: ReadonlyMap<string, number>;
  /** Pauses and secret outages by endpoint. */
  gates: ReadonlyMap<number, readonly GateInterval[]>;
}

/** Reads the committed state on a connection of its own, again only when something was committed since. */
export function createSnapshots(store: Store) {
  const { reader } = partsOf(store);
  const version = reader.prepare<[], number>('PRAGMA data_version').pluck();
  // Rows that have ended are read again only when one of these has changed.
  const marks = reader
    .prepare<[], Mark>(
      `SELECT id, status, cycle, attempts, endpoint_id, first_delivered_at, ended_at, lease_token
       FROM deliveries ORDER BY id`,
    )
    .raw();
  const pending = reader.prepare<[], Raw>("SELECT * FROM deliveries WHERE status = 'pending'");
  const delivery = reader.prepare<[number], Raw>('SELECT * FROM deliveries WHERE id = ?');
  const endpoints = reader.prepare<[], Raw>('SELECT * FROM endpoints ORDER BY id');
  const breakers = reader.prepare<[], Raw>('SELECT * FROM breakers ORDER BY id');
  const events = reader.prepare<[number], Raw>(
    'SELECT id, public_id, app_id, environment, type, body_sha256, matched_at_publish FROM events WHERE id > ? ORDER BY id',
  );
  const environments = reader.prepare<[], { scope: string; policyId: number }>(
    `SELECT app_id || '/' || environment AS scope, policy_id AS policyId FROM app_environments`,
  );
  const gates = reader.prepare<[], Raw>(
    `SELECT endpoint_id, kind, from_at, to_at FROM gate_intervals WHERE kind IN ('pause', 'unsigned')`,
  );
  const policy = reader.prepare<[number], string>('SELECT policy FROM policies WHERE id = ?').pluck();
  const attempts = reader.prepare<[number], Raw>(
    'SELECT * FROM attempts WHERE delivery_id = ? ORDER BY number',
  );
  const counting = reader.prepare<[number, number], { id: number; endedAt: number; failure: number }>(
    `SELECT id, ended_at AS endedAt, counted = 'failure' AS failure FROM attempts
     WHERE breaker_id = ? AND epoch = ? AND counted IS NOT NULL ORDER BY id`,
  );
  const policies = new Map<number, Policy>();
  let known: { version: number; snapshot: Snapshot } | null = null;

  const allEvents = new Map<number, EventView>();
  const kept = new Map<number, { mark: Mark; view: DeliveryView }>();
  let lastEventId = 0;

  const readDeliveries = (): Map<number, DeliveryView> => {
    const open = new Map(pending.all().map((raw) => byId(named<DeliveryView>(raw))));
    const views = new Map<number, DeliveryView>();
    for (const mark of marks.all()) {
      const [id] = mark;
      const known = kept.get(id);
      const view =
        open.get(id) ??
        (known !== undefined && isSame(known.mark, mark)
          ? known.view
          : named<DeliveryView>(delivery.get(id) ?? {}));
      kept.set(id, { mark, view });
      views.set(id, view);
    }
    return views;
  };

  const readEvents = () => {
    for (const raw of events.all(lastEventId)) {
      const event = named<EventView>(raw);
      allEvents.set(event.id, event);
      lastEventId = event.id;
    }
    return allEvents;
  };

  const read = (): Snapshot => {
    const byEndpoint = new Map<number, GateInterval[]>();
    for (const raw of gates.all()) {
      const { endpointId, ...gate } = named<GateInterval & { endpointId: number }>(raw);
      byEndpoint.set(endpointId, [...(byEndpoint.get(endpointId) ?? []), gate]);
    }
    return {
      deliveries: readDeliveries(),
      endpoints: new Map(endpoints.all().map((raw) => byId(named<EndpointView>(raw)))),
      breakers: breakers.all().map((raw) => named<BreakerView>(raw)),
      events: readEvents(),
      policyIds: new Map(environments.all().map(({ scope, policyId }) => [scope, policyId])),
      gates: byEndpoint,
    };
  };

  return {
    now(): Snapshot {
      const at = version.get() ?? 0;
      if (known === null || known.version !== at) known = { version: at, snapshot: read() };
      return known.snapshot;
    },
    policy(id: number): Policy {
      const found = policies.get(id);
      if (found !== undefined) return found;
      const text = policy.get(id);
      if (text === undefined) throw new Error(`no policy ${id}`);
      const read: Policy = JSON.parse(text);
      policies.set(id, read);
      return read;
    },
    attempts: (deliveryId: number) => attempts.all(deliveryId).map((raw) => named<AttemptView>(raw)),
    /** Ends that count for a breaker under an epoch, in the order in which they were written. */
    counting: (breakerId: number, epoch: number) => counting.all(breakerId, epoch),
  };
}

export type Snapshots = ReturnType<typeof createSnapshots>;

function byId<T extends { id: number }>(row: T): [number, T] {
  return [row.id, row];
}

function isSame(a: Mark, b: Mark): boolean {
  return a.every((value, index) => value === b[index]);
}

const names = new Map<string, string>();

function nameOf(column: string): string {
  const known = names.get(column);
  if (known !== undefined) return known;
  const name = column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  names.set(column, name);
  return name;
}

function named<T>(raw: Raw): T {
  const row: Raw = {};
  for (const column in raw) row[nameOf(column)] = raw[column];
  return row as T;
}
