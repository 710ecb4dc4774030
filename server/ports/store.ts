// Invariant: the store selects and writes; whatever is decided is decided by a pure function it is handed.
// Every method that changes something is one transaction, durable when its promise resolves.
import type {
  AttemptEnd,
  Breaker,
  BreakerEventKind,
  DeliveryFacts,
  DeliveryState,
  EndpointHealth,
  Environment,
  ErrorClass,
  GateInterval,
  LadderName,
  Outcome,
  Trigger,
  WindowEntry,
} from '../core/model';
import type { LadderPart, Policy } from '../core/policy';
import type { Queries, WriteQueries } from './queries';
import type { AttemptTiming, BreakerRow, DeliveryRow, EndpointRow, SealedValue, SecretRow } from './records';

/* ---------- publish ---------- */

/** An event ready to be written: all that is decided about it alone is decided already. */
export interface PublishRecord {
  appId: number;
  environment: Environment;
  publicId: string;
  type: string;
  /** What is sent (R-PUB-9). */
  body: Uint8Array;
  contentType: string;
  bodySha256: string;
  createdAt: number;
  occurredAt: number | null;
  money: boolean;
  amount: string | null;
  currency: string | null;
  exponent: number | null;
  resource: string | null;
  /** A test send goes to this endpoint alone, whatever its filter and status (R-RES-3). */
  testEndpointId: number | null;
  actor: string | null;
}

export interface PublishedDelivery {
  id: number;
  endpointId: number | null;
  endpointPublicId: string | null;
  endpointNumber: number | null;
  status: DeliveryState['status'];
  reason: DeliveryState['reason'];
  createdAt: number;
}

export interface PublishedEvent {
  id: number;
  publicId: string;
  matchedAtPublish: number;
  deliveries: readonly PublishedDelivery[];
}

/** A unit is written whole or not at all, in a savepoint of its own when several share a transaction. */
export interface PublishUnit {
  records: readonly PublishRecord[];
  /** R-PUB-5: written in the same transaction; `answer` builds what is stored for a replay. */
  idempotency?: {
    appId: number;
    environment: Environment;
    key: string;
    contentHash: string;
    createdAt: number;
    answer: (events: readonly PublishedEvent[]) => { status: number; body: string };
  };
}

export type PublishResult =
  | { kind: 'published'; events: readonly PublishedEvent[] }
  | { kind: 'replayed'; status: number; body: string }
  | { kind: 'conflict' };

/* ---------- claim ---------- */

export interface ClaimRequest {
  now: number;
  /** Free slots of this engine. */
  slots: number;
  /** Slots that this engine grants an endpoint now (slow start), its own attempts in flight already taken off. */
  endpointSlots: (endpointId: number) => number;
  /** Default cap per endpoint over all engines; an endpoint's own `concurrency` goes before it (R-DEL-8). */
  endpointConcurrency: number;
  leaseMs: (timeoutMs: number) => number;
  token: () => string;
  /** How many suspects may be claimed (R-DEL-11). */
  suspects: number;
  /** App whose turn was last; the walk starts behind it. */
  afterAppId: number;
}

/** One leased attempt with all that it needs, read in the claim's transaction (R-ATT-6). */
export interface Claim {
  deliveryId: number;
  deliveryCreatedAt: number;
  eventId: number;
  eventPublicId: string;
  appId: number;
  appPublicId: string;
  environment: Environment;
  endpointId: number;
  endpointPublicId: string;
  token: string;
  leaseUntil: number;
  number: number;
  cycle: number;
  trigger: Trigger;
  actor: string | null;
  /** Epoch of the breaker it was claimed under; null where none applies, and for a test's first attempt. */
  epoch: number | null;
  probe: boolean;
  suspect: boolean;
  /** Its endpoint was gated by an unopened secret and this is the try after the wait (R-ATT-9). */
  unsigned: boolean;
  facts: DeliveryFacts;
  type: string;
  body: Uint8Array;
  contentType: string;
  url: string;
  concurrency: number;
  sealedHeaders: SealedValue | null;
  /** Those that sign now, newest first. */
  secrets: readonly SecretRow[];
  /** The endpoint's effective policy now, and the ladder part its cycle keeps. */
  policy: Policy;
  ladder: LadderPart;
}

export interface ClaimBatch {
  claims: readonly Claim[];
  /** The next instant at which there may be something to claim; null: nothing waits. */
  nextDueAt: number | null;
  /** There was more due than the slots given. */
  more: boolean;
  afterAppId: number;
  /** Rows that could not be read and are now `failed`/`corrupt`: one log line each. */
  setAside: readonly { deliveryId: number; why: string }[];
}

/* ---------- settle ---------- */

