import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { DeliveryFilter, EventFilter } from '@/server/ports/queries';
import { createTestPostgresStore, type TestPostgresStore } from '@/server/testing/temp-postgres';
import { ANSWER, type Bed, createBed, DAY, DOWN, T0, WITH_BREAKER } from '../conformance/bed.conformance';

const ROWS = 60_000;
/** Between one row and the next, ms: far enough for lists by time, which allow for an hour's step of the clock. */
const STEP = 10_000;
const NOW = T0 + 8 * DAY;
/** Rows of large tables that one statement may look at: a few pages' worth, whatever lies in the table. */
const MOST_ROWS = 1_500;
const LARGE = new Set(['events', 'deliveries', 'attempts']);

let store: TestPostgresStore;
let bed: Bed;
let beside: pg.Client;
let appId = 0;

/** 60,000 deliveries of ten endpoints: nine in ten delivered, and some of every other kind. */
async function fill(at: { appId: number; policyId: number }): Promise<void> {
  await beside.query("SET session_replication_role = 'replica'");
  await beside.query(`
    INSERT INTO events (id, public_id, app_id, environment, type, content_type, body_sha256, created_at, money, resource,
      matched_at_publish, body)
    SELECT i, 'evt_' || i, ${at.appId}, 'test', 'type.' || (i % 20), 'application/json', 'x', ${T0} + i * ${STEP}::bigint, i % 50 = 0,
      CASE WHEN i % 7 = 0 THEN 'ord_' || i END, CASE WHEN i % 1000 > 0 THEN 1 ELSE 0 END, '\\x7b7d'
    FROM generate_series(1, ${ROWS}) i`);
  await beside.query(`
    INSERT INTO deliveries (id, event_id, app_id, environment, endpoint_id, status, reason, due_at, unknowns, attempts, is_test,
      deadline_at, type, policy_id, created_at, event_created_at, money, cycle, cycle_started_at, cycle_by_person, fast, slow,
      next_trigger, last_outcome, last_status_code, last_error_class, last_ended_at, wait_cause)
    SELECT i, i, ${at.appId}, 'test', 1 + i % 10,
      CASE kind WHEN 0 THEN 'delivered' WHEN 1 THEN 'failed' WHEN 2 THEN 'skipped' ELSE 'pending' END,
      CASE kind WHEN 1 THEN 'exhausted' WHEN 2 THEN 'endpoint_disabled' WHEN 3 THEN 'waiting' WHEN 4 THEN 'retrying' END,
      CASE WHEN kind > 2 THEN ${T0} + i * ${STEP}::bigint END, CASE WHEN i % 4000 = 39 THEN 3 ELSE 0 END,
      CASE WHEN kind = 3 THEN 0 ELSE 1 END, false, ${T0 + 30 * DAY}, 'type.' || (i % 20), ${at.policyId}, ${T0} + i * ${STEP}::bigint, ${T0} + i * ${STEP}::bigint,
      i % 50 = 0, 1, ${T0} + i * ${STEP}::bigint, false, 0, 0, CASE kind WHEN 3 THEN 'first' ELSE 'retry' END,
      CASE kind WHEN 0 THEN 'delivered' WHEN 1 THEN 'unavailable' END, CASE kind WHEN 0 THEN 200 WHEN 1 THEN 503 END,
      CASE kind WHEN 1 THEN 'http_5xx' END, ${T0} + i * ${STEP}::bigint, CASE kind WHEN 4 THEN 'fast' END
    FROM (SELECT i, CASE WHEN i % 10 < 9 THEN 0 ELSE 1 + (i / 10) % 4 END AS kind FROM generate_series(1, ${ROWS}) i) k`);
  await beside.query(`
    INSERT INTO attempts (delivery_id, app_id, environment, endpoint_id, number, cycle, trigger, started_at, ended_at,
      duration_ms, outcome, status_code, url, probe, counted, epoch, breaker_id, retried_stale)
    SELECT i, ${at.appId}, 'test', 1 + i % 10, 1, 1, CASE WHEN i % 500 = 0 THEN 'retry' ELSE 'first' END, ${T0} + i * ${STEP}::bigint, ${T0} + i * ${STEP}::bigint,
      5, 'delivered', 200, 'https://hooks.example.com', false, 'reachable', 1, 1, false FROM generate_series(1, ${ROWS}) i`);
  await beside.query(`SELECT setval('events_id_seq', ${ROWS}), setval('deliveries_id_seq', ${ROWS})`);
  await beside.query("SET session_replication_role = 'origin'");
  await beside.query('ANALYZE');
}

