// What people's acts do to breakers: always one of core's moves, saved with who and why.
import { type BreakerMove, giveBackTurn, probeDueNow, reset } from '@/server/core/breaker';
import type { BreakerRow, EndpointRow } from '@/server/ports/records';
import type { Tx } from '@/server/ports/store';
import { policyInForce } from './policies';

export interface Act {
  actor: string;
  reason: string | null;
  now: number;
}

/** Saves a move; nothing is written where nothing moved. */
export async function saveMove(tx: Tx, row: BreakerRow, at: Act & { move: BreakerMove }): Promise<void> {
  const { move, actor, reason, now } = at;
  if (move.events.length === 0) return;
  const events = move.events.map((kind) => ({ kind, actor, reason }));
  await tx.saveBreaker(row, move.breaker, events, now);
}

/**
 * R-FAIL-8: enabling an endpoint resets its own breaker, not the one that it shares; editing its URL makes an open
 * breaker's probe due now, and takes a turn back that is under way to the old one (R-BRK-7).
 */
export async function moveBreakerOf(
  tx: Tx,
  endpoint: EndpointRow,
  act: Act & { kind: 'enabled' | 'url_edited' },
): Promise<void> {
  const { policy } = await policyInForce(tx, endpoint);
  const row = await tx.breakerFor(endpoint, policy);
  if (row === null) return;
  if (act.kind === 'enabled') {
    if (row.endpointId !== null) await saveMove(tx, row, { ...act, move: reset(row, act.now) });
    return;
  }
  const probed = row.probeDeliveryId === null ? null : await tx.delivery(row.probeDeliveryId);
  const ownProbe = probed !== null && probed.endpointId === endpoint.id;
  const move = ownProbe ? giveBackTurn(row, act.now) : probeDueNow(row, act.now);
  await saveMove(tx, row, { ...act, move });
}

/**
 * A breaker that endpoints share holds those that are down. When the last of them is switched off or deleted there is
 * nobody left to probe, and nothing else would ever close it: it is reset. `endpoint` is the one that left.
 */
export async function resetWhenNobodyIsDown(tx: Tx, endpoint: EndpointRow, act: Act): Promise<void> {
  const { policy } = await policyInForce(tx, endpoint);
  if (policy.breaker?.scope !== 'app') return;
  const row = await tx.breakerFor(endpoint, policy);
  if (row === null || row.state === 'closed') return;
  const { appId, environment } = endpoint;
  const endpoints = await tx.endpoints({ appId, environment });
  if (endpoints.some(({ status, lastEndReachable }) => status === 'active' && !lastEndReachable)) return;
  await saveMove(tx, row, { ...act, move: reset(row, act.now) });
}
