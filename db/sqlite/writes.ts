import type { Database as Connection } from 'better-sqlite3';
import type { Breaker, BreakerEventKind, DeliveryState, EndpointHealth } from '@/server/core/model';
import type { BreakerRow, Lease } from '@/server/ports/records';
import {
  HEALTH_COLUMNS,
  healthValues,
  LEASE_COLUMNS,
  leaseValues,
  NO_LEASE,
  STATE_COLUMNS,
  setList,
  stateValues,
} from './columns';
import type { BreakerHolder } from './lane';

/** The writes that claim, settle and sweeps share. */
export interface Writes {
  /** The whole state; the lease stays as it is. */
  state(deliveryId: number, state: DeliveryState): void;
  /** The whole state, and the lease is taken off. `durationMs` null: the last one stays. */
  stateAndRelease(deliveryId: number, state: DeliveryState, durationMs: number | null): void;
  lease(deliveryId: number, lease: Lease): void;
  releaseLease(deliveryId: number, token: string): void;
  lastDuration(deliveryId: number, durationMs: number): void;
  deadline(deliveryId: number, at: number): void;
  /** A row that cannot be read ends here and stops nothing. */
  setAside(deliveryId: number, now: number): void;
  health(endpointId: number, health: EndpointHealth): void;
  /** The breaker's row, made where it has none yet. */
  ensureBreaker(holder: BreakerHolder): BreakerRow;
  /** The breaker's next state with its history and the intervals of its gate (R-BRK-7, R-DEL-7). */
  breaker(
    holder: BreakerHolder,
    next: Breaker,
    move: { events: readonly BreakerEventKind[]; now: number },
  ): void;
}

function prepareBreaker(db: Connection, newId: () => string) {
  const insert = db.prepare(
    `INSERT INTO breakers (public_id, app_id, environment, endpoint_id, created_at, state, epoch, opened_by)
     VALUES (?, ?, ?, ?, ?, ?, ?, '[]')`,
  );
  const update = db.prepare(
    `UPDATE breakers SET state = ?, epoch = ?, opened_at = ?, pause_ms = ?, probe_at = ?, probe_delivery_id = ?,
     probe_token = ?, closed_at = ?, drain_cursor = ?, opened_by = ? WHERE id = ?`,
  );
  const insertEvent = db.prepare(
    `INSERT INTO breaker_events (breaker_id, app_id, environment, at, kind, epoch, pause_ms, probe_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const openGate = db.prepare(
    `INSERT INTO gate_intervals (app_id, environment, endpoint_id, kind, from_at) VALUES (?, ?, ?, 'breaker', ?)`,
  );
  const closeGate = db.prepare(
    `UPDATE gate_intervals SET to_at = ? WHERE app_id = ? AND environment = ? AND endpoint_id IS ?
     AND kind = 'breaker' AND to_at IS NULL`,
  );

  const ensure = (holder: BreakerHolder): BreakerRow => {
    const { row } = holder;
    if (row.id !== 0) return row;
    const publicId = newId();
    const made = insert.run(
      publicId,
      row.appId,
      row.environment,
      row.endpointId,
      row.createdAt,
      row.state,
      row.epoch,
    );
    holder.row = { ...row, id: Number(made.lastInsertRowid), publicId };
    return holder.row;
  };

  const writeGate = (row: BreakerRow, kind: BreakerEventKind, now: number) => {
    if (kind === 'opened') openGate.run(row.appId, row.environment, row.endpointId, now);
    if (kind === 'closed' || kind === 'reset') closeGate.run(now, row.appId, row.environment, row.endpointId);
  };

  const save: Writes['breaker'] = (holder, next, { events, now }) => {
    const row = ensure(holder);
    holder.row = { ...row, ...next };
    update.run(
      next.state,
      next.epoch,
      next.openedAt,
      next.pauseMs,
      next.probeAt,
      next.probeDeliveryId,
      next.probeToken,
      next.closedAt,
      next.drainCursor,
      JSON.stringify(next.openedBy),
      row.id,
    );
    for (const kind of events) {
      insertEvent.run(row.id, row.appId, row.environment, now, kind, next.epoch, next.pauseMs, next.probeAt);
      writeGate(row, kind, now);
    }
  };

  return { ensureBreaker: ensure, breaker: save };
}

export function createWrites(db: Connection, newId: () => string): Writes {
  const state = db.prepare(`UPDATE deliveries SET ${setList(STATE_COLUMNS)} WHERE id = ?`);
  const stateAndRelease = db.prepare(
    `UPDATE deliveries SET ${setList(STATE_COLUMNS)}, last_duration_ms = COALESCE(?, last_duration_ms), ${NO_LEASE}
     WHERE id = ?`,
  );
  const lease = db.prepare(`UPDATE deliveries SET ${setList(LEASE_COLUMNS)} WHERE id = ?`);
  const release = db.prepare(`UPDATE deliveries SET ${NO_LEASE} WHERE id = ? AND lease_token = ?`);
  const lastDuration = db.prepare('UPDATE deliveries SET last_duration_ms = ? WHERE id = ?');
  const deadline = db.prepare('UPDATE deliveries SET deadline_at = ? WHERE id = ?');
  const setAside = db.prepare(
    `UPDATE deliveries SET status = 'failed', reason = 'corrupt', due_at = NULL, wait_cause = NULL, ended_at = ?,
     next_trigger = 'retry', last_outcome = 'unknown', last_error_class = 'corrupt', ${NO_LEASE} WHERE id = ?`,
  );
  const health = db.prepare(`UPDATE endpoints SET ${setList(HEALTH_COLUMNS)} WHERE id = ?`);

  return {
    state: (id, next) => void state.run(...stateValues(next), id),
    stateAndRelease: (id, next, durationMs) => void stateAndRelease.run(...stateValues(next), durationMs, id),
    lease: (id, next) => void lease.run(...leaseValues(next), id),
    releaseLease: (id, token) => void release.run(id, token),
    lastDuration: (id, durationMs) => void lastDuration.run(durationMs, id),
    deadline: (id, at) => void deadline.run(at, id),
    setAside: (id, now) => void setAside.run(now, id),
    health: (id, next) => void health.run(...healthValues(next), id),
    ...prepareBreaker(db, newId),
  };
}