beforeAll(async () => {
  store = await createTestPostgresStore();
  beside = new pg.Client({ connectionString: store.url });
  await beside.connect();
  const nothing = async () => undefined;
  const rows = async (sql: string) => (await beside.query(sql)).rows;
  bed = await createBed(
    { store, another: async () => store, damage: nothing, exec: nothing, rows, close: nothing },
    WITH_BREAKER,
  );
  appId = bed.app.id;
  for (let n = 0; n < 10; n += 1) await bed.addEndpoint();
  const environment = await store.read.appEnvironment({ appId, environment: 'test' });
  await fill({ appId, policyId: environment?.policyId ?? 0 });
}, 120_000);

afterAll(async () => {
  await beside.end();
  await store.close();
});

interface Sent {
  text: string;
  values: unknown[];
}

/** Every statement that the store sends while `work` runs, but those that insert: what they write is there already. */
async function sentBy(work: () => Promise<unknown>): Promise<Sent[]> {
  const sent: Sent[] = [];
  const { query } = pg.Client.prototype;
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    const [what, given] = args as [string | Partial<Sent>, unknown];
    const text = typeof what === 'string' ? what : (what.text ?? '');
    const values = (typeof what === 'string' ? undefined : what.values) ?? given;
    sent.push({ text, values: Array.isArray(values) ? values : [] });
    return Reflect.apply(query, this, args);
  } as typeof query);
  try {
    await work();
  } finally {
    vi.restoreAllMocks();
  }
  return sent.filter(({ text }) => /^\s*\(?\s*(select|update|delete|with)/i.test(text));
}

interface Node {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: Node[];
}

/** What a plan looked at of each large table, and by what. */
function looks(node: Node): { how: string; rows: number }[] {
  const below = (node.Plans ?? []).flatMap(looks);
  const table = node['Relation Name'] ?? '';
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  const rows = (node['Actual Rows'] + removed) * node['Actual Loops'];
  const isScan = node['Node Type'].endsWith('Scan') && LARGE.has(table);
  return isScan
    ? [...below, { how: `${node['Node Type']} ${node['Index Name'] ?? ''} on ${table}`, rows }]
    : below;
}

/** Runs each statement once more, says what it looked at, and undoes it. */
async function lookedAt(statements: readonly Sent[]): Promise<{ how: string; rows: number }[]> {
  const found = [];
  await beside.query(
    "SET session_replication_role = 'replica'; SET enable_seqscan = off; SET jit = off; SET random_page_cost = 1.1",
  );
  for (const { text, values } of statements) {
    await beside.query('BEGIN');
    try {
      const { rows } = await beside.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values);
      found.push(
        ...looks(rows[0]['QUERY PLAN'][0].Plan).map((look) => ({ ...look, text: text.slice(0, 200) })),
      );
    } finally {
      await beside.query('ROLLBACK');
    }
  }
  await beside.query("SET session_replication_role = 'origin'");
  return found;
}

async function expectSought(work: () => Promise<unknown>, most = MOST_ROWS): Promise<void> {
  const statements = await sentBy(work);
  expect(statements).not.toEqual([]);
  const found = await lookedAt(statements);
  expect(found.filter(({ rows, how }) => rows > most || how.startsWith('Seq Scan'))).toEqual([]);
}

const deliveries = (filter: Partial<DeliveryFilter>) => () =>
  store.read.deliveries({ appId, environment: 'test', limit: 25, cursor: ROWS - 1_000, ...filter });
const events = (filter: Partial<EventFilter>) => () =>
  store.read.events({ appId, environment: 'test', limit: 25, cursor: ROWS - 1_000, ...filter });

