// Invariant: only ends of attempts and acts of people change an endpoint's health; silence, holds and pauses do not.
import type { DisabledReason, EndpointHealth, Outcome, Trigger } from './model';

/** R-FAIL-8: the longest pause, ms. */
export const LONGEST_PAUSE_MS = 7 * 86_400_000;

export interface HealthEnd {
  outcome: Outcome;
  trigger: Trigger;
  endedAt: number;
  /** The row no longer carried the end's token: only a 2xx acts (R-DEL-2). */
  late: boolean;
  /** New value of `lastEndReachable`; null: it stays (R-BRK-3). */
  reachable: boolean | null;
}

/** The health's fields alone, of a row that has more. */
export function healthOf(row: EndpointHealth): EndpointHealth {
  return {
    status: row.status,
    disabledReason: row.disabledReason,
    pausedUntil: row.pausedUntil,
    failingSince: row.failingSince,
    lastFailedAt: row.lastFailedAt,
    consecutiveFailures: row.consecutiveFailures,
    lastEndReachable: row.lastEndReachable,
    unsignedSince: row.unsignedSince,
    unsignedRetryAt: row.unsignedRetryAt,
  };
}

function failed(health: EndpointHealth, endedAt: number): EndpointHealth {
  return {
    ...health,
    failingSince: health.failingSince ?? endedAt,
    lastFailedAt: Math.max(health.lastFailedAt ?? endedAt, endedAt),
    consecutiveFailures: health.consecutiveFailures + 1,
  };
}

function cleared(health: EndpointHealth): EndpointHealth {
  return { ...health, failingSince: null, lastFailedAt: null, consecutiveFailures: 0 };
}

/**
 * R-FAIL-1, R-ATT-17 column `failing_since`: the first failed attempt sets it, any delivered one clears it, a late one
 * too; of a test's first attempt only a 2xx acts. The status never changes here: a late success re-enables nothing.
 */
export function healthAfter(health: EndpointHealth, end: HealthEnd): EndpointHealth {
  const next = end.reachable === null ? health : { ...health, lastEndReachable: end.reachable };
  switch (end.outcome) {
    case 'delivered':
      return cleared(next);
    case 'rejected':
    case 'unavailable':
      return end.late || end.trigger === 'test' ? next : failed(next, end.endedAt);
    case 'held':
    case 'unknown':
      return next;
    default: {
      const never: never = end.outcome;
      return never;
    }
  }
}

/** Whether anything of the health differs. */
export function healthDiffers(a: EndpointHealth, b: EndpointHealth): boolean {
  return (
    a.status !== b.status ||
    a.disabledReason !== b.disabledReason ||
    a.pausedUntil !== b.pausedUntil ||
    a.failingSince !== b.failingSince ||
    a.lastFailedAt !== b.lastFailedAt ||
    a.consecutiveFailures !== b.consecutiveFailures ||
    a.lastEndReachable !== b.lastEndReachable ||
    a.unsignedSince !== b.unsignedSince ||
    a.unsignedRetryAt !== b.unsignedRetryAt
  );
}

/**
 * R-FAIL-2: failing for N ms = the last failed attempt lies that far behind the first one since a success. Time in
 * which nothing was attempted proves nothing.
 */
export function isFailingFor(
  health: Pick<EndpointHealth, 'failingSince' | 'lastFailedAt'>,
  ms: number,
): boolean {
  if (health.failingSince === null || health.lastFailedAt === null) return false;
  return health.lastFailedAt - health.failingSince >= ms;
}

/** R-FAIL-3, R-FAIL-8: enabled by a person: counters start anew. */
export function enable(health: EndpointHealth): EndpointHealth {
  return { ...cleared(health), status: 'active', disabledReason: null };
}

/** R-FAIL-8: disabled by a person. */
export function disable(health: EndpointHealth): EndpointHealth {
  return { ...health, status: 'disabled', disabledReason: null };
}

/** R-FAIL-2, R-FAIL-5: disabled by the product, with the reason; a person's own act is never overwritten. */
export function autoDisable(health: EndpointHealth, reason: DisabledReason): EndpointHealth {
  return health.status === 'active' ? { ...health, status: 'auto_disabled', disabledReason: reason } : health;
}

/** R-FAIL-7, R-FAIL-8: held until `until`, at most 7 d ahead. */
export function pause(health: EndpointHealth, at: { until: number; now: number }): EndpointHealth {
  return { ...health, pausedUntil: Math.min(at.until, at.now + LONGEST_PAUSE_MS) };
}

/** R-FAIL-7: the pause ends now. */
export function resume(health: EndpointHealth): EndpointHealth {
  return { ...health, pausedUntil: null };
}
