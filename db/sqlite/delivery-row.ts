import {
  DELIVERY_STATUSES,
  ENVIRONMENTS,
  type ErrorClass,
  type Outcome,
  type StoredReason,
  type Trigger,
  type WaitCause,
} from '@/server/core/model';
import type { DeliveryRow, Lease } from '@/server/ports/records';
import { all, CorruptRow } from './rows';

/** A delivery as the driver gives it, in the order of `DELIVERY_COLUMNS`: without names, since names cost more than values. */
export type RawDelivery = readonly unknown[];

const COLUMNS = [
  'id',
  'event_id',
  'app_id',
  'environment',
  'endpoint_id',
  'status',
  'reason',
  'due_at',
  'lease_until',
  'unknowns',
  'attempts',
  'is_test',
  'deadline_at',
  'type',
  'policy_id',
  'created_at',
  'event_created_at',
  'money',
  'cycle',
  'cycle_started_at',
  'cycle_by_person',
  'fast',
  'slow',
  'slow_started_at',
  'wait_cause',
  'ladder_wait_ms',
  'retry_after_ms',
  'next_trigger',
  'last_outcome',
  'last_status_code',
  'last_error_class',
  'last_ended_at',
  'last_duration_ms',
  'first_delivered_at',
  'ended_at',
  'actor',
  'lease_token',
  'lease_number',
  'lease_cycle',
  'lease_trigger',
  'lease_actor',
  'lease_epoch',
  'lease_probe',
  'lease_started_at',
] as const;

type ColumnName = (typeof COLUMNS)[number];

/** What a statement that reads whole deliveries selects; further columns stand behind them. */
export const DELIVERY_COLUMNS = COLUMNS.map((name) => `d.${name}`).join(', ');

/** Place of the first column behind a delivery's own. */
export const BEHIND = COLUMNS.length;

const at = Object.fromEntries(COLUMNS.map((name, place) => [name, place])) as Record<ColumnName, number>;
const ID = at.id;
const ENDPOINT_ID = at.endpoint_id;

const STATUSES: ReadonlySet<unknown> = new Set(DELIVERY_STATUSES);
const ENVIRONMENT_NAMES: ReadonlySet<unknown> = new Set(ENVIRONMENTS);
const REASONS = all<StoredReason>({
  waiting: true,
  retrying: true,
  exhausted: true,
  rejected: true,
  slow_window_over: true,
  too_old: true,
  endpoint_disabled: true,
  no_endpoint: true,
  corrupt: true,
});
const TRIGGERS = all<Trigger>({
  first: true,
  retry: true,
  probe: true,
  resend: true,
  replay: true,
  test: true,
});
const WAIT_CAUSES = all<WaitCause>({ fast: true, slow: true, retry_after: true, unknown: true });
const OUTCOMES = all<Outcome>({
  delivered: true,
  unavailable: true,
  rejected: true,
  held: true,
  unknown: true,
});
const ERROR_CLASSES = all<ErrorClass>({
  http_4xx: true,
  http_429: true,
  http_5xx: true,
  redirect: true,
  dns: true,
  refused_address: true,
  connect_refused: true,
  connect_timeout: true,
  tls: true,
  reset: true,
  closed: true,
  timeout: true,
  protocol: true,
  unsigned: true,
  internal: true,
  lost: true,
  corrupt: true,
});

function unreadable(place: number): never {
  throw new CorruptRow(`unreadable ${COLUMNS[place] ?? 'event'}`);
}

function int(raw: RawDelivery, place: number): number {
  const value = raw[place];
  return typeof value === 'number' ? value : unreadable(place);
}

function intOrNull(raw: RawDelivery, place: number): number | null {
  const value = raw[place];
  return value === null || typeof value === 'number' ? value : unreadable(place);
}

function text(raw: RawDelivery, place: number): string {
  const value = raw[place];
  return typeof value === 'string' ? value : unreadable(place);
}

function textOrNull(raw: RawDelivery, place: number): string | null {
  return raw[place] === null ? null : text(raw, place);
}

function isOneOf<T extends string>(value: unknown, set: ReadonlySet<unknown>): value is T {
  return set.has(value);
}

