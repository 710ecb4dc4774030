import type { Database as Connection } from 'better-sqlite3';
import { dueAfterClosing } from '@/server/core/delivery-state';
import type { BreakerRow, DeliveryRow } from '@/server/ports/records';
import type { Change } from '@/server/ports/store';
import { DELIVERY_COLUMNS, deliveryIdOf, deliveryOf, type RawDelivery } from './delivery-row';
import type { LaneBook, LaneReader } from './lane';
import { breakerOf, CorruptRow, type Raw } from './rows';
import type { Writes } from './writes';

export interface DrainDeps {
  lanes: LaneReader;
  writes: Writes;
  note: (change: Change) => void;
}

/**
 * Moves the rows behind a closed breaker (R-BRK-4): looks at so many pending rows of its scope above its cursor, makes
 * due what the closing lets go, and notes how far it came, all in the writer's transaction.
 */
export function createDrain(db: Connection, { lanes, writes, note }: DrainDeps) {
  const draining = db.prepare<[], Raw>(
    'SELECT * FROM breakers INDEXED BY breakers_draining WHERE drain_cursor IS NOT NULL ORDER BY id LIMIT 2',
  );
  const cursor = db.prepare('UPDATE breakers SET drain_cursor = ? WHERE id = ?');
  const ofEndpoint = db
    .prepare<[number, number, number], RawDelivery>(
      `SELECT ${DELIVERY_COLUMNS} FROM deliveries d INDEXED BY deliveries_endpoint_status
     WHERE endpoint_id = ? AND status = 'pending' AND status <> 'delivered' AND id > ? ORDER BY id LIMIT +?`,
    )
    .raw();
  const ofApp = db
    .prepare<[number, string, number, number], RawDelivery>(
      `SELECT ${DELIVERY_COLUMNS} FROM deliveries d INDEXED BY deliveries_status
     WHERE app_id = ? AND environment = ? AND status = 'pending' AND status <> 'delivered' AND id > ?
     ORDER BY id LIMIT +?`,
    )
    .raw();

  const pendingOf = (breaker: BreakerRow, limit: number): RawDelivery[] => {
    const after = breaker.drainCursor ?? 0;
    return breaker.endpointId === null
      ? ofApp.all(breaker.appId, breaker.environment, after, limit)
      : ofEndpoint.all(breaker.endpointId, after, limit);
  };

  /** R-BRK-11: an endpoint with a policy of its own may obey another breaker, or none. */
  const isInScope = (book: LaneBook, breaker: BreakerRow, row: DeliveryRow): boolean =>
    row.endpointId !== null &&
    (breaker.endpointId !== null || book.lane(row.endpointId)?.breaker?.row.id === breaker.id);

  const move = (book: LaneBook, breaker: BreakerRow, at: { raw: RawDelivery; now: number }) => {
    const row = deliveryOf(at.raw);
    if (breaker.closedAt === null || !isInScope(book, breaker, row)) return;
    const next = dueAfterClosing(row, { closedAt: breaker.closedAt, now: at.now });
    if (next !== null) writes.state(row.id, next);
  };

  const drainOne = (breaker: BreakerRow, { now, limit }: { now: number; limit: number }) => {
    const book = lanes.open(now);
    const rows = pendingOf(breaker, limit);
    for (const raw of rows) {
      try {
        move(book, breaker, { raw, now });
      } catch (error) {
        // The claim sets such a row aside; here it only must not stop the others.
        if (!(error instanceof CorruptRow)) throw error;
      }
    }
    const last = rows.at(-1);
    cursor.run(rows.length < limit || last === undefined ? null : deliveryIdOf(last), breaker.id);
    note({ appId: breaker.appId, environment: breaker.environment, kind: 'delivery' });
    return rows.length === limit;
  };

  return (at: { now: number; limit: number }): boolean => {
    const [first, second] = draining.all();
    if (first === undefined) return false;
    const more = drainOne(breakerOf(first), at);
    return more || second !== undefined;
  };
}
