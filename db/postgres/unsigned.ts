import type { Change } from '@/server/ports/store';
import { type Client, execute, select } from './connect';
import type { Transactions } from './transactions';

interface Gated {
  appId: number;
  environment: Change['environment'];
  unsignedSince: number | null;
  unsignedRetryAt: number | null;
}

const READ = `SELECT app_id AS "appId", environment, unsigned_since AS "unsignedSince", unsigned_retry_at AS "unsignedRetryAt"
  FROM endpoints WHERE id = $1 FOR NO KEY UPDATE`;
const SET = 'UPDATE endpoints SET unsigned_since = $1, unsigned_retry_at = $2 WHERE id = $3';
const OPEN = `INSERT INTO gate_intervals (app_id, environment, endpoint_id, kind, from_at)
  VALUES ($1, $2, $3, 'unsigned', $4)`;
const CLOSE = `UPDATE gate_intervals SET to_at = GREATEST(from_at, $1)
  WHERE app_id = $2 AND environment = $3 AND endpoint_id = $4 AND kind = 'unsigned' AND to_at IS NULL`;
const RETRY = `UPDATE endpoints SET unsigned_retry_at = $1 WHERE unsigned_since IS NOT NULL AND unsigned_retry_at > $1
  RETURNING app_id AS "appId", environment`;

type Gate = { since: number; retryAt: number } | null;

/** Whether anything changed. */
async function setGate(client: Client, endpointId: number, { found, gate }: { found: Gated; gate: Gate }) {
  const { appId, environment, unsignedSince, unsignedRetryAt } = found;
  if (gate === null) {
    if (unsignedSince === null) return false;
    // It held until the try that opened it, and that was made when the wait was over.
    await execute(client, CLOSE, [unsignedRetryAt ?? unsignedSince, appId, environment, endpointId]);
    await execute(client, SET, [null, null, endpointId]);
    return true;
  }
  if (unsignedSince === null) await execute(client, OPEN, [appId, environment, endpointId, gate.since]);
  await execute(client, SET, [unsignedSince ?? gate.since, gate.retryAt, endpointId]);
  return true;
}

/** The gate of an endpoint whose secret cannot be opened (R-ATT-9), with the interval that it leaves behind. */
export function createUnsigned(transactions: Transactions) {
  return {
    set: (endpointId: number, gate: Gate): Promise<void> =>
      transactions.run(async (transaction) => {
        const { client } = transaction;
        const [found] = await select<Gated>(client, READ, [endpointId]);
        if (found === undefined || !(await setGate(client, endpointId, { found, gate }))) return;
        transaction.note({ appId: found.appId, environment: found.environment, kind: 'endpoint' });
      }),
    retryAll: (now: number): Promise<void> =>
      transactions.run(async (transaction) => {
        const rows = await select<Pick<Change, 'appId' | 'environment'>>(transaction.client, RETRY, [now]);
        for (const { appId, environment } of rows) transaction.note({ appId, environment, kind: 'endpoint' });
      }),
  };
}
