import type { Database as Connection } from 'better-sqlite3';
import { deadlineOf } from '@/server/core/deadline';
import { expire } from '@/server/core/delivery-state';
import type { EndpointStatus } from '@/server/core/model';
import type { DeliveryRow } from '@/server/ports/records';
import type { Change, SweepResult } from '@/server/ports/store';
import { DELIVERY_COLUMNS, deliveryIdOf, deliveryOf, type RawDelivery } from './delivery-row';
import type { LaneBook, LaneReader } from './lane';
import { CorruptRow } from './rows';
import type { Writes } from './writes';

interface Inactive {
  id: number;
  appId: number;
  status: EndpointStatus;
}

export interface SweepDeps {
  lanes: LaneReader;
  writes: Writes;
  note: (change: Change) => void;
}

interface SweepRun {
  now: number;
  book: LaneBook;
  left: number;
  skipped: number;
  failed: number;
}

function prepareSweep(db: Connection) {
  const open = `status = 'pending' AND lease_until IS NULL`;
  const inKind = (unknowns: string) =>
    `${open} AND endpoint_id IS NOT NULL AND unknowns ${unknowns} AND app_id = ? AND endpoint_id = ?
     AND due_at <= ? AND next_trigger <> 'test' ORDER BY due_at LIMIT +?`;
  const deadline = db
    .prepare<[number, number], RawDelivery>(
      `SELECT ${DELIVERY_COLUMNS} FROM deliveries d INDEXED BY deliveries_deadline
     WHERE ${open} AND deadline_at < ? ORDER BY deadline_at LIMIT +?`,
    )
    .raw();
  const inactive = db.prepare<[], Inactive>(
    `SELECT id, app_id AS appId, status FROM endpoints INDEXED BY endpoints_not_active
     WHERE status <> 'active' ORDER BY id`,
  );
  const due = db
    .prepare<[number, number, number, number], RawDelivery>(
      `SELECT ${DELIVERY_COLUMNS} FROM deliveries d INDEXED BY deliveries_due WHERE ${inKind('< 3')}`,
    )
    .raw();
  const suspects = db
    .prepare<[number, number, number, number], RawDelivery>(
      `SELECT ${DELIVERY_COLUMNS} FROM deliveries d INDEXED BY deliveries_suspect WHERE ${inKind('>= 3')}`,
    )
    .raw();
  const pending = db
    .prepare<[number, number], RawDelivery>(
      `SELECT ${DELIVERY_COLUMNS} FROM deliveries d INDEXED BY deliveries_endpoint_status
     WHERE endpoint_id = ? AND ${open} AND status <> 'delivered' AND next_trigger <> 'test' ORDER BY id LIMIT +?`,
    )
    .raw();
  return {
    deadline: (now: number, limit: number) => deadline.all(now, limit),
    inactive: () => inactive.all(),
    /** What this endpoint's status ends: its due rows, all of them when the product disabled it. */
    ofInactive({ id, appId, status }: Inactive, now: number, limit: number): RawDelivery[] {
      if (status === 'auto_disabled') return pending.all(id, limit);
      return [...due.all(appId, id, now, limit), ...suspects.all(appId, id, now, limit)].slice(0, limit);
    },
  };
}

/** The expiry sweep (R-BRK-9): ends what needs no sender, never under a lease. Runs inside the writer's transaction. */
export function createSweep(db: Connection, { lanes, writes, note }: SweepDeps) {
  const statements = prepareSweep(db);

  const endpointStatus = (run: SweepRun, row: DeliveryRow): EndpointStatus | null => {
    if (row.endpointId === null) return null;
    const lane = run.book.lane(row.endpointId);
    if (lane === null) throw new CorruptRow('endpoint missing');
    return lane.endpoint.status;
  };

  const extensions = (row: DeliveryRow) =>
    row.slowStartedAt === null || row.endpointId === null
      ? []
      : lanes.extensions(row.endpointId, row.slowStartedAt);

  const judge = (run: SweepRun, row: DeliveryRow) => {
    const ladder = run.book.policy(row.policyId);
    const input = { state: row, facts: row, ladder, gates: extensions(row), now: run.now };
    const ended = expire({ ...input, endpointStatus: endpointStatus(run, row) });
    if (ended === null) {
      if (row.deadlineAt < run.now) writes.deadline(row.id, deadlineOf(input).at);
      return;
    }
    writes.state(row.id, ended);
    if (ended.status === 'skipped') run.skipped += 1;
    else run.failed += 1;
    note({ appId: row.appId, environment: row.environment, kind: 'delivery' });
  };

  const sweepRow = (run: SweepRun, raw: RawDelivery) => {
    run.left -= 1;
    try {
      judge(run, deliveryOf(raw));
    } catch (error) {
      if (!(error instanceof CorruptRow)) throw error;
      writes.setAside(deliveryIdOf(raw), run.now);
      run.failed += 1;
    }
  };

  return ({ now, limit }: { now: number; limit: number }): SweepResult => {
    const run: SweepRun = { now, book: lanes.open(now), left: limit, skipped: 0, failed: 0 };
    for (const raw of statements.deadline(now, limit)) sweepRow(run, raw);
    for (const endpoint of statements.inactive()) {
      if (run.left <= 0) break;
      for (const raw of statements.ofInactive(endpoint, now, run.left)) sweepRow(run, raw);
    }
    return { skipped: run.skipped, failed: run.failed, more: run.left <= 0 };
  };
}
