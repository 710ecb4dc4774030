import type { Database as Connection } from 'better-sqlite3';
import type { Change } from '@/server/ports/store';

interface Gated {
  appId: number;
  environment: Change['environment'];
  unsignedSince: number | null;
  unsignedRetryAt: number | null;
}

/** The gate of an endpoint whose secret cannot be opened (R-ATT-9), with the interval that it leaves behind. */
export function createUnsigned(db: Connection, note: (change: Change) => void) {
  const read = db.prepare<[number], Gated>(
    `SELECT app_id AS appId, environment, unsigned_since AS unsignedSince, unsigned_retry_at AS unsignedRetryAt
     FROM endpoints WHERE id = ?`,
  );
  const set = db.prepare('UPDATE endpoints SET unsigned_since = ?, unsigned_retry_at = ? WHERE id = ?');
  const open = db.prepare(
    `INSERT INTO gate_intervals (app_id, environment, endpoint_id, kind, from_at) VALUES (?, ?, ?, 'unsigned', ?)`,
  );
  const close = db.prepare(
    `UPDATE gate_intervals SET to_at = max(from_at, ?)
     WHERE app_id = ? AND environment = ? AND endpoint_id = ? AND kind = 'unsigned' AND to_at IS NULL`,
  );
  const retry = db.prepare(
    `UPDATE endpoints SET unsigned_retry_at = ? WHERE unsigned_since IS NOT NULL AND unsigned_retry_at > ?
     RETURNING app_id AS appId, environment`,
  );

  return {
    set(endpointId: number, gate: { since: number; retryAt: number } | null): void {
      const found = read.get(endpointId);
      if (found === undefined) return;
      const { appId, environment, unsignedSince, unsignedRetryAt } = found;
      if (gate === null) {
        if (unsignedSince === null) return;
        // It held until the try that opened it, and that was made when the wait was over.
        close.run(unsignedRetryAt ?? unsignedSince, appId, environment, endpointId);
        set.run(null, null, endpointId);
      } else {
        if (unsignedSince === null) open.run(appId, environment, endpointId, gate.since);
        set.run(unsignedSince ?? gate.since, gate.retryAt, endpointId);
      }
      note({ appId, environment, kind: 'endpoint' });
    },
    retryAll(now: number): void {
      for (const found of retry.all(now, now)) {
        if (isScope(found)) note({ ...found, kind: 'endpoint' });
      }
    },
  };
}

function isScope(found: unknown): found is Pick<Change, 'appId' | 'environment'> {
  return typeof found === 'object' && found !== null && 'appId' in found && 'environment' in found;
}