/** Each list by each single filter, and the reads by key. */
const QUERIES: Record<string, () => Promise<unknown>> = {
  'deliveries: newest': deliveries({}),
  'deliveries: oldest': deliveries({ order: 'asc', cursor: 1_000 }),
  'deliveries: delivered': deliveries({ status: 'delivered' }),
  'deliveries: failed': deliveries({ status: 'failed' }),
  'deliveries: pending': deliveries({ status: 'pending' }),
  'deliveries: waiting': deliveries({ reason: 'waiting' }),
  'deliveries: exhausted': deliveries({ reason: 'exhausted' }),
  'deliveries: of a type': deliveries({ type: 'type.3' }),
  'deliveries: of an endpoint': deliveries({ endpointId: 3 }),
  'deliveries: failed of an endpoint': deliveries({ endpointId: 10, status: 'failed' }),
  'deliveries: of an event': deliveries({ eventId: 77 }),
  'deliveries: of an error class': deliveries({ errorClass: 'dns' }),
  'deliveries: of a status code': deliveries({ statusCode: 503 }),
  'deliveries: with a first attempt': deliveries({ trigger: 'first' }),
  'deliveries: with a resend': deliveries({ trigger: 'resend' }),
  'deliveries: money': deliveries({ money: true }),
  'deliveries: since': deliveries({ cursor: undefined, createdAfter: T0 + (ROWS - 9) * STEP }),
  'deliveries: until': deliveries({ cursor: undefined, createdBefore: T0 + 9_000 * STEP }),
  'deliveries: of events': () => store.read.deliveriesOfEvents([1, 2, 3]),
  'events: newest': events({}),
  'events: with a failed one': events({ status: 'failed' }),
  'events: with a skipped one': events({ status: 'skipped' }),
  'events: of a type': events({ type: 'type.3' }),
  'events: to an endpoint': events({ endpointId: 3 }),
  'events: of a resource': events({ resource: 'ord_7' }),
  'events: all delivered': events({ delivered: 'true' }),
  'events: some not delivered': events({ delivered: 'false' }),
  'events: that matched none': events({ delivered: 'none' }),
  'events: in order': events({ order: 'asc', cursor: 1_000 }),
  'event by id': () => store.read.event('evt_7'),
  'types in use': () => store.read.typesInUse({ appId, environment: 'test' }, 5),
  'pending of an endpoint': () => store.read.pendingOf(10, 100),
  'pending of an environment': () => store.read.pendingOfEnvironment({ appId, environment: 'test' }, 100),
  'oldest due': () => store.read.oldestDueOf(10),
  'attempts of a delivery': () => store.read.attempts(7),
};

describe('what statements look at, of 60,000 rows', () => {
  it.each(Object.entries(QUERIES))('R-DEL-8 %s', async (_name, run) => {
    await expectSought(run);
  });

  it('R-DEL-8 publishing, claiming, settling, collecting and sweeping', async () => {
    const now = NOW;
    await expectSought(() => bed.publish({ createdAt: now }));
    let claims: Awaited<ReturnType<Bed['claim']>> = [];
    await expectSought(async () => {
      claims = await bed.claim({ now, slots: 50 });
    });
    expect(claims).toHaveLength(50);
    await expectSought(() =>
      bed.settle(
        claims.map((claimed, nth) => bed.endOf(claimed, nth % 2 === 0 ? DOWN : ANSWER(200), now + 5)),
      ),
    );
    await bed.claim({ now, slots: 5 });
    await expectSought(() => store.expiredLeases({ now: now + DAY, maxLeaseMs: 60_000, limit: 200 }));
    await expectSought(() => store.sweep({ now, limit: 100 }));
  }, 60_000);

  it('R-BRK-4 draining, and a probe among many that wait', async () => {
    await bed.settle(
      (await bed.claim({ now: NOW, slots: 2 })).map((claimed) => bed.endOf(claimed, DOWN, NOW + 1)),
    );
    const [breaker] = await store.read.breakers({ appId, environment: 'test' });
    const closed = { ...breaker!, state: 'open' as const, closedAt: NOW, drainCursor: null, probeAt: NOW };
    await store.transact((tx) => tx.saveBreaker(breaker!, closed, [], NOW));
    await expectSought(() => bed.claim({ now: NOW + 10, slots: 1, endpointSlots: () => 100 }));
    await store.transact((tx) =>
      tx.saveBreaker({ ...breaker!, ...closed }, { ...closed, state: 'closed', drainCursor: 0 }, [], NOW),
    );
    await expectSought(() => store.drain({ now: NOW + 20, limit: 100 }));
  }, 60_000);
});