function oneOf<T extends string>(raw: RawDelivery, place: number, set: ReadonlySet<unknown>): T {
  const value = raw[place];
  return isOneOf<T>(value, set) ? value : unreadable(place);
}

function oneOfOrNull<T extends string>(raw: RawDelivery, place: number, set: ReadonlySet<unknown>): T | null {
  return raw[place] === null ? null : oneOf<T>(raw, place, set);
}

function leaseOf(raw: RawDelivery): Lease | null {
  if (raw[at.lease_until] === null && raw[at.lease_token] === null) return null;
  return {
    token: text(raw, at.lease_token),
    until: int(raw, at.lease_until),
    number: int(raw, at.lease_number),
    cycle: int(raw, at.lease_cycle),
    trigger: oneOf(raw, at.lease_trigger, TRIGGERS),
    actor: textOrNull(raw, at.lease_actor),
    epoch: intOrNull(raw, at.lease_epoch),
    probe: int(raw, at.lease_probe) !== 0,
    startedAt: int(raw, at.lease_started_at),
  };
}

/** @throws CorruptRow */
export function deliveryOf(raw: RawDelivery): DeliveryRow {
  return {
    id: int(raw, at.id),
    eventId: int(raw, at.event_id),
    appId: int(raw, at.app_id),
    environment: oneOf(raw, at.environment, ENVIRONMENT_NAMES),
    endpointId: intOrNull(raw, at.endpoint_id),
    type: text(raw, at.type),
    policyId: int(raw, at.policy_id),
    createdAt: int(raw, at.created_at),
    eventCreatedAt: int(raw, at.event_created_at),
    money: int(raw, at.money) !== 0,
    isTest: int(raw, at.is_test) !== 0,
    actor: textOrNull(raw, at.actor),
    lastDurationMs: intOrNull(raw, at.last_duration_ms),
    lease: leaseOf(raw),
    status: oneOf(raw, at.status, STATUSES),
    reason: oneOfOrNull(raw, at.reason, REASONS),
    cycle: int(raw, at.cycle),
    cycleStartedAt: int(raw, at.cycle_started_at),
    cycleByPerson: int(raw, at.cycle_by_person) !== 0,
    attempts: int(raw, at.attempts),
    fast: int(raw, at.fast),
    slow: int(raw, at.slow),
    slowStartedAt: intOrNull(raw, at.slow_started_at),
    unknowns: int(raw, at.unknowns),
    dueAt: intOrNull(raw, at.due_at),
    waitCause: oneOfOrNull(raw, at.wait_cause, WAIT_CAUSES),
    ladderWaitMs: intOrNull(raw, at.ladder_wait_ms),
    retryAfterMs: intOrNull(raw, at.retry_after_ms),
    nextTrigger: oneOf(raw, at.next_trigger, TRIGGERS),
    lastOutcome: oneOfOrNull(raw, at.last_outcome, OUTCOMES),
    lastStatusCode: intOrNull(raw, at.last_status_code),
    lastErrorClass: oneOfOrNull(raw, at.last_error_class, ERROR_CLASSES),
    lastEndedAt: intOrNull(raw, at.last_ended_at),
    firstDeliveredAt: intOrNull(raw, at.first_delivered_at),
    endedAt: intOrNull(raw, at.ended_at),
    deadlineAt: int(raw, at.deadline_at),
  };
}

/** The key of a row that may be unreadable otherwise. */
export function deliveryIdOf(raw: RawDelivery): number {
  return Number(raw[ID]);
}

export function endpointIdOf(raw: RawDelivery): number | null {
  const value = raw[ENDPOINT_ID];
  return typeof value === 'number' ? value : null;
}

/** What a delivery's event adds, where it is joined behind. */
export const EVENT_COLUMNS = 'e.public_id, e.content_type, e.body';

/** @throws CorruptRow where the event or its body is gone. */
export function eventPartOf(raw: RawDelivery): { publicId: string; contentType: string; body: Uint8Array } {
  const body = raw[BEHIND + 2];
  if (!(body instanceof Uint8Array)) return unreadable(BEHIND + 2);
  return { publicId: text(raw, BEHIND), contentType: text(raw, BEHIND + 1), body };
}
