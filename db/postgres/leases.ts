import { giveBackTurn } from '@/server/core/breaker';
import type { Environment } from '@/server/core/model';
import type { Claim, SettleEnd } from '@/server/ports/store';
import { BEHIND, DELIVERY_COLUMNS, deliveryIdOf, deliveryOf, type RawDelivery } from '../sqlite/delivery-row';
import type { BreakerHolder } from '../sqlite/lane';
import { lostEnd } from '../sqlite/leases';
import { breakerOf, CorruptRow, type Raw } from '../sqlite/rows';
import { type Client, select, selectArrays } from './connect';
import type { Transactions } from './transactions';
import { createWriteBuffer } from './writes';

interface Query {
  now: number;
  maxLeaseMs: number;
  limit: number;
}

const COLUMNS = `${DELIVERY_COLUMNS}, COALESCE(ep.url, '') FROM deliveries d
  LEFT JOIN endpoints ep ON ep.id = d.endpoint_id WHERE d.lease_until IS NOT NULL`;
const EXPIRED = `(SELECT ${COLUMNS} AND d.lease_until <= $1 ORDER BY d.lease_until LIMIT $3)
  UNION ALL (SELECT ${COLUMNS} AND d.lease_until > $2 ORDER BY d.lease_until LIMIT $3)`;

function endOf(raw: RawDelivery, now: number): SettleEnd | null {
  try {
    return lostEnd(deliveryOf(raw), { now, url: String(raw[BEHIND]) });
  } catch (error) {
    if (error instanceof CorruptRow) return null;
    throw error;
  }
}

/** Leases that are over, or end further ahead than a lease can (R-TIM-1), behind gates too. */
export function createExpiredLeases(
  reader: Client,
  transactions: Transactions,
  newId: (prefix: string) => string,
) {
  return async ({ now, maxLeaseMs, limit }: Query): Promise<readonly SettleEnd[]> => {
    const rows = await selectArrays(reader, EXPIRED, [now, now + maxLeaseMs, limit]);
    const ends: SettleEnd[] = [];
    const unreadable: number[] = [];
    for (const raw of rows.slice(0, limit)) {
      const end = endOf(raw, now);
      if (end === null) unreadable.push(deliveryIdOf(raw));
      else ends.push(end);
    }
    if (unreadable.length > 0) {
      await transactions.run(async ({ client }) => {
        const writes = createWriteBuffer({ newId, holdsBreaker: () => false });
        for (const id of unreadable) writes.setAside(id, now);
        await writes.flush(client);
      });
    }
    return ends;
  };
}

interface Leased {
  id: number;
  token: string;
  appId: number;
  environment: Environment;
  probe: number;
}

const LEASED = `SELECT d.id, d.lease_token AS token, d.app_id AS "appId", d.environment, d.lease_probe AS probe
  FROM deliveries d JOIN unnest($1::bigint[], $2::text[]) AS x(id, token) ON x.id = d.id AND x.token = d.lease_token
  ORDER BY d.id FOR NO KEY UPDATE OF d`;
const PROBED = `SELECT * FROM breakers WHERE app_id = $1 AND environment = $2 AND probe_token = $3 FOR NO KEY UPDATE`;

/** Gives back leases whose attempt was never sent: number and turn return, nothing is recorded. */
export function createRelease(transactions: Transactions, newId: (prefix: string) => string) {
  return (claims: readonly Pick<Claim, 'deliveryId' | 'token'>[], now: number): Promise<void> =>
    transactions.run(async (transaction) => {
      const { client } = transaction;
      const note: typeof transaction.note = (change) => transaction.note(change);
      const writes = createWriteBuffer({ newId, holdsBreaker: () => true });
      const rows = await select<Leased>(client, LEASED, [
        claims.map(({ deliveryId }) => deliveryId),
        claims.map(({ token }) => token),
      ]);
      for (const { id, token, appId, environment, probe } of rows) {
        writes.releaseLease(id, token);
        note({ appId, environment, kind: 'delivery' });
        const [raw] = probe === 0 ? [] : await select<Raw>(client, PROBED, [appId, environment, token]);
        if (raw === undefined) continue;
        const holder: BreakerHolder = { row: breakerOf(raw) };
        const move = giveBackTurn(holder.row, now);
        writes.breaker(holder, move.breaker, { events: move.events, now });
        note({ appId, environment, kind: 'breaker' });
      }
      await writes.flush(client);
    });
}
