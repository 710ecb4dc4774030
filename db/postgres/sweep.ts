import { deadlineOf } from '@/server/core/deadline';
import { expire } from '@/server/core/delivery-state';
import type { EndpointStatus } from '@/server/core/model';
import type { DeliveryRow } from '@/server/ports/records';
import type { SweepResult } from '@/server/ports/store';
import {
  DELIVERY_COLUMNS,
  deliveryIdOf,
  deliveryOf,
  endpointIdOf,
  type RawDelivery,
} from '../sqlite/delivery-row';
import { CorruptRow } from '../sqlite/rows';
import { OPEN } from './claim-heads';
import { policyIdOfRow } from './claim-sql';
import { select, selectArrays } from './connect';
import {
  createLaneCache,
  emptyLaneRows,
  extensionsSince,
  type LaneCache,
  type LaneRows,
  loadExtensions,
  loadLanes,
} from './lanes';
import type { Policies } from './policies';
import type { Transaction, Transactions } from './transactions';
import { createWriteBuffer, type WriteBuffer } from './writes';

const HELD = 'FOR NO KEY UPDATE SKIP LOCKED';
const DEADLINE = `SELECT ${DELIVERY_COLUMNS} FROM deliveries d
  WHERE d.status = 'pending' AND d.lease_until IS NULL AND d.deadline_at < $1 ORDER BY d.deadline_at LIMIT $2 ${HELD}`;
/** Shared locks: no endpoint becomes active, and gets new deliveries, while what its status ends is ended. */
const INACTIVE = `SELECT id, app_id AS "appId", status FROM endpoints WHERE status <> 'active' ORDER BY id FOR SHARE`;
const dueText = (kind: 'ordinary' | 'suspect') => `SELECT ${DELIVERY_COLUMNS} FROM deliveries d
  WHERE ${OPEN[kind]} AND d.app_id = $1 AND d.endpoint_id = $2 AND d.due_at <= $3 AND d.next_trigger <> 'test'
  ORDER BY d.due_at LIMIT $4 ${HELD}`;
const DUE = { ordinary: dueText('ordinary'), suspect: dueText('suspect') };
const ALL = `SELECT ${DELIVERY_COLUMNS} FROM deliveries d
  WHERE d.endpoint_id = $1 AND d.status = 'pending' AND d.lease_until IS NULL
    AND d.next_trigger <> 'test'
  ORDER BY d.id LIMIT $2 ${HELD}`;

interface Inactive {
  id: number;
  appId: number;
  status: EndpointStatus;
}

interface Run {
  transaction: Transaction;
  policies: Policies;
  lanes: LaneRows;
  cache: LaneCache;
  writes: WriteBuffer;
  now: number;
  left: number;
  skipped: number;
  failed: number;
}

/** What this endpoint's status ends: its due rows, all of them when the product disabled it. */
async function ofInactive({ transaction: { client }, now, left }: Run, { id, appId, status }: Inactive) {
  if (status === 'auto_disabled') return selectArrays(client, ALL, [id, left]);
  const due = await selectArrays(client, DUE.ordinary, [appId, id, now, left]);
  const suspects = await selectArrays(client, DUE.suspect, [appId, id, now, left]);
  return [...due, ...suspects].slice(0, left);
}

function endpointStatus({ cache }: Run, { endpointId }: DeliveryRow): EndpointStatus | null {
  if (endpointId === null) return null;
  const lane = cache.lane(endpointId);
  if (lane === null) throw new CorruptRow('endpoint missing');
  return lane.endpoint.status;
}

function judge(run: Run, row: DeliveryRow): void {
  const { now, writes, lanes } = run;
  const { slowStartedAt, endpointId } = row;
  const gates =
    slowStartedAt === null || endpointId === null ? [] : extensionsSince(lanes, endpointId, slowStartedAt);
  const input = { state: row, facts: row, ladder: run.policies.of(row.policyId), gates, now };
  const ended = expire({ ...input, endpointStatus: endpointStatus(run, row) });
  if (ended === null) {
    if (row.deadlineAt < now) writes.deadline(row.id, deadlineOf(input).at);
    return;
  }
  writes.state(row.id, ended);
  if (ended.status === 'skipped') run.skipped += 1;
  else run.failed += 1;
  run.transaction.note({ appId: row.appId, environment: row.environment, kind: 'delivery' });
}

function sweepRow(run: Run, raw: RawDelivery): void {
  try {
    judge(run, deliveryOf(raw));
  } catch (error) {
    if (!(error instanceof CorruptRow)) throw error;
    run.writes.setAside(deliveryIdOf(raw), run.now);
    run.failed += 1;
  }
}

async function sweepRows(run: Run, found: readonly RawDelivery[]): Promise<void> {
  const rows = found.filter((raw) => !run.writes.taken.has(deliveryIdOf(raw)));
  if (rows.length === 0) return;
  const { client } = run.transaction;
  const endpoints = [...new Set(rows.flatMap((raw) => endpointIdOf(raw) ?? []))];
  await run.policies.load(client, rows.map(policyIdOfRow));
  await loadLanes(client, endpoints, { rows: run.lanes, policies: run.policies });
  await loadExtensions(client, endpoints, run.lanes);
  run.cache = createLaneCache(run.lanes, run.policies, run.now);
  for (const raw of rows) sweepRow(run, raw);
  run.left -= rows.length;
}

/** The expiry sweep (R-BRK-9): ends what needs no sender, never under a lease. What others hold waits for the next. */
export function createSweep(deps: {
  transactions: Transactions;
  openPolicies: () => Policies;
  newId: (prefix: string) => string;
}) {
  return ({ now, limit }: { now: number; limit: number }): Promise<SweepResult> =>
    deps.transactions.run(async (transaction) => {
      const { client } = transaction;
      const policies = deps.openPolicies();
      const lanes = emptyLaneRows();
      const cache = createLaneCache(lanes, policies, now);
      const writes = createWriteBuffer({ newId: deps.newId, holdsBreaker: () => false });
      const run: Run = {
        transaction,
        policies,
        lanes,
        cache,
        writes,
        now,
        left: limit,
        skipped: 0,
        failed: 0,
      };
      await sweepRows(run, await selectArrays(client, DEADLINE, [now, limit]));
      for (const endpoint of await select<Inactive>(client, INACTIVE)) {
        if (run.left <= 0) break;
        await sweepRows(run, await ofInactive(run, endpoint));
      }
      await writes.flush(client);
      return { skipped: run.skipped, failed: run.failed, more: run.left <= 0 };
    });
}
