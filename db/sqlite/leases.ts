import type { Database as Connection } from 'better-sqlite3';
import { giveBackTurn } from '@/server/core/breaker';
import type { DeliveryRow } from '@/server/ports/records';
import type { Change, Claim, SettleEnd } from '@/server/ports/store';
import { BEHIND, DELIVERY_COLUMNS, deliveryIdOf, deliveryOf, type RawDelivery } from './delivery-row';
import type { LaneReader } from './lane';
import { CorruptRow } from './rows';
import type { Writes } from './writes';

const NO_TIMING = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null } as const;

/** A lease that is over, as the end of an attempt of which nobody knows what became (R-DEL-11). */
export function lostEnd(row: DeliveryRow, at: { now: number; url: string }): SettleEnd | null {
  const { lease, endpointId } = row;
  if (lease === null || endpointId === null) return null;
  return {
    deliveryId: row.id,
    endpointId,
    appId: row.appId,
    environment: row.environment,
    token: lease.token,
    cycle: lease.cycle,
    number: lease.number,
    trigger: lease.trigger,
    actor: lease.actor,
    epoch: lease.epoch,
    probe: lease.probe,
    end: { kind: 'lost' },
    startedAt: lease.startedAt,
    endedAt: at.now,
    durationMs: Math.max(0, Math.min(at.now, lease.until) - lease.startedAt),
    timing: NO_TIMING,
    url: at.url,
    address: null,
    retriedStale: false,
  };
}

export interface ExpiredLeases {
  ends: readonly SettleEnd[];
  /** Rows whose lease cannot be read. */
  unreadable: readonly number[];
}

/** Reads leases that are over, or end further ahead than a lease can (R-TIM-1), behind gates too. */
export function createExpiredLeases(db: Connection) {
  const columns = `${DELIVERY_COLUMNS}, COALESCE(ep.url, '') FROM deliveries d INDEXED BY deliveries_leased
    LEFT JOIN endpoints ep ON ep.id = d.endpoint_id WHERE d.lease_until IS NOT NULL`;
  const over = db
    .prepare<[number, number], RawDelivery>(
      `SELECT ${columns} AND d.lease_until <= ? ORDER BY d.lease_until LIMIT +?`,
    )
    .raw();
  const tooFar = db
    .prepare<[number, number], RawDelivery>(
      `SELECT ${columns} AND d.lease_until > ? ORDER BY d.lease_until LIMIT +?`,
    )
    .raw();

  return ({ now, maxLeaseMs, limit }: { now: number; maxLeaseMs: number; limit: number }): ExpiredLeases => {
    const ends: SettleEnd[] = [];
    const unreadable: number[] = [];
    for (const raw of [...over.all(now, limit), ...tooFar.all(now + maxLeaseMs, limit)].slice(0, limit)) {
      try {
        const end = lostEnd(deliveryOf(raw), { now, url: String(raw[BEHIND]) });
        if (end === null) unreadable.push(deliveryIdOf(raw));
        else ends.push(end);
      } catch (error) {
        if (!(error instanceof CorruptRow)) throw error;
        unreadable.push(deliveryIdOf(raw));
      }
    }
    return { ends, unreadable };
  };
}

interface LeasedRow {
  appId: number;
  environment: Change['environment'];
  probe: number;
}

/** Gives back leases whose attempt was never sent: number and turn return, nothing is recorded. */
export function createRelease(
  db: Connection,
  { lanes, writes, note }: { lanes: LaneReader; writes: Writes; note: (change: Change) => void },
) {
  const leased = db.prepare<[number, string], LeasedRow>(
    `SELECT app_id AS appId, environment, lease_probe AS probe FROM deliveries WHERE id = ? AND lease_token = ?`,
  );

  return (claims: readonly Pick<Claim, 'deliveryId' | 'token'>[], now: number): void => {
    const book = lanes.open(now);
    for (const { deliveryId, token } of claims) {
      const row = leased.get(deliveryId, token);
      if (row === undefined) continue;
      writes.releaseLease(deliveryId, token);
      note({ appId: row.appId, environment: row.environment, kind: 'delivery' });
      const breaker = row.probe === 0 ? null : book.breakerOfProbe({ ...row, token });
      if (breaker === null) continue;
      const move = giveBackTurn(breaker.row, now);
      writes.breaker(breaker, move.breaker, { events: move.events, now });
      note({ appId: row.appId, environment: row.environment, kind: 'breaker' });
    }
  };
}
