// Invariant: reads are bounded (a limit, or a key); lists run by `id`, newest first, and never count.
import type {
  Breaker,
  BreakerEventKind,
  DeliveryState,
  DeliveryStatus,
  EndpointHealth,
  Environment,
  ErrorClass,
  GateInterval,
  StoredReason,
  Trigger,
  WindowEntry,
} from '../core/model';
import type { Policy } from '../core/policy';
import type {
  ApiKeyRow,
  AppEnvironmentRow,
  AppRow,
  AttemptRow,
  AuditRow,
  BreakerEventRow,
  BreakerRow,
  DeliveryListRow,
  DeliveryRow,
  EndpointRow,
  EventRow,
  EventTypeRow,
  EventWithBody,
  IdempotencyRow,
  PolicyRow,
  ReceiverRow,
  SealedValue,
  SecretRow,
} from './records';

export interface Scope {
  appId: number;
  environment: Environment;
}

export interface Page {
  /** ≤ 100. */
  limit: number;
  /** Rows with an id below (desc) or above (asc) it. */
  cursor?: number | null;
  order?: 'desc' | 'asc';
}

export interface DeliveryFilter extends Scope, Page {
  status?: DeliveryStatus;
  type?: string;
  endpointId?: number;
  eventId?: number;
  reason?: StoredReason;
  errorClass?: ErrorClass;
  statusCode?: number;
  trigger?: Trigger;
  money?: boolean;
  createdAfter?: number;
  createdBefore?: number;
}

export interface EventFilter extends Scope, Page {
  /** Status of any of its deliveries; `skipped` also matches events that no endpoint wanted. */
  status?: DeliveryStatus;
  type?: string;
  endpointId?: number;
  resource?: string;
  createdAfter?: number;
  createdBefore?: number;
  /** All of its deliveries delivered · some not · it matched none. */
  delivered?: 'true' | 'false' | 'none';
}

export interface Queries {
  app(publicId: string): Promise<AppRow | null>;
  appById(id: number): Promise<AppRow | null>;
  appsOf(organizationId: string): Promise<readonly AppRow[]>;
  appEnvironment(scope: Scope): Promise<AppEnvironmentRow | null>;
  policy(id: number): Promise<PolicyRow | null>;
  eventTypes(appId: number): Promise<readonly EventTypeRow[]>;
  eventType(appId: number, type: string): Promise<EventTypeRow | null>;
  /** Types seen in the environment's deliveries or catalogue, for the filter; bounded by `limit`. */
  typesInUse(scope: Scope, limit: number): Promise<readonly string[]>;

  endpoints(scope: Scope): Promise<readonly EndpointRow[]>;
  endpoint(publicId: string): Promise<EndpointRow | null>;
  endpointById(id: number): Promise<EndpointRow | null>;
  secrets(endpointId: number): Promise<readonly SecretRow[]>;
  /** Exact up to `limit`, so that it never walks a table. */
  pendingOf(endpointId: number, limit: number): Promise<number>;
  pendingOfEnvironment(scope: Scope, limit: number): Promise<number>;
  /** Deliveries that are due and not leased, those behind gates among them; exact up to `limit`. */
  dueNow(now: number, limit: number): Promise<number>;
  /** Oldest due instant among what is pending, for "held since". */
  oldestDueOf(endpointId: number): Promise<number | null>;

  event(publicId: string): Promise<EventWithBody | null>;
  eventById(id: number): Promise<EventWithBody | null>;
  events(filter: EventFilter): Promise<readonly EventRow[]>;
  eventBodies(ids: readonly number[]): Promise<ReadonlyMap<number, Uint8Array>>;

  deliveries(filter: DeliveryFilter): Promise<readonly DeliveryListRow[]>;
  delivery(id: number): Promise<DeliveryListRow | null>;
  deliveriesOfEvents(eventIds: readonly number[]): Promise<readonly DeliveryListRow[]>;
  attempts(deliveryId: number): Promise<readonly AttemptRow[]>;
  attempt(id: number): Promise<AttemptRow | null>;
  gateIntervals(query: {
    scope: Scope;
    endpointId: number;
    from: number;
    to: number;
  }): Promise<readonly GateInterval[]>;

  /** Every breaker of the scope; without one, all that are not closed (support). */
  breakers(scope: Scope | 'not_closed'): Promise<readonly BreakerRow[]>;
  breaker(publicId: string): Promise<BreakerRow | null>;
  /** The breaker that a policy of this breaker scope names for the endpoint; null while it never counted. */
  breakerFor(
    endpoint: Pick<EndpointRow, 'id' | 'appId' | 'environment'>,
    policy: Policy,
  ): Promise<BreakerRow | null>;
  breakerEvents(breakerId: number, limit: number): Promise<readonly BreakerEventRow[]>;
  /** Ends that count now, newest first, at most 1,000 (R-BRK-1). */
  breakerWindow(breaker: BreakerRow, since: number): Promise<readonly WindowEntry[]>;
  attemptsByIds(ids: readonly number[]): Promise<readonly AttemptRow[]>;

