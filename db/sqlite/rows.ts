import {
  type BreakerState,
  type DisabledReason,
  ENVIRONMENTS,
  type EndpointStatus,
} from '@/server/core/model';
import type { Policy } from '@/server/core/policy';
import type { BreakerRow, EndpointRow, SecretRow } from '@/server/ports/records';

/** A row as the driver gives it. */
export type Raw = Record<string, unknown>;

/** The row cannot be read: it is set aside and stops nothing. */
export class CorruptRow extends Error {}

/** Every member of a union, told by name, so that a new one cannot be forgotten. */
export function all<T extends string>(members: Record<T, true>): ReadonlySet<string> {
  return new Set(Object.keys(members));
}

const ENVIRONMENT_NAMES: ReadonlySet<string> = new Set(ENVIRONMENTS);
const ENDPOINT_STATUSES = all<EndpointStatus>({ active: true, disabled: true, auto_disabled: true });
const DISABLED_REASONS = all<DisabledReason>({ failing: true, gone: true });
const BREAKER_STATES = all<BreakerState>({ closed: true, open: true, half_open: true });

function unreadable(name: string): never {
  throw new CorruptRow(`unreadable ${name}`);
}

function int(raw: Raw, name: string): number {
  const value = raw[name];
  return typeof value === 'number' ? value : unreadable(name);
}

function intOrNull(raw: Raw, name: string): number | null {
  const value = raw[name];
  return value === null || typeof value === 'number' ? value : unreadable(name);
}

function text(raw: Raw, name: string): string {
  const value = raw[name];
  return typeof value === 'string' ? value : unreadable(name);
}

function textOrNull(raw: Raw, name: string): string | null {
  const value = raw[name];
  return value === null || typeof value === 'string' ? value : unreadable(name);
}

function bytes(raw: Raw, name: string): Uint8Array {
  const value = raw[name];
  return value instanceof Uint8Array ? value : unreadable(name);
}

function isOneOf<T extends string>(value: unknown, set: ReadonlySet<string>): value is T {
  return typeof value === 'string' && set.has(value);
}

function oneOf<T extends string>(raw: Raw, name: string, set: ReadonlySet<string>): T {
  const value = raw[name];
  return isOneOf<T>(value, set) ? value : unreadable(name);
}

function oneOfOrNull<T extends string>(raw: Raw, name: string, set: ReadonlySet<string>): T | null {
  return raw[name] === null ? null : oneOf<T>(raw, name, set);
}

function jsonOf<T>(raw: Raw, name: string, is: (value: unknown) => value is T): T {
  let value: unknown;
  try {
    value = JSON.parse(text(raw, name));
  } catch {
    return unreadable(name);
  }
  return is(value) ? value : unreadable(name);
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function isNumbers(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'number');
}

function isLadder(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('kind' in value)) return false;
  return value.kind === 'exponential' || (value.kind === 'schedule' && 'waitsMs' in value);
}

/** Enough to act upon; a policy was validated whole when it was saved. */
function isPolicy(value: unknown): value is Policy {
  if (typeof value !== 'object' || value === null) return false;
  const at = (name: string): unknown => Reflect.get(value, name);
  return (
    isLadder(at('ladder')) &&
    typeof at('rejected') === 'object' &&
    typeof at('signature') === 'object' &&
    isNumbers(at('retryStatuses')) &&
    typeof at('timeoutMs') === 'number' &&
    typeof at('maxAgeMs') === 'number'
  );
}

export function policyOf(raw: Raw): Policy {
  return jsonOf(raw, 'policy', isPolicy);
}

/** @throws CorruptRow */
export function endpointOf(raw: Raw): EndpointRow {
  const sealed = raw['sealed_headers'];
  return {
    id: int(raw, 'id'),
    publicId: text(raw, 'public_id'),
    appId: int(raw, 'app_id'),
    environment: oneOf(raw, 'environment', ENVIRONMENT_NAMES),
    number: int(raw, 'number'),
    url: text(raw, 'url'),
    description: text(raw, 'description'),
    types: jsonOf(raw, 'types', isTexts),
    headerNames: jsonOf(raw, 'header_names', isTexts),
    sealedHeaders:
      sealed === null
        ? null
        : { keyId: text(raw, 'sealed_headers_key'), ciphertext: bytes(raw, 'sealed_headers') },
    policyId: intOrNull(raw, 'policy_id'),
    concurrency: intOrNull(raw, 'concurrency'),
    createdAt: int(raw, 'created_at'),
    updatedAt: int(raw, 'updated_at'),
    status: oneOf(raw, 'status', ENDPOINT_STATUSES),
    disabledReason: oneOfOrNull(raw, 'disabled_reason', DISABLED_REASONS),
    pausedUntil: intOrNull(raw, 'paused_until'),
    failingSince: intOrNull(raw, 'failing_since'),
    lastFailedAt: intOrNull(raw, 'last_failed_at'),
    consecutiveFailures: int(raw, 'consecutive_failures'),
    lastEndReachable: int(raw, 'last_end_reachable') !== 0,
    unsignedSince: intOrNull(raw, 'unsigned_since'),
    unsignedRetryAt: intOrNull(raw, 'unsigned_retry_at'),
  };
}

/** @throws CorruptRow */
export function breakerOf(raw: Raw): BreakerRow {
  return {
    id: int(raw, 'id'),
    publicId: text(raw, 'public_id'),
    appId: int(raw, 'app_id'),
    environment: oneOf(raw, 'environment', ENVIRONMENT_NAMES),
    endpointId: intOrNull(raw, 'endpoint_id'),
    createdAt: int(raw, 'created_at'),
    state: oneOf(raw, 'state', BREAKER_STATES),
    epoch: int(raw, 'epoch'),
    openedAt: intOrNull(raw, 'opened_at'),
    pauseMs: intOrNull(raw, 'pause_ms'),
    probeAt: intOrNull(raw, 'probe_at'),
    probeDeliveryId: intOrNull(raw, 'probe_delivery_id'),
    probeToken: textOrNull(raw, 'probe_token'),
    closedAt: intOrNull(raw, 'closed_at'),
    drainCursor: intOrNull(raw, 'drain_cursor'),
    openedBy: jsonOf(raw, 'opened_by', isNumbers),
  };
}

/** @throws CorruptRow */
export function secretOf(raw: Raw): SecretRow {
  return {
    id: int(raw, 'id'),
    endpointId: int(raw, 'endpoint_id'),
    appId: int(raw, 'app_id'),
    environment: oneOf(raw, 'environment', ENVIRONMENT_NAMES),
    version: int(raw, 'version'),
    sealed: { keyId: text(raw, 'key_id'), ciphertext: bytes(raw, 'ciphertext') },
    createdAt: int(raw, 'created_at'),
    expiresAt: intOrNull(raw, 'expires_at'),
  };
}
