// Invariant: every union of the domain is closed and lives here; nothing in this file runs.

export type Environment = 'test' | 'live';
export const ENVIRONMENTS = ['test', 'live'] as const satisfies readonly Environment[];

export type DeliveryStatus = 'pending' | 'delivered' | 'failed' | 'skipped';
export const DELIVERY_STATUSES = [
  'pending',
  'delivered',
  'failed',
  'skipped',
] as const satisfies readonly DeliveryStatus[];

/** R-DEL-6: the reason as it is stored; a delivered row has none. */
export type StoredReason =
  | 'waiting'
  | 'retrying'
  | 'exhausted'
  | 'rejected'
  | 'slow_window_over'
  | 'too_old'
  | 'endpoint_disabled'
  | 'no_endpoint'
  | 'corrupt';

/** R-DEL-6: what lets a due delivery wait, derived on reading, in this precedence. */
export type HeldReason =
  | 'endpoint_disabled'
  | 'held_by_pause'
  | 'held_unsigned'
  | 'held_by_breaker'
  | 'rate_limited';

export type EndpointStatus = 'active' | 'disabled' | 'auto_disabled';
export type DisabledReason = 'failing' | 'gone';

export type Trigger = 'first' | 'retry' | 'probe' | 'resend' | 'replay' | 'test';

/** R-ATT-10. An internal error of ours is `unknown`: our faults spend nobody's budget. */
export type Outcome = 'delivered' | 'unavailable' | 'rejected' | 'held' | 'unknown';

/** R-ATT-18: every failure has exactly one. */
export type ErrorClass =
  | 'http_4xx'
  | 'http_429'
  | 'http_5xx'
  | 'redirect'
  | 'dns'
  | 'refused_address'
  | 'connect_refused'
  | 'connect_timeout'
  | 'tls'
  | 'reset'
  | 'closed'
  | 'timeout'
  | 'protocol'
  | 'unsigned'
  | 'internal'
  | 'lost'
  | 'corrupt';

/** The classes that an exchange without a final answer can end with. */
export type NetworkErrorClass = Extract<
  ErrorClass,
  | 'dns'
  | 'refused_address'
  | 'connect_refused'
  | 'connect_timeout'
  | 'tls'
  | 'reset'
  | 'closed'
  | 'timeout'
  | 'protocol'
  | 'internal'
>;

/** What an attempt came to, as a fact, before any policy looks at it. `lost`: its lease was collected. */
export type AttemptEnd =
  | { kind: 'answered'; statusCode: number; retryAfter: readonly string[]; location: string | null }
  | { kind: 'failed'; errorClass: NetworkErrorClass; message: string }
  | { kind: 'held' }
  | { kind: 'lost' };

export type LadderName = 'fast' | 'slow';

/** Why a pending delivery waits until `dueAt`. A closing breaker moves `fast` waits only (R-BRK-4). */
export type WaitCause = 'fast' | 'slow' | 'retry_after' | 'unknown';

export type BreakerState = 'closed' | 'open' | 'half_open';
export type BreakerScope = 'app' | 'endpoint';

/** The part of a delivery that the transition reads and writes (R-LAD-6). */
export interface DeliveryState {
  status: DeliveryStatus;
  reason: StoredReason | null;
  /** Counts runs through the ladders; a resend starts the next. First is 1. */
  cycle: number;
  cycleStartedAt: number;
  /** A person began this cycle: its age limit is not before 48 h after its start (R-RES-1). */
  cycleByPerson: boolean;
  /** Attempts recorded so far, over all cycles; the next attempt's number is this + 1. */
  attempts: number;
  /** Fast ladder: attempts of this cycle that ended `unavailable` (R-LAD-2). */
  fast: number;
  /** Slow ladder: attempts of this cycle that ended `rejected` under a slow ladder. */
  slow: number;
  /** End of the attempt that began the slow ladder of this cycle (R-LAD-3). */
  slowStartedAt: number | null;
  /** `unknown` ends in a row (R-DEL-11). */
  unknowns: number;
  /** When its turn comes; null unless pending. */
  dueAt: number | null;
  /** What set `dueAt`; null before the first attempt and when due at once. */
  waitCause: WaitCause | null;
  /** The ladder's own drawn wait behind `dueAt`, and what Retry-After asked for: both are shown (R-ATT-11). */
  ladderWaitMs: number | null;
  retryAfterMs: number | null;
  nextTrigger: Trigger;
  lastOutcome: Outcome | null;
  lastStatusCode: number | null;
  lastErrorClass: ErrorClass | null;
  lastEndedAt: number | null;
  /** Set by any 2xx, kept for ever (R-RES-8). */
  firstDeliveredAt: number | null;
  /** When it left `pending` for the last time. */
  endedAt: number | null;
  /** Earliest instant at which the age or the slow window may end it; the expiry sweep looks then (R-BRK-9). */
  deadlineAt: number;
}

/** What about a delivery never changes and the decisions read. */
export interface DeliveryFacts {
  eventCreatedAt: number;
  money: boolean;
  /** A test send (R-RES-3): its first attempt passes gates and touches no breaker. */
  isTest: boolean;
}

/** R-FAIL-1, R-FAIL-8. */
export interface EndpointHealth {
  status: EndpointStatus;
  disabledReason: DisabledReason | null;
  pausedUntil: number | null;
  failingSince: number | null;
  lastFailedAt: number | null;
  consecutiveFailures: number;
  /** Whether the last end that counted was reachable; `app`-scope breakers pass such endpoints (R-BRK-3). */
  lastEndReachable: boolean;
  /** Since when its secret cannot be opened (R-ATT-9), and when opening is next tried. */
  unsignedSince: number | null;
  unsignedRetryAt: number | null;
}

/** One end that counts in the breaker's window (R-BRK-1). */
export interface WindowEntry {
  attemptId: number;
  deliveryId: number;
  endedAt: number;
  failure: boolean;
}

/** R-BRK-7: the breaker's row. */
export interface Breaker {
  state: BreakerState;
  epoch: number;
  openedAt: number | null;
  /** Length of the present pause, ms. */
  pauseMs: number | null;
  probeAt: number | null;
  /** The delivery whose attempt is the one probe in flight, and its lease token. */
  probeDeliveryId: number | null;
  probeToken: string | null;
  closedAt: number | null;
  /** Closing moves pending deliveries in batches: rows with an id above the cursor are still to be looked at (R-BRK-4). */
  drainCursor: number | null;
  /** Attempts that opened it. */
  openedBy: readonly number[];
}

export type BreakerEventKind =
  | 'opened'
  | 'probe_leased'
  | 'probe_failed'
  | 'probe_postponed'
  | 'turn_given_back'
  | 'closed'
  | 'reset'
  | 'probe_due_now';

/** A stretch of time in which a gate held deliveries (R-DEL-7); open-ended while `toAt` is null. */
export interface GateInterval {
  kind: 'breaker' | 'pause' | 'unsigned';
  fromAt: number;
  toAt: number | null;
}