/** What the engine brings back for one claim (or a collected lease: `end.kind === 'lost'`). */
export interface SettleEnd {
  deliveryId: number;
  endpointId: number;
  appId: number;
  environment: Environment;
  token: string;
  cycle: number;
  number: number;
  trigger: Trigger;
  actor: string | null;
  epoch: number | null;
  probe: boolean;
  end: AttemptEnd;
  startedAt: number;
  endedAt: number;
  durationMs: number;
  timing: AttemptTiming;
  url: string;
  address: string | null;
  retriedStale: boolean;
}

/** The rows that one end touches, as they are inside the settling transaction. */
export interface SettleContext {
  now: number;
  /** Null: no row (R-DEL-2). */
  delivery: DeliveryRow | null;
  facts: DeliveryFacts;
  endpoint: EndpointRow | null;
  /** The breaker that the endpoint's effective policy names; null where it names none. */
  breaker: BreakerRow | null;
  policy: Policy | null;
  ladder: LadderPart | null;
  /** Intervals that extend the slow window (R-FAIL-8). */
  gates: readonly GateInterval[];
  /** Newest first, ≤ 1,000; empty unless `needsWindow` said so. */
  window: readonly WindowEntry[];
}

export interface Decision {
  /** Next state; null: the delivery does not move. */
  delivery: DeliveryState | null;
  /** Whether the row's lease is this end's and is taken off. */
  releaseLease: boolean;
  record: 'insert' | 'complete' | 'none';
  outcome: Outcome;
  statusCode: number | null;
  errorClass: ErrorClass | null;
  message: string | null;
  ladder: LadderName | null;
  step: number | null;
  counted: 'reachable' | 'failure' | null;
  health: EndpointHealth | null;
  breaker: Breaker | null;
  breakerEvents: readonly BreakerEventKind[];
  /** Why nothing moved, for the log line; null when something did. */
  dropped: 'no_row' | 'lease_lost' | null;
}

export interface Decider {
  needsWindow(end: SettleEnd, context: SettleContext): boolean;
  /** `random` is drawn for jitter alone. */
  decide(end: SettleEnd, context: SettleContext, random: () => number): Decision;
}

export interface Settled {
  end: SettleEnd;
  decision: Decision;
}

/* ---------- sweeps ---------- */

export interface SweepResult {
  skipped: number;
  failed: number;
  /** The batch was full: sweep again. */
  more: boolean;
}

/* ---------- the store ---------- */

export interface Change {
  appId: number;
  environment: Environment;
  kind: 'published' | 'settled' | 'endpoint' | 'delivery' | 'breaker';
}

/** A transaction's handle. Inside `transact` nothing is awaited but its own methods. */
export interface Tx extends Queries, WriteQueries {
  /** R-PUB-1: joins the caller's transaction; an exception after it leaves nothing. */
  publish(unit: PublishUnit): Promise<PublishResult>;
}

export interface Store {
  readonly dialect: 'sqlite' | 'postgres';
  /** Reads, on a connection that cannot write. */
  readonly read: Queries;
  /** `work` may be run again from its beginning, where PostgreSQL gave up the transaction; nothing of the first run was kept. */
  transact<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Units that arrive while a transaction runs share the next one; resolves after the fsync. */
  publish(unit: PublishUnit): Promise<PublishResult>;
  claim(request: ClaimRequest): Promise<ClaimBatch>;
  /** One transaction for all of `ends`; fenced by token and cycle (R-DEL-2). */
  settle(ends: readonly SettleEnd[], decider: Decider, random: () => number): Promise<readonly Settled[]>;
  /** Gives back leases whose attempt was never sent: nothing is recorded, a probe's turn returns (R-DEL-11, R-BRK-7). */
  release(claims: readonly Pick<Claim, 'deliveryId' | 'token'>[], now: number): Promise<void>;
  /** Leases that are over at `now`, or end further ahead than `maxLeaseMs` (R-TIM-1), as `lost` ends. */
  expiredLeases(query: { now: number; maxLeaseMs: number; limit: number }): Promise<readonly SettleEnd[]>;
  /** R-BRK-9: ends what needs no sender, ≤ `limit` rows, never under a lease that runs. */
  sweep(query: { now: number; limit: number }): Promise<SweepResult>;
  /** R-BRK-4: moves the rows behind a closed breaker, ≤ `limit`; true while there are more. */
  drain(query: { now: number; limit: number }): Promise<boolean>;
  /** Endpoints gated by an unopened secret: set (now + 60 s) or clear; a no-op when nothing changes (R-ATT-9). */
  setUnsigned(endpointId: number, gate: { since: number; retryAt: number } | null): Promise<void>;
  /** Makes the next opening of every gated secret due at `now`: at start and after a key rotation (R-ATT-9). */
  retryUnsigned(now: number): Promise<void>;
  /** Called after each commit of this process that may have made work or changed a list. */
  onChange(listener: (changes: readonly Change[]) => void): () => void;
  /** Raised by any commit of any process (`PRAGMA data_version`; on PostgreSQL as soon as it is heard, see `NOTIFY`). */
  version(): number;
  close(): Promise<void>;
}
