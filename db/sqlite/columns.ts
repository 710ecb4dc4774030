import type { DeliveryState, EndpointHealth } from '@/server/core/model';
import type { Lease } from '@/server/ports/records';

/** What a prepared statement takes. */
export type Value = string | number | null | Uint8Array;

export function bit(value: boolean): number {
  return value ? 1 : 0;
}

/** The columns of a delivery's state, in the order of `stateValues`. */
export const STATE_COLUMNS = [
  'status',
  'reason',
  'due_at',
  'unknowns',
  'attempts',
  'deadline_at',
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
  'first_delivered_at',
  'ended_at',
] as const;

export function stateValues(state: DeliveryState): Value[] {
  return [
    state.status,
    state.reason,
    state.dueAt,
    state.unknowns,
    state.attempts,
    state.deadlineAt,
    state.cycle,
    state.cycleStartedAt,
    bit(state.cycleByPerson),
    state.fast,
    state.slow,
    state.slowStartedAt,
    state.waitCause,
    state.ladderWaitMs,
    state.retryAfterMs,
    state.nextTrigger,
    state.lastOutcome,
    state.lastStatusCode,
    state.lastErrorClass,
    state.lastEndedAt,
    state.firstDeliveredAt,
    state.endedAt,
  ];
}

/** The columns of a lease, in the order of `leaseValues`. */
export const LEASE_COLUMNS = [
  'lease_token',
  'lease_until',
  'lease_number',
  'lease_cycle',
  'lease_trigger',
  'lease_actor',
  'lease_epoch',
  'lease_probe',
  'lease_started_at',
] as const;

export function leaseValues(lease: Lease): Value[] {
  return [
    lease.token,
    lease.until,
    lease.number,
    lease.cycle,
    lease.trigger,
    lease.actor,
    lease.epoch,
    bit(lease.probe),
    lease.startedAt,
  ];
}

export const NO_LEASE = LEASE_COLUMNS.map((column) => `${column} = NULL`).join(', ');

/** The columns of an endpoint's health, in the order of `healthValues`. */
export const HEALTH_COLUMNS = [
  'status',
  'disabled_reason',
  'paused_until',
  'failing_since',
  'last_failed_at',
  'consecutive_failures',
  'last_end_reachable',
  'unsigned_since',
  'unsigned_retry_at',
] as const;

export function healthValues(health: EndpointHealth): Value[] {
  return [
    health.status,
    health.disabledReason,
    health.pausedUntil,
    health.failingSince,
    health.lastFailedAt,
    health.consecutiveFailures,
    bit(health.lastEndReachable),
    health.unsignedSince,
    health.unsignedRetryAt,
  ];
}

/** `a = ?, b = ?` */
export function setList(columns: readonly string[]): string {
  return columns.map((column) => `${column} = ?`).join(', ');
}

/** `?, ?, ?` */
export function places(columns: readonly unknown[]): string {
  return columns.map(() => '?').join(', ');
}
