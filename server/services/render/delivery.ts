// A delivery's row as the resource of api.md; what holds it is derived here, on reading (R-DEL-6).
import { ERROR_CLASSES } from '@/server/core/error-class';
import { derivedReason } from '@/server/core/gates';
import { deriveId } from '@/server/core/ids';
import { type LadderPart, ladderAttempts } from '@/server/core/policy';
import type { DeliveryListRow, DeliveryRow } from '@/server/ports/records';
import type { DeliveryResource } from '../contract';
import { breakerOf, effectivePolicy, type View } from './view';

/** The public id of a delivery's row. */
export function deliveryId(row: { createdAt: number; id: number }): string {
  return deriveId('dlv', row.createdAt, row.id);
}

/** ISO 8601, UTC, milliseconds. */
export function iso(at: number): string {
  return new Date(at).toISOString();
}

export function isoOrNull(at: number | null): string | null {
  return at === null ? null : iso(at);
}

export function renderDelivery(row: DeliveryListRow, view: View): DeliveryResource {
  const inFlight = isInFlight(row, view.now);
  const held = heldBy(row, view, inFlight);
  return {
    id: deliveryId(row),
    event_id: row.eventPublicId,
    endpoint_id: row.endpointPublicId,
    endpoint_number: row.endpointNumber,
    type: row.type,
    environment: row.environment,
    status: row.status,
    reason: row.reason,
    held_by: held.heldBy,
    held_until: isoOrNull(held.heldUntil),
    in_flight: inFlight,
    cycle: row.cycle,
    attempts: row.attempts,
    ...budgets(row, view.policies.get(row.policyId) ?? view.policy),
    money: row.money,
    amount: row.amount,
    currency: row.currency,
    exponent: row.exponent,
    resource: row.resource,
    last_status_code: row.lastStatusCode,
    last_error_class: row.lastErrorClass,
    last_error: row.lastErrorClass === null ? null : ERROR_CLASSES[row.lastErrorClass].sentence,
    last_duration_ms: row.lastDurationMs,
    last_ended_at: isoOrNull(row.lastEndedAt),
    next_attempt_at: row.status === 'pending' ? isoOrNull(row.dueAt) : null,
    first_delivered_at: isoOrNull(row.firstDeliveredAt),
    ended_at: isoOrNull(row.endedAt),
    created_at: iso(row.createdAt),
  };
}

/** Derived from the lease, so that it can never contradict it (R-DEL-6). */
export function isInFlight(row: Pick<DeliveryRow, 'lease'>, now: number): boolean {
  return row.lease !== null && row.lease.until > now;
}

/** R-LAD-2: what each ladder of the cycle has used of its attempts; a ladder that does not apply has none. */
export function budgets(
  row: Pick<DeliveryRow, 'fast' | 'slow' | 'money'>,
  ladder: Pick<LadderPart, 'ladder' | 'rejected' | 'slowLadder'>,
): Pick<DeliveryResource, 'fast' | 'slow'> {
  const rule = row.money ? ladder.rejected.money : ladder.rejected.other;
  const slowOf = rule === 'slow' && ladder.slowLadder !== undefined ? ladderAttempts(ladder.slowLadder) : 0;
  return {
    fast: { used: row.fast, of: ladderAttempts(ladder.ladder) },
    slow: { used: row.slow, of: slowOf },
  };
}

function heldBy(row: DeliveryRow, view: View, inFlight: boolean) {
  const endpoint = row.endpointId === null ? undefined : view.endpoints.get(row.endpointId);
  if (endpoint === undefined) return { heldBy: null, heldUntil: null };
  return derivedReason({
    health: endpoint,
    breaker: breakerOf(view, endpoint),
    scope: effectivePolicy(view, endpoint).breaker?.scope ?? null,
    state: row,
    inFlight,
    now: view.now,
  });
}
