// R-PUB-3: events that wait for want of any endpoint become the deliveries of the first that comes and matches.
import { assignEndpoint } from '@/server/core/cycle';
import { matchesType } from '@/server/core/event-filter';
import type { EndpointRow } from '@/server/ports/records';
import type { Store, Tx } from '@/server/ports/store';
import { policyInForce } from './policies';
import { stateOf } from './resend';

const PAGE = 100;
/** Rows looked at in one transaction. */
const BATCH = 1_000;

interface Walk {
  endpoint: EndpointRow;
  now: number;
  /** Rows above this one are still to be looked at. */
  after: number;
}

/** One batch, oldest first, within the caller's transaction; where to go on, null at the end. */
export async function assignWaiting(tx: Tx, { endpoint, now, after }: Walk): Promise<number | null> {
  const { id: policyId, policy } = await policyInForce(tx, endpoint);
  const scope = { appId: endpoint.appId, environment: endpoint.environment };
  let cursor = after;
  for (let seen = 0; seen < BATCH; seen += PAGE) {
    const page = { limit: PAGE, order: 'asc', cursor } as const;
    const rows = await tx.deliveries({ ...scope, status: 'pending', reason: 'no_endpoint', ...page });
    for (const row of rows) {
      cursor = row.id;
      if (row.endpointId !== null || !matchesType(endpoint.types, row.type)) continue;
      const at = { now, ladder: policy, eventCreatedAt: row.eventCreatedAt };
      const state = assignEndpoint(stateOf(row), at);
      if (state !== null) await tx.updateDelivery(row.id, state, { endpointId: endpoint.id, policyId });
    }
    if (rows.length < PAGE) return null;
  }
  return cursor;
}

/** What one transaction did not finish, in further ones; stops when the endpoint is gone or no longer active. */
export async function assignRest(store: Store, from: { endpointId: string; now: number }): Promise<void> {
  let after: number | null = 0;
  while (after !== null) {
    const at: number = after;
    after = await store.transact(async (tx) => {
      const endpoint = await tx.endpoint(from.endpointId);
      if (endpoint === null || endpoint.status !== 'active') return null;
      return assignWaiting(tx, { endpoint, now: from.now, after: at });
    });
  }
}
