import Database from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { decider } from '@/server/core/decide';
import type { DeliveryFilter, EventFilter } from '@/server/ports/queries';
import type { Store } from '@/server/ports/store';
import { createTestDatabase, createTestStore } from '@/server/testing/temp-store';
import { createBed, DAY, DOWN, HOUR, NO_BREAKER, T0, WITH_BREAKER } from '../conformance/bed.conformance';

const ROWS = 200_000;
const NOW = T0 + DAY;

/** Every statement that anyone prepares while a test looks. */
const prepared = new Set<string>();
const prepare = Database.prototype.prepare;

let store: Store;
let path: string;
let hotPath: string[] = [];
let explainer: Database.Database;
let appId = 0;

function spy() {
  vi.spyOn(Database.prototype, 'prepare').mockImplementation(function (this: Database.Database, sql: string) {
    prepared.add(sql);
    return prepare.call(this, sql);
  } as typeof prepare);
}

/** 200,000 deliveries of ten endpoints: nine in ten delivered, and some of every other kind. */
function fill(at: { appId: number; policyId: number }) {
  const db = new Database(path);
  db.pragma('foreign_keys = OFF');
  db.pragma('synchronous = OFF');
  const numbers = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS})`;
  const kind = 'CASE WHEN i % 10 < 9 THEN 0 ELSE 1 + (i / 10) % 4 END';
  db.exec(`
    INSERT INTO events (id, public_id, app_id, environment, type, content_type, body_sha256, created_at, money, resource,
      matched_at_publish, body)
    ${numbers} SELECT i, 'evt_' || i, ${at.appId}, 'test', 'type.' || (i % 20), 'application/json', 'x', ${T0} + i, i % 50 = 0,
      CASE WHEN i % 7 = 0 THEN 'ord_' || i END, i % 1000 > 0, x'7b7d' FROM n`);
  db.exec(`
    INSERT INTO deliveries (id, event_id, app_id, environment, endpoint_id, status, reason, due_at, unknowns, attempts, is_test,
      deadline_at, type, policy_id, created_at, event_created_at, money, cycle, cycle_started_at, cycle_by_person, fast, slow,
      next_trigger, last_outcome, last_status_code, last_error_class, last_ended_at, wait_cause)
    ${numbers}, k AS (SELECT i, ${kind} AS kind FROM n)
    SELECT i, i, ${at.appId}, 'test', 1 + i % 10,
      CASE kind WHEN 0 THEN 'delivered' WHEN 1 THEN 'failed' WHEN 2 THEN 'skipped' ELSE 'pending' END,
      CASE kind WHEN 0 THEN NULL WHEN 1 THEN 'exhausted' WHEN 2 THEN 'endpoint_disabled' WHEN 3 THEN 'waiting' ELSE 'retrying' END,
      CASE WHEN kind > 2 THEN ${T0} + i END, CASE WHEN i % 4000 = 39 THEN 3 ELSE 0 END, kind <> 3, 0, ${T0} + 30 * ${DAY},
      'type.' || (i % 20), ${at.policyId}, ${T0} + i, ${T0} + i, i % 50 = 0, 1, ${T0} + i, 0, 0, 0,
      CASE kind WHEN 3 THEN 'first' ELSE 'retry' END, CASE kind WHEN 0 THEN 'delivered' WHEN 1 THEN 'unavailable' END,
      CASE kind WHEN 0 THEN 200 WHEN 1 THEN 503 END, CASE kind WHEN 1 THEN 'http_5xx' END, ${T0} + i,
      CASE kind WHEN 4 THEN 'fast' END FROM k`);
  db.exec(`
    INSERT INTO attempts (delivery_id, app_id, environment, endpoint_id, number, cycle, "trigger", started_at, ended_at,
      duration_ms, outcome, status_code, url, probe, counted, epoch, breaker_id, retried_stale)
    ${numbers} SELECT i, ${at.appId}, 'test', 1 + i % 10, 1, 1, CASE WHEN i % 500 = 0 THEN 'retry' ELSE 'first' END, ${T0} + i,
      ${T0} + i, 5, 'delivered', 200, 'https://hooks.example.com', 0, 'reachable', 1, 1, 0 FROM n`);
  db.close();
}

beforeAll(async () => {
  path = await createTestDatabase();
  spy();
  const made = await createTestStore({ path });
  hotPath = [...prepared];
  vi.restoreAllMocks();
  store = made;
  const harness = {
    store,
    another: async () => store,
    damage: async () => undefined,
    exec: async () => undefined,
    rows: async () => [],
    close: async () => undefined,
  };
  const bed = await createBed(harness, WITH_BREAKER);
  appId = bed.app.id;
  for (let n = 0; n < 10; n += 1) await bed.addEndpoint();
  const environment = await store.read.appEnvironment({ appId, environment: 'test' });
  fill({ appId, policyId: environment?.policyId ?? 0 });
  explainer = new Database(path, { readonly: true });
});

afterEach(() => void vi.restoreAllMocks());
afterAll(async () => {
  explainer.close();
  await store.close();
});

/** What SQLite says it will do, one line each, for every statement that reads or writes rows. */
function planOf(sql: string): string[] {
  if (!/^\s*(select|insert|update|delete|with)/i.test(sql)) return [];
  const values = Array.from(sql.matchAll(/\?/g), () => 1);
  return explainer
    .prepare<number[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
    .all(...values)
    .map(({ detail }) => detail);
}

async function plansOf(work: () => Promise<unknown>): Promise<string[]> {
  prepared.clear();
  spy();
  await work();
  vi.restoreAllMocks();
  return [...prepared].flatMap(planOf);
}

/** Small tables, and partial indexes of rare rows, may be walked: everything else is sought. */
const MAY_BE_WALKED =
  /^SCAN (receivers|endpoints|endpoints USING INDEX endpoints_not_active|breakers USING INDEX breakers_(not_closed|draining)|some|constant row|\(subquery-\d+\)|\d+ CONSTANT ROWS?)/;

function expectSought(plan: readonly string[]) {
  expect(plan).not.toEqual([]);
  expect(plan.filter((line) => line.startsWith('SCAN') && !MAY_BE_WALKED.test(line))).toEqual([]);
  expect(plan.filter((line) => line.includes('TEMP B-TREE'))).toEqual([]);
}

const deliveries = (filter: Partial<DeliveryFilter>) => () =>
  store.read.deliveries({ appId, environment: 'test', limit: 25, cursor: ROWS - 1_000, ...filter });
const events = (filter: Partial<EventFilter>) => () =>
  store.read.events({ appId, environment: 'test', limit: 25, cursor: ROWS - 1_000, ...filter });

/** Each list by each single filter, and each read by key, with the index that it must run along. */
const QUERIES: Record<string, { index: string; run: () => Promise<unknown> }> = {
  'deliveries: newest': { index: 'deliveries_scope_id', run: deliveries({}) },
  'deliveries: oldest': { index: 'deliveries_scope_id', run: deliveries({ order: 'asc' }) },
  'deliveries: delivered': { index: 'deliveries_scope_id', run: deliveries({ status: 'delivered' }) },
  'deliveries: failed': { index: 'deliveries_status', run: deliveries({ status: 'failed' }) },
  'deliveries: pending': { index: 'deliveries_status', run: deliveries({ status: 'pending' }) },
  'deliveries: waiting': { index: 'deliveries_status', run: deliveries({ reason: 'waiting' }) },
  'deliveries: exhausted': { index: 'deliveries_reason', run: deliveries({ reason: 'exhausted' }) },
  'deliveries: of a type': { index: 'deliveries_type', run: deliveries({ type: 'type.3' }) },
  'deliveries: of an endpoint': { index: 'deliveries_endpoint', run: deliveries({ endpointId: 3 }) },
  'deliveries: failed of an endpoint': {
    index: 'deliveries_endpoint_status',
    run: deliveries({ endpointId: 3, status: 'failed' }),
  },
  'deliveries: of an event': { index: 'deliveries_event_endpoint', run: deliveries({ eventId: 77 }) },
  'deliveries: of an error class': {
    index: 'deliveries_error_class',
    run: deliveries({ errorClass: 'dns' }),
  },
  'deliveries: of a status code': { index: 'deliveries_status_code', run: deliveries({ statusCode: 503 }) },
  'deliveries: with a first attempt': { index: 'deliveries_scope_id', run: deliveries({ trigger: 'first' }) },
  'deliveries: with a resend': { index: 'attempts_trigger', run: deliveries({ trigger: 'resend' }) },
  'deliveries: money': { index: 'deliveries_money', run: deliveries({ money: true }) },
  'deliveries: no money': { index: 'deliveries_scope_id', run: deliveries({ money: false }) },
  'deliveries: since': { index: 'deliveries_created', run: deliveries({ createdAfter: T0 + ROWS - 9 }) },
  'deliveries: until': { index: 'deliveries_created', run: deliveries({ createdBefore: T0 + 9 }) },
  'deliveries: of events': {
    index: 'deliveries_event_endpoint',
    run: () => store.read.deliveriesOfEvents([1, 2, 3]),
  },
  'events: newest': { index: 'events_scope_id', run: events({}) },
  'events: with a delivered one': { index: 'events_scope_id', run: events({ status: 'delivered' }) },
  'events: with a failed one': { index: 'deliveries_event_status', run: events({ status: 'failed' }) },
  'events: with a skipped one': { index: 'deliveries_event_status', run: events({ status: 'skipped' }) },
  'events: of a type': { index: 'events_type', run: events({ type: 'type.3' }) },
  'events: to an endpoint': { index: 'deliveries_event_endpoint', run: events({ endpointId: 3 }) },
  'events: of a resource': { index: 'events_resource', run: events({ resource: 'ord_7' }) },
  'events: all delivered': { index: 'events_scope_id', run: events({ delivered: 'true' }) },
  'events: some not delivered': { index: 'deliveries_event_status', run: events({ delivered: 'false' }) },
  'events: that matched none': { index: 'events_unmatched', run: events({ delivered: 'none' }) },
  'events: since': { index: 'events_created', run: events({ createdAfter: T0 + ROWS - 9 }) },
  'events: until': { index: 'events_created', run: events({ createdBefore: T0 + 9 }) },
  'event by id': { index: 'events_public_id', run: () => store.read.event('evt_7') },
  'types in use': {
    index: 'deliveries_type',
    run: () => store.read.typesInUse({ appId, environment: 'test' }, 5),
  },
  'pending of an endpoint': { index: 'deliveries_endpoint_status', run: () => store.read.pendingOf(3, 100) },
  'pending of an environment': {
    index: 'deliveries_event_status',
    run: () => store.read.pendingOfEnvironment({ appId, environment: 'test' }, 100),
  },
  'oldest due': { index: 'deliveries_due', run: () => store.read.oldestDueOf(3) },
  'attempts of a delivery': { index: 'attempts_number', run: () => store.read.attempts(7) },
  'window of a breaker': {
    index: 'attempts_window',
    run: () =>
      store.read.breakerWindow(
        {
          id: 1,
          publicId: 'brk_1',
          appId,
          environment: 'test',
          endpointId: 1,
          createdAt: T0,
          state: 'closed',
          epoch: 1,
          openedAt: null,
          pauseMs: null,
          probeAt: null,
          probeDeliveryId: null,
          probeToken: null,
          closedAt: null,
          drainCursor: null,
          openedBy: [],
        },
        T0,
      ),
  },
  'app by id': { index: 'apps_public_id', run: () => store.read.app('app_1') },
  'apps of an organization': { index: 'apps_organization', run: () => store.read.appsOf('org_1') },
  'endpoint by id': { index: 'endpoints_public_id', run: () => store.read.endpoint('ep_1') },
  'endpoints of an environment': {
    index: 'endpoints_number',
    run: () => store.read.endpoints({ appId, environment: 'test' }),
  },
  'secrets of an endpoint': { index: 'endpoint_secrets_version', run: () => store.read.secrets(1) },
  'breaker by id': { index: 'breakers_public_id', run: () => store.read.breaker('brk_1') },
  'breakers not closed': { index: 'breakers_not_closed', run: () => store.read.breakers('not_closed') },
  'breakers of an environment': {
    index: 'breakers_scope_id',
    run: () => store.read.breakers({ appId, environment: 'test' }),
  },
  'breaker of an endpoint': {
    index: 'breakers_endpoint',
    run: () => store.read.breakerFor({ id: 1, appId, environment: 'test' }, WITH_BREAKER),
  },
  'breaker of an app': {
    index: 'breakers_app',
    run: () =>
      store.read.breakerFor(
        { id: 1, appId, environment: 'test' },
        { ...WITH_BREAKER, breaker: { ...WITH_BREAKER.breaker!, scope: 'app' } },
      ),
  },
  'history of a breaker': { index: 'breaker_events_breaker', run: () => store.read.breakerEvents(1, 10) },
  'gates of an endpoint': {
    index: 'gate_intervals_scope',
    run: () =>
      store.read.gateIntervals({ scope: { appId, environment: 'test' }, endpointId: 1, from: 0, to: NOW }),
  },
  'next version of a policy': {
    index: 'policies_version',
    run: () => store.transact((tx) => tx.insertPolicy({ appId, environment: 'test' }, NO_BREAKER, T0)),
  },
  'key by hash': { index: 'api_keys_hash', run: () => store.read.apiKeyByHash('h') },
  'keys of an organization': { index: 'api_keys_organization', run: () => store.read.apiKeys('org_1') },
  'audit of an organization': {
    index: 'audit_log_organization',
    run: () => store.read.audit({ organizationId: 'org_1', limit: 10 }),
  },
  'audit of an action': {
    index: 'audit_log_action',
    run: () => store.read.auditCount({ appId, action: 'x', since: T0, limit: 20 }),
  },
  'deleting an endpoint': {
    index: 'attempts_endpoint',
    run: () => store.transact((tx) => tx.deleteEndpoint(999_999)).then(() => deleteOne()),
  },
};

/** An endpoint with nothing on it: its deletion prepares every statement of a full one. */
async function deleteOne() {
  await store.transact(async (tx) => {
    const row = await tx.insertEndpoint({
      publicId: 'ep_to_delete',
      scope: { appId, environment: 'live' },
      url: 'https://hooks.example.com',
      description: '',
      types: [],
      headerNames: [],
      sealedHeaders: null,
      policyId: null,
      concurrency: null,
      now: T0,
    });
    await tx.deleteEndpoint(row.id);
  });
}

/** Indexes that no statement of a query names: what the schema itself needs, and Better Auth's own. */
const OF_THE_SCHEMA: Record<string, string> = {
  policies_scope_id: 'foreign keys of endpoints, environments and deliveries point at it',
  endpoints_scope_id: 'foreign keys of deliveries, attempts, secrets, breakers and gates point at it',
  deliveries_unmatched: 'an event has one row without endpoint (R-PUB-3)',
  api_keys_public_id: 'an id is given once',
  user_email: 'Better Auth: sign-in',
  session_token: 'Better Auth: every request',
  session_user: 'Better Auth: sessions of a user',
  account_user: 'Better Auth: sign-in',
  verification_identifier: 'Better Auth: verification',
  organization_slug: 'Better Auth: organization by slug',
  member_organization: 'Better Auth: members',
  member_user: 'Better Auth: organizations of a user',
  invitation_organization: 'Better Auth: invitations',
  invitation_email: 'Better Auth: invitations of an address',
  invitation_inviter: 'deleting a user',
};

/** Indexes of the hot path, each with the statement's purpose. */
const OF_THE_HOT_PATH: Record<string, string> = {
  deliveries_due: 'claim: apps and endpoints with work, their due rows, probe candidates',
  deliveries_suspect: 'claim: suspects (R-DEL-11)',
  deliveries_test: 'claim: first attempts of test sends (R-RES-3)',
  deliveries_leased_endpoint: 'claim: running leases of an endpoint (R-DEL-8)',
  deliveries_leased: 'collecting leases that are over (R-DEL-11)',
  deliveries_deadline: 'sweep: deadlines (R-BRK-9)',
  endpoints_not_active: 'sweep: endpoints that are not active (R-BRK-9)',
  deliveries_endpoint_status: 'drain of an endpoint’s breaker; sweep of an auto-disabled endpoint',
  deliveries_status: 'drain of an app’s breaker (R-BRK-4)',
  breakers_draining: 'drain: breakers whose drain goes on',
  breakers_endpoint: 'claim and settle: the breaker of an endpoint',
  breakers_app: 'claim and settle: the breaker of an app',
  breakers_scope_id: 'settle: the breaker of a probe whose endpoint is gone',
  attempts_window: 'settle: the breaker’s window (R-BRK-1)',
  endpoint_secrets_version: 'claim: secrets',
  gate_intervals_endpoint: 'settle and sweep: what extends a slow window (R-FAIL-8)',
  endpoints_number: 'publish: the endpoints of an environment',
};

describe('query plans at 200,000 rows', () => {
  it.each(Object.entries(QUERIES))('R-DEL-8 %s', async (_name, { index, run }) => {
    const plan = await plansOf(run);
    expectSought(plan);
    expect(plan.join('\n')).toMatch(new RegExp(`INDEX ${index}\\b`));
  });

  it('R-DEL-8 every statement of publish, claim, settle and sweeps seeks', () => {
    for (const sql of hotPath) {
      const plan = planOf(sql).filter((line) => !line.includes('sqlite_schema'));
      if (plan.length > 0) expectSought(plan);
    }
  });

  it('R-DEL-8 the hot path uses the indexes that are made for it', () => {
    const plan = hotPath.flatMap(planOf).join('\n');
    for (const index of Object.keys(OF_THE_HOT_PATH)) expect(plan).toMatch(new RegExp(`INDEX ${index}\\b`));
  });

  it('R-DEL-8 every index has a query that needs it', () => {
    const known = new Set([
      ...Object.values(QUERIES).map(({ index }) => index),
      ...Object.keys(OF_THE_SCHEMA),
      ...Object.keys(OF_THE_HOT_PATH),
    ]);
    const all = explainer
      .prepare<[], string>(
        "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY name",
      )
      .pluck()
      .all();
    expect(all.filter((name) => !known.has(name))).toEqual([]);
    expect([...known].filter((name) => !all.includes(name))).toEqual([]);
  });

  it('R-DEL-8 P13 S5 with tens of thousands due for one app, another app’s event is among the next 4 claims', async () => {
    const app = await store.transact((tx) =>
      tx.insertApp({
        publicId: 'app_small',
        organizationId: 'o',
        name: 'n',
        policy: NO_BREAKER,
        eventTypes: [],
        now: T0,
      }),
    );
    await store.transact((tx) =>
      tx.insertEndpoint({
        publicId: 'ep_small',
        scope: { appId: app.id, environment: 'test' },
        url: 'https://hooks.example.com',
        description: '',
        types: [],
        headerNames: [],
        sealedHeaders: null,
        policyId: null,
        concurrency: null,
        now: T0,
      }),
    );
    let tokens = 0;
    let afterAppId = 0;
    const claim = async (slots: number) => {
      const batch = await store.claim({
        now: NOW,
        slots,
        endpointSlots: () => 8,
        endpointConcurrency: 8,
        leaseMs: () => HOUR,
        token: () => {
          tokens += 1;
          return `t${tokens}`;
        },
        suspects: 0,
        afterAppId,
      });
      afterAppId = batch.afterAppId;
      return batch.claims;
    };
    expect((await claim(7)).map((claimed) => claimed.appId)).toEqual(Array.from({ length: 7 }, () => appId));
    await store.publish({
      records: [
        {
          appId: app.id,
          environment: 'test',
          publicId: 'evt_small',
          type: 'a',
          body: Buffer.from('{}'),
          contentType: 'application/json',
          bodySha256: 'x',
          createdAt: NOW,
          occurredAt: null,
          money: false,
          amount: null,
          currency: null,
          exponent: null,
          resource: null,
          testEndpointId: null,
          actor: null,
        },
      ],
    });
    const next = [...(await claim(1)), ...(await claim(1)), ...(await claim(1)), ...(await claim(1))];
    expect(next.map((claimed) => claimed.appId)).toContain(app.id);
    await store.settle(
      next.map((claimed) => ({
        ...claimed,
        end: DOWN,
        startedAt: NOW,
        endedAt: NOW,
        durationMs: 1,
        timing: { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null },
        address: null,
        retriedStale: false,
      })),
      decider,
      () => 0,
    );
  });
});
