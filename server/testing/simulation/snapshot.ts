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

/** Columns under the names of the ports. */
function columns(...names: readonly string[]): string {
  return names
    .map((name) => `${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)} AS ${name}`)
    .join();
}

const DELIVERY = columns(
  ...['id', 'eventId', 'appId', 'environment', 'endpointId', 'policyId', 'eventCreatedAt', 'money', 'isTest'],
  ...['status', 'reason', 'cycle', 'cycleStartedAt', 'cycleByPerson', 'attempts', 'fast', 'slow', 'unknowns'],
  ...['slowStartedAt', 'dueAt', 'waitCause', 'ladderWaitMs', 'retryAfterMs', 'nextTrigger', 'lastOutcome'],
  ...['lastStatusCode', 'lastErrorClass', 'lastEndedAt', 'firstDeliveredAt', 'endedAt', 'deadlineAt'],
  ...['leaseToken', 'leaseUntil', 'leaseNumber', 'leaseCycle'],
);
const ENDPOINT = columns(
  ...['id', 'publicId', 'appId', 'environment', 'url', 'policyId', 'concurrency', 'status', 'disabledReason'],
  ...['pausedUntil', 'failingSince', 'lastFailedAt', 'consecutiveFailures', 'lastEndReachable'],
  ...['unsignedSince', 'unsignedRetryAt'],
);
const BREAKER = columns(
  ...['id', 'publicId', 'appId', 'environment', 'endpointId', 'state', 'epoch', 'openedAt', 'pauseMs'],
  ...['probeAt', 'probeDeliveryId', 'probeToken', 'closedAt', 'drainCursor', 'openedBy'],
);
const ATTEMPT = columns(
  ...['id', 'deliveryId', 'endpointId', 'number', 'cycle', 'startedAt', 'endedAt', 'outcome', 'statusCode'],
  ...['errorClass', 'url', 'ladder', 'step', 'counted', 'epoch', 'breakerId'],
);
const EVENT = columns('id', 'publicId', 'appId', 'environment', 'type', 'bodySha256', 'matchedAtPublish');
const GATE = columns('endpointId', 'kind', 'fromAt', 'toAt');

/** Reads the committed state on a connection of its own, again only when something was committed since. */
export function createSnapshots(store: Store) {
  const { reader } = partsOf(store);
  const version = reader.prepare<[], number>('PRAGMA data_version').pluck();
  const marks = reader
    .prepare<[], Mark>(
      `SELECT id, status, cycle, attempts, first_delivered_at, ended_at, lease_token FROM deliveries
       WHERE status <> 'pending'`,
    )
    .raw();
  const sum = reader
    .prepare<[], Mark>(
      `SELECT count(*), sum(id), sum(cycle), sum(attempts), sum(ended_at), count(first_delivered_at),
       count(lease_token), sum(status = 'delivered') FROM deliveries WHERE status <> 'pending'`,
    )
    .raw();
  const pending = reader.prepare<[], DeliveryView>(
    `SELECT ${DELIVERY} FROM deliveries WHERE status = 'pending'`,
  );
  const delivery = reader.prepare<[number], DeliveryView>(`SELECT ${DELIVERY} FROM deliveries WHERE id = ?`);
  const endpoints = reader.prepare<[], EndpointView>(`SELECT ${ENDPOINT} FROM endpoints`);
  const breakers = reader.prepare<[], BreakerView>(`SELECT ${BREAKER} FROM breakers`);
  const events = reader.prepare<[number], EventView>(`SELECT ${EVENT} FROM events WHERE id > ? ORDER BY id`);
  const environments = reader.prepare<[], { scope: string; policyId: number }>(
    `SELECT app_id || '/' || environment AS scope, policy_id AS policyId FROM app_environments`,
  );
  const gates = reader.prepare<[], GateInterval & { endpointId: number }>(
    `SELECT ${GATE} FROM gate_intervals WHERE kind IN ('pause', 'unsigned')`,
  );
  const policy = reader.prepare<[number], string>('SELECT policy FROM policies WHERE id = ?').pluck();
  const attempts = reader.prepare<[number], AttemptView>(
    `SELECT ${ATTEMPT} FROM attempts WHERE delivery_id = ? ORDER BY number`,
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
  let lastSum: Mark | null = null;
  let ended = new Map<number, DeliveryView>();

  /** Rows that have ended seldom change: they are read again only where their mark has changed. */
  const readEnded = (): Map<number, DeliveryView> => {
    const views = new Map<number, DeliveryView>();
    for (const mark of marks.all()) {
      const [id] = mark;
      const known = kept.get(id);
      const same = known !== undefined && isSame(known.mark, mark);
      const view = same ? known.view : delivery.get(id);
      if (view === undefined) continue;
      kept.set(id, { mark, view });
      views.set(id, view);
    }
    return views;
  };

  const readDeliveries = (): Map<number, DeliveryView> => {
    const mark = sum.get();
    if (mark !== undefined && (lastSum === null || !isSame(lastSum, mark))) {
      lastSum = mark;
      ended = readEnded();
    }
    const views = new Map(ended);
    for (const row of pending.all()) views.set(row.id, row);
    return views;
  };

  const readEvents = () => {
    for (const event of events.all(lastEventId)) {
      allEvents.set(event.id, event);
      lastEventId = event.id;
    }
    return allEvents;
  };

  const read = (): Snapshot => {
    const byEndpoint = new Map<number, GateInterval[]>();
    for (const { endpointId, ...gate } of gates.all()) {
      byEndpoint.set(endpointId, [...(byEndpoint.get(endpointId) ?? []), gate]);
    }
    return {
      deliveries: readDeliveries(),
      endpoints: new Map(endpoints.all().map((row) => [row.id, row])),
      breakers: breakers.all(),
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
    attempts: (deliveryId: number) => attempts.all(deliveryId),
    /** Ends that count for a breaker under an epoch, in the order in which they were written. */
    counting: (breakerId: number, epoch: number) => counting.all(breakerId, epoch),
  };
}

export type Snapshots = ReturnType<typeof createSnapshots>;

function isSame(a: Mark, b: Mark): boolean {
  return a.every((value, index) => value === b[index]);
}
