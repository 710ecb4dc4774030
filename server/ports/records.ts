// Invariant: rows as the store gives them. Integer `id`s never leave the process; `publicId`s do.
import type {
  Breaker,
  BreakerEventKind,
  DeliveryFacts,
  DeliveryState,
  EndpointHealth,
  Environment,
  ErrorClass,
  LadderName,
  Outcome,
  Trigger,
} from '../core/model';
import type { MoneyRule } from '../core/money';
import type { Policy } from '../core/policy';

export interface AppRow {
  id: number;
  publicId: string;
  organizationId: string;
  name: string;
  createdAt: number;
}

export type EnvelopeMode = 'standard' | 'none';

/** What is kept per app and environment. */
export interface AppEnvironmentRow {
  appId: number;
  environment: Environment;
  policyId: number;
  envelope: EnvelopeMode;
  catalogueMode: 'accept' | 'reject';
  nextEndpointNumber: number;
}

/** Immutable: a changed policy is a new row (R-LAD-8). */
export interface PolicyRow {
  id: number;
  appId: number;
  environment: Environment;
  version: number;
  policy: Policy;
  createdAt: number;
}

export interface EventTypeRow {
  appId: number;
  type: string;
  description: string;
  money: MoneyRule | null;
  /** Example body, JSON text. */
  example: string | null;
  createdAt: number;
}

export interface EndpointRow extends EndpointHealth {
  id: number;
  publicId: string;
  appId: number;
  environment: Environment;
  number: number;
  url: string;
  description: string;
  types: readonly string[];
  /** Names of the own headers; their values are sealed beside them. */
  headerNames: readonly string[];
  sealedHeaders: SealedValue | null;
  /** The endpoint's own policy; null: the app's for the environment. */
  policyId: number | null;
  concurrency: number | null;
  createdAt: number;
  updatedAt: number;
}

/** AES-256-GCM ciphertext with the id of the key that seals it. */
export interface SealedValue {
  keyId: string;
  ciphertext: Uint8Array;
}

export interface SecretRow {
  id: number;
  endpointId: number;
  appId: number;
  environment: Environment;
  version: number;
  sealed: SealedValue;
  createdAt: number;
  /** End of its overlap; null for the newest (R-SIG-2). */
  expiresAt: number | null;
}

export interface EventRow {
  id: number;
  publicId: string;
  appId: number;
  environment: Environment;
  type: string;
  contentType: string;
  bodySha256: string;
  createdAt: number;
  occurredAt: number | null;
  money: boolean;
  /** Minor units as a decimal string. */
  amount: string | null;
  currency: string | null;
  exponent: number | null;
  resource: string | null;
  matchedAtPublish: number;
}

export interface EventWithBody extends EventRow {
  /** What is sent, byte for byte (R-PUB-4). */
  body: Uint8Array;
}

export interface Lease {
  token: string;
  until: number;
  number: number;
  cycle: number;
  trigger: Trigger;
  actor: string | null;
  epoch: number | null;
  probe: boolean;
  startedAt: number;
}

export interface DeliveryRow extends DeliveryState, DeliveryFacts {
  id: number;
  eventId: number;
  appId: number;
  environment: Environment;
  /** Null: the event matched none (R-PUB-3). */
  endpointId: number | null;
  type: string;
  /** The policy version whose ladder part this cycle keeps (R-LAD-8). */
  policyId: number;
  createdAt: number;
  /** Who began the present cycle, where a person did. */
  actor: string | null;
  /** Duration of the last attempt, ms. */
  lastDurationMs: number | null;
  lease: Lease | null;
}

/** A delivery as lists show it: with what its event and endpoint add. */
export interface DeliveryListRow extends DeliveryRow {
  eventPublicId: string;
  resource: string | null;
  amount: string | null;
  currency: string | null;
  exponent: number | null;
  endpointPublicId: string | null;
  endpointNumber: number | null;
  endpointUrl: string | null;
  endpointDescription: string | null;
}

export interface AttemptTiming {
  dnsMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
  firstByteMs: number | null;
}

export interface AttemptRow extends AttemptTiming {
  id: number;
  deliveryId: number;
  appId: number;
  environment: Environment;
  endpointId: number;
  number: number;
  cycle: number;
  trigger: Trigger;
  actor: string | null;
  startedAt: number;
  endedAt: number;
  durationMs: number;
  outcome: Outcome;
  statusCode: number | null;
  errorClass: ErrorClass | null;
  message: string | null;
  url: string;
  address: string | null;
  ladder: LadderName | null;
  /** Counter of `ladder` after this attempt. */
  step: number | null;
  probe: boolean;
  /** How it counted in its breaker's window (R-ATT-17), and the epoch it was claimed under. */
  counted: 'reachable' | 'failure' | null;
  epoch: number | null;
  /** One more try on a fresh connection inside this attempt (R-ATT-15). */
  retriedStale: boolean;
}

export interface BreakerRow extends Breaker {
  id: number;
  publicId: string;
  appId: number;
  environment: Environment;
  /** Null: the app's own breaker (scope `app`). */
  endpointId: number | null;
  createdAt: number;
}

export interface BreakerEventRow {
  id: number;
  breakerId: number;
  at: number;
  kind: BreakerEventKind;
  epoch: number;
  pauseMs: number | null;
  probeAt: number | null;
  actor: string | null;
  reason: string | null;
}

export interface ApiKeyRow {
  id: number;
  publicId: string;
  /** Null for a platform key `hk_ops_…`. */
  organizationId: string | null;
  appId: number | null;
  environment: Environment | null;
  name: string;
  scopes: readonly string[];
  prefix: string;
  last4: string;
  hash: string;
  createdAt: number;
  expiresAt: number | null;
  revokedAt: number | null;
  lastUsedAt: number | null;
}

export interface AuditRow {
  organizationId: string | null;
  appId: number | null;
  environment: Environment | null;
  at: number;
  actorKind: 'user' | 'key' | 'system';
  actorId: string;
  action: string;
  objectId: string | null;
  result: 'ok' | 'denied' | 'failed';
  requestId: string;
  /** Small, without secrets. */
  detail: Record<string, unknown>;
}

export type ReceiverBehaviour = 'healthy' | 'flaky' | 'down' | 'reject' | 'slow';

/** A built-in receiver of an app, reached at `/r/{token}` (R-ATT-16). */
export interface ReceiverRow {
  token: string;
  appId: number;
  environment: Environment;
  behaviour: ReceiverBehaviour;
  createdAt: number;
}

export interface IdempotencyRow {
  appId: number;
  environment: Environment;
  key: string;
  contentHash: string;
  status: number;
  body: string;
  createdAt: number;
}
