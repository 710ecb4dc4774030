import type { Database as Connection } from 'better-sqlite3';
import type { EndpointStatus } from '@/server/core/model';
import { DELIVERY_COLUMNS, EVENT_COLUMNS, type RawDelivery } from './delivery-row';

/** An endpoint with pending rows, and when the first of them is due. */
export interface LaneHead {
  endpointId: number;
  dueAt: number;
  /**
   * What may hold the whole endpoint, where the seek read it along: a lane behind such a gate costs this one seek.
   * Null or absent: unknown here.
   */
  status?: EndpointStatus | null;
  pausedUntil?: number | null;
  unsignedSince?: number | null;
  unsignedRetryAt?: number | null;
}

export interface Candidate {
  id: number;
  fast: number;
  dueAt: number;
}

/**
 * What a walk reads of one kind of rows: ordinary ones, or suspects (R-DEL-11). Everything is a seek in that kind's
 * partial index, so that rows behind gates cost one seek per endpoint however many they are.
 */
export interface WalkStatements {
  appAfter(appId: number): number | undefined;
  laneAfter(appId: number, endpointId: number): LaneHead | undefined;
  /** Due rows with their events, longest due first. */
  due(at: { appId: number; endpointId: number; now: number; limit: number }): RawDelivery[];
  nextDue(at: { appId: number; endpointId: number; now: number }): number | undefined;
  candidates(at: { appId: number; endpointId: number; now: number; limit: number }): Candidate[];
}

const WITH_EVENT = `SELECT ${DELIVERY_COLUMNS}, ${EVENT_COLUMNS} FROM deliveries d`;

function prepareWalk(db: Connection, kind: 'ordinary' | 'suspect'): WalkStatements {
  const from = `INDEXED BY ${kind === 'ordinary' ? 'deliveries_due' : 'deliveries_suspect'}`;
  const open = `d.status = 'pending' AND d.lease_until IS NULL AND d.endpoint_id IS NOT NULL
    AND d.unknowns ${kind === 'ordinary' ? '< 3' : '>= 3'}`;
  const appAfter = db
    .prepare<[number], number>(
      `SELECT d.app_id FROM deliveries d ${from} WHERE ${open} AND d.app_id > ? ORDER BY d.app_id LIMIT 1`,
    )
    .pluck();
  const laneAfter = db.prepare<[number, number], LaneHead>(
    `SELECT d.endpoint_id AS endpointId, d.due_at AS dueAt, ep.status, ep.paused_until AS pausedUntil,
       ep.unsigned_since AS unsignedSince, ep.unsigned_retry_at AS unsignedRetryAt
     FROM deliveries d ${from} LEFT JOIN endpoints ep ON ep.id = d.endpoint_id
     WHERE ${open} AND d.app_id = ? AND d.endpoint_id > ? ORDER BY d.endpoint_id, d.due_at LIMIT 1`,
  );
  const due = db
    .prepare<[number, number, number, number], RawDelivery>(
      `${WITH_EVENT} ${from} LEFT JOIN events e ON e.id = d.event_id
       WHERE ${open} AND d.app_id = ? AND d.endpoint_id = ? AND d.due_at <= ? ORDER BY d.due_at, d.id LIMIT +?`,
    )
    .raw();
  const nextDue = db
    .prepare<[number, number, number], number>(
      `SELECT d.due_at FROM deliveries d ${from}
       WHERE ${open} AND d.app_id = ? AND d.endpoint_id = ? AND d.due_at > ? ORDER BY d.due_at LIMIT 1`,
    )
    .pluck();
  const candidates = db.prepare<[number, number, number, number], Candidate>(
    `SELECT d.id, d.fast, d.due_at AS dueAt FROM deliveries d ${from}
     WHERE ${open} AND d.app_id = ? AND d.endpoint_id = ? AND d.due_at <= ? AND d.next_trigger <> 'test'
     ORDER BY d.due_at, d.id LIMIT +?`,
  );
  return {
    appAfter: (appId) => appAfter.get(appId),
    laneAfter: (appId, endpointId) => laneAfter.get(appId, endpointId),
    due: ({ appId, endpointId, now, limit }) => due.all(appId, endpointId, now, limit),
    nextDue: ({ appId, endpointId, now }) => nextDue.get(appId, endpointId, now),
    candidates: ({ appId, endpointId, now, limit }) => candidates.all(appId, endpointId, now, limit),
  };
}

export interface ClaimStatements {
  ordinary: WalkStatements;
  suspect: WalkStatements;
  /** First attempts of test sends that are due, with their events (R-RES-3). */
  tests(now: number, limit: number): RawDelivery[];
  one(deliveryId: number): RawDelivery | undefined;
  running(endpointId: number): number;
  leaseToken(deliveryId: number): string | null;
}

export function prepareClaim(db: Connection): ClaimStatements {
  const tests = db
    .prepare<[number, number], RawDelivery>(
      `${WITH_EVENT} INDEXED BY deliveries_test LEFT JOIN events e ON e.id = d.event_id
       WHERE d.next_trigger = 'test' AND d.status = 'pending' AND d.lease_until IS NULL AND d.due_at <= ?
       ORDER BY d.due_at, d.id LIMIT +?`,
    )
    .raw();
  const one = db
    .prepare<[number], RawDelivery>(`${WITH_EVENT} LEFT JOIN events e ON e.id = d.event_id WHERE d.id = ?`)
    .raw();
  const running = db
    .prepare<[number], number>(
      `SELECT count(*) FROM deliveries INDEXED BY deliveries_leased_endpoint
       WHERE endpoint_id = ? AND lease_until IS NOT NULL`,
    )
    .pluck();
  const leaseToken = db
    .prepare<[number], string | null>('SELECT lease_token FROM deliveries WHERE id = ?')
    .pluck();
  return {
    ordinary: prepareWalk(db, 'ordinary'),
    suspect: prepareWalk(db, 'suspect'),
    tests: (now, limit) => tests.all(now, limit),
    one: (deliveryId) => one.get(deliveryId),
    running: (endpointId) => running.get(endpointId) ?? 0,
    leaseToken: (deliveryId) => leaseToken.get(deliveryId) ?? null,
  };
}