  apiKeyByHash(hash: string): Promise<ApiKeyRow | null>;
  apiKeys(organizationId: string): Promise<readonly ApiKeyRow[]>;
  idempotency(scope: Scope, key: string): Promise<IdempotencyRow | null>;
  receiver(token: string): Promise<ReceiverRow | null>;
  receivers(): Promise<readonly ReceiverRow[]>;
  meta(key: string): Promise<string | null>;
  /** Rows of one action by one app since an instant, for the limit of 20 test sends a minute; ≤ `limit`. */
  auditCount(query: {
    appId: number;
    action: string;
    since: number;
    limit: number;
  }): Promise<readonly number[]>;
  audit(query: { organizationId: string; limit: number }): Promise<readonly AuditRow[]>;
}

export interface WriteQueries {
  /** Writes the app, both environments with the policy, and the catalogue entries given. */
  insertApp(app: {
    publicId: string;
    organizationId: string;
    name: string;
    policy: Policy;
    eventTypes: readonly Omit<EventTypeRow, 'appId' | 'createdAt'>[];
    now: number;
  }): Promise<AppRow>;
  insertPolicy(scope: Scope, policy: Policy, now: number): Promise<PolicyRow>;
  updateAppEnvironment(
    scope: Scope,
    change: Partial<Pick<AppEnvironmentRow, 'policyId' | 'envelope' | 'catalogueMode'>>,
  ): Promise<void>;

  /** Takes the next number of the environment (R-FAIL-8). */
  insertEndpoint(endpoint: {
    publicId: string;
    scope: Scope;
    url: string;
    description: string;
    types: readonly string[];
    headerNames: readonly string[];
    sealedHeaders: SealedValue | null;
    policyId: number | null;
    concurrency: number | null;
    now: number;
  }): Promise<EndpointRow>;
  updateEndpoint(
    id: number,
    change: Partial<
      EndpointHealth &
        Pick<
          EndpointRow,
          'url' | 'description' | 'types' | 'headerNames' | 'sealedHeaders' | 'policyId' | 'concurrency'
        >
    >,
    now: number,
  ): Promise<EndpointRow>;
  /** R-DEL-4: with its deliveries, attempts, secrets and breaker; returns how many deliveries went. */
  deleteEndpoint(id: number): Promise<number>;
  insertSecret(secret: Omit<SecretRow, 'id'>): Promise<SecretRow>;
  expireSecrets(endpointId: number, expiresAt: number): Promise<void>;

  /** Writes a delivery's state as a whole (resend, sweeps of a single row); the lease stays as it is. */
  updateDelivery(
    id: number,
    state: DeliveryState,
    change?: Partial<Pick<DeliveryRow, 'actor' | 'policyId' | 'endpointId'>>,
  ): Promise<void>;
  /** A delivery of an existing event to an endpoint that had none (R-RES-1). */
  insertDelivery(delivery: Omit<DeliveryRow, 'id' | 'lease' | 'lastDurationMs'>): Promise<DeliveryRow>;
  /** The row without endpoint that a resend replaces (R-PUB-3). */
  deleteUnmatched(eventId: number): Promise<void>;

  /** Writes the breaker's state, its event rows, gate intervals, and starts a drain when it closes. */
  saveBreaker(
    breaker: BreakerRow,
    next: Breaker,
    events: readonly { kind: BreakerEventKind; actor: string | null; reason: string | null }[],
    now: number,
  ): Promise<void>;
  openGate(gate: { scope: Scope; endpointId: number; kind: 'pause' | 'unsigned'; at: number }): Promise<void>;
  closeGate(gate: {
    scope: Scope;
    endpointId: number;
    kind: 'pause' | 'unsigned';
    at: number;
  }): Promise<void>;

  insertApiKey(key: Omit<ApiKeyRow, 'id' | 'lastUsedAt' | 'revokedAt'>): Promise<ApiKeyRow>;
  touchApiKey(id: number, at: number): Promise<void>;
  insertAudit(row: AuditRow): Promise<void>;
  insertIdempotency(row: IdempotencyRow): Promise<'inserted' | 'exists'>;
  insertReceiver(row: ReceiverRow): Promise<void>;
  setMeta(key: string, value: string): Promise<void>;
}
