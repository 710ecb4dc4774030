import { dueAfterClosing } from '@/server/core/delivery-state';
import type { BreakerRow, DeliveryRow } from '@/server/ports/records';
import {
  DELIVERY_COLUMNS,
  deliveryIdOf,
  deliveryOf,
  endpointIdOf,
  type RawDelivery,
} from '../sqlite/delivery-row';
import { breakerOf, CorruptRow, type Raw } from '../sqlite/rows';
import { type Client, execute, select, selectArrays } from './connect';
import { createLaneCache, emptyLaneRows, type LaneCache, loadLanes } from './lanes';
import type { Policies } from './policies';
import type { Transaction, Transactions } from './transactions';
import { createWriteBuffer } from './writes';

const DRAINING = `SELECT * FROM breakers WHERE drain_cursor IS NOT NULL ORDER BY id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED`;
const OTHERS = 'SELECT id FROM breakers WHERE drain_cursor IS NOT NULL AND id <> $1 LIMIT 1';
const CURSOR = 'UPDATE breakers SET drain_cursor = $1 WHERE id = $2';

const PENDING = `d.status = 'pending'`;
const OF_ENDPOINT = `SELECT d.id FROM deliveries d WHERE d.endpoint_id = $1 AND ${PENDING} AND d.id > $2
  ORDER BY d.id LIMIT $3`;
const OF_APP = `SELECT d.id FROM deliveries d WHERE d.app_id = $1 AND d.environment = $2 AND ${PENDING} AND d.id > $3
  ORDER BY d.id LIMIT $4`;
const HELD = `SELECT ${DELIVERY_COLUMNS} FROM deliveries d WHERE d.id = ANY($1::bigint[]) ORDER BY d.id
  FOR NO KEY UPDATE SKIP LOCKED`;

async function pendingOf(client: Client, breaker: BreakerRow, limit: number): Promise<readonly number[]> {
  const after = breaker.drainCursor ?? 0;
  const rows =
    breaker.endpointId === null
      ? await select<{ id: number }>(client, OF_APP, [breaker.appId, breaker.environment, after, limit])
      : await select<{ id: number }>(client, OF_ENDPOINT, [breaker.endpointId, after, limit]);
  return rows.map(({ id }) => id);
}

/** R-BRK-11: an endpoint with a policy of its own may obey another breaker, or none. */
function isInScope(cache: LaneCache, breaker: BreakerRow, row: DeliveryRow): boolean {
  if (row.endpointId === null) return false;
  return breaker.endpointId !== null || cache.lane(row.endpointId)?.breaker?.row.id === breaker.id;
}

interface Drained {
  /** The row at which the next batch goes on; null: there are no more. */
  cursor: number | null;
  moved: boolean;
}

/**
 * A settle holds deliveries and then asks for breakers, and this one begins with a breaker: it waits for no delivery. A
 * row that another transaction holds stops the cursor before it, and is looked at again by the next drain.
 */
async function drainOne(
  { client }: Transaction,
  breaker: BreakerRow,
  at: { now: number; limit: number; policies: Policies; newId: (prefix: string) => string },
): Promise<Drained> {
  const ids = await pendingOf(client, breaker, at.limit);
  const rows: readonly RawDelivery[] = await selectArrays(client, HELD, [ids]);
  const held = new Set(rows.map(deliveryIdOf));
  const blocked = ids.find((id) => !held.has(id));
  const lanes = emptyLaneRows();
  const endpoints = [...new Set(rows.flatMap((raw) => endpointIdOf(raw) ?? []))];
  await loadLanes(client, endpoints, { rows: lanes, policies: at.policies });
  const cache = createLaneCache(lanes, at.policies, at.now);
  const writes = createWriteBuffer({ newId: at.newId, holdsBreaker: () => false });
  const move = (row: DeliveryRow) => {
    if (row.status !== 'pending' || breaker.closedAt === null || !isInScope(cache, breaker, row)) return;
    const next = dueAfterClosing(row, { closedAt: breaker.closedAt, now: at.now });
    if (next !== null) writes.state(row.id, next);
  };
  for (const raw of rows) {
    if (blocked !== undefined && deliveryIdOf(raw) > blocked) break;
    try {
      move(deliveryOf(raw));
    } catch (error) {
      // The claim sets such a row aside; here it only must not stop the others.
      if (!(error instanceof CorruptRow)) throw error;
    }
  }
  await writes.flush(client);
  if (blocked !== undefined) return { cursor: blocked - 1, moved: ids[0] !== blocked };
  return { cursor: ids.length < at.limit ? null : (ids.at(-1) ?? null), moved: true };
}

/**
 * Moves the rows behind a closed breaker (R-BRK-4): looks at so many pending rows of its scope above its cursor, makes
 * due what the closing lets go, and notes how far it came, all in one transaction under the lock of the breaker's row.
 */
export function createDrain(deps: {
  transactions: Transactions;
  openPolicies: () => Policies;
  newId: (prefix: string) => string;
}) {
  return (at: { now: number; limit: number }): Promise<boolean> =>
    deps.transactions.run(
      async (transaction) => {
        const { client } = transaction;
        const [any] = await select(client, OTHERS, [0]);
        if (any === undefined) return false;
        await transaction.begin();
        const [raw] = await select<Raw>(client, DRAINING);
        if (raw === undefined) return false;
        const breaker = breakerOf(raw);
        const { cursor, moved } = await drainOne(transaction, breaker, {
          ...at,
          policies: deps.openPolicies(),
          newId: deps.newId,
        });
        await execute(client, CURSOR, [cursor, breaker.id]);
        transaction.note({ appId: breaker.appId, environment: breaker.environment, kind: 'delivery' });
        if (!moved) return false;
        const [other] = await select(client, OTHERS, [breaker.id]);
        return cursor !== null || other !== undefined;
      },
      { putOff: true },
    );
}
