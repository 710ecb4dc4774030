// A breaker's row as the resource of api.md (R-BRK-8).
import { breakerStateAt, countWindow } from '@/server/core/breaker';
import type { WindowEntry } from '@/server/core/model';
import { type BreakerPolicy, PRESETS } from '@/server/core/policy';
import type { Queries } from '@/server/ports/queries';
import type { AttemptRow, BreakerRow } from '@/server/ports/records';
import type { BreakerResource } from '../contract';
import { deliveryId, isoOrNull } from './delivery';
import { effectivePolicy, type View } from './view';

/** `held` is exact up to this many. */
export const HELD_LIMIT = 10_000;

export interface BreakerFacts {
  window: readonly WindowEntry[];
  /** Those that opened it or, while closed, the failures in the window. */
  openedBy: readonly AttemptRow[];
  /** Their deliveries, each once. */
  deliveries: readonly { id: number; createdAt: number }[];
  held: number;
}

/** The thresholds in force; a policy that names no breaker any more leaves the defaults to be shown. */
export function breakerPolicyOf(row: Pick<BreakerRow, 'endpointId'>, view: View): BreakerPolicy {
  const endpoint = row.endpointId === null ? null : (view.endpoints.get(row.endpointId) ?? null);
  return effectivePolicy(view, endpoint).breaker ?? PRESETS.standard.breaker;
}

/** Reads what a breaker is shown with: a bounded window, `attempts` of those that opened it, a bounded count. */
export async function loadBreakerFacts(
  queries: Queries,
  row: BreakerRow,
  options: { view: View; attempts: number },
): Promise<BreakerFacts> {
  const { view } = options;
  const since = view.now - breakerPolicyOf(row, view).windowMs;
  const window = await queries.breakerWindow(row, since);
  const failures = window.filter((entry) => entry.failure).map((entry) => entry.attemptId);
  const ids = row.state === 'closed' ? failures : row.openedBy;
  const openedBy = ids.length === 0 ? [] : await queries.attemptsByIds(ids.slice(0, options.attempts));
  const deliveries = [];
  for (const id of new Set(openedBy.map((attempt) => attempt.deliveryId))) {
    const delivery = await queries.delivery(id);
    if (delivery !== null) deliveries.push(delivery);
  }
  return { window, openedBy, deliveries, held: await heldBehind(queries, row, view) };
}

async function heldBehind(queries: Queries, row: BreakerRow, view: View): Promise<number> {
  let held = 0;
  for (const id of heldEndpoints(row, view)) {
    held += await queries.pendingOf(id, HELD_LIMIT - held);
    if (held >= HELD_LIMIT) break;
  }
  return held;
}

/** The endpoints whose deliveries wait behind the breaker: in `app` scope a healthy one passes (R-BRK-3). */
export function heldEndpoints(row: BreakerRow, view: View): number[] {
  if (row.state === 'closed') return [];
  if (row.endpointId !== null) return [row.endpointId];
  return [...view.endpoints.values()]
    .filter((endpoint) => effectivePolicy(view, endpoint).breaker?.scope === 'app')
    .filter((endpoint) => !endpoint.lastEndReachable)
    .map((endpoint) => endpoint.id);
}

export function renderBreaker(row: BreakerRow, view: View, facts: BreakerFacts): BreakerResource {
  const endpoint = row.endpointId === null ? null : (view.endpoints.get(row.endpointId) ?? null);
  return {
    id: row.publicId,
    endpoint_id: endpoint?.publicId ?? null,
    environment: row.environment,
    state: breakerStateAt(row, view.now),
    opened_at: isoOrNull(row.openedAt),
    pause_ms: row.pauseMs,
    probe_at: isoOrNull(row.probeAt),
    probe_in_flight: row.probeDeliveryId !== null,
    window: countWindow(facts.window, breakerPolicyOf(row, view), view.now),
    opened_by: facts.deliveries.map(deliveryId),
    held: facts.held,
  };
}
