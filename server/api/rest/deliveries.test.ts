import { afterEach, describe, expect, it } from 'vitest';
import { PRESETS } from '@/server/core/policy';
import { createServiceWorld, OTHER_ORGANIZATION, type ServiceWorld } from '@/server/testing/service-world';
import { createRestApp } from './app';

let world: ServiceWorld;

afterEach(async () => {
  await world.close();
});

async function start(options: Parameters<typeof createServiceWorld>[0] = {}) {
  world = await createServiceWorld(options);
  const rest = createRestApp({
    deps: world.deps,
    dispatchToken: null,
    startEngine: () => {},
    readiness: async () => ({ ready: true, checks: {} }),
  });
  const { text } = await world.key();
  const base = `/dev/apps/${world.app.publicId}/webhook`;
  const call = async (
    method: string,
    path: string,
    init: { key?: string; headers?: Record<string, string> } = {},
  ) => {
    const response = await rest.request(path.startsWith('/') ? path : `${base}/${path}`, {
      method,
      headers: { authorization: `Bearer ${init.key ?? text}`, ...init.headers },
    });
    return { status: response.status, body: await response.json(), headers: response.headers };
  };
  const get = (path: string, init: { key?: string } = {}) => call('GET', path, init);
  return { rest, call, get, text };
}

const ids = (body: { data: { id: string }[] }) => body.data.map((row) => row.id);

describe('the Events API', () => {
  it('API-EVENTS lists newest first with bodies and deliveries, page by page, stable while rows arrive', async () => {
    const { get } = await start();
    await world.addEndpoint();
    const published: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      published.push((await world.publish({ data: `{"n":${n}}` })).publicId);
      await world.clock.advance(1_000);
    }
    const first = await get('events?limit=2');
    expect(ids(first.body)).toEqual([published[4], published[3]]);
    expect(first.body.data[0]).toMatchObject({ body_encoding: 'utf8', matched_at_publish: 1 });
    expect(JSON.parse(first.body.data[0].body).data).toEqual({ n: 4 });
    expect(first.body.data[0].deliveries[0]).toMatchObject({ event_id: published[4], status: 'pending' });
    await world.publish();
    const second = await get(`events?limit=2&cursor=${first.body.next_cursor}`);
    expect(ids(second.body)).toEqual([published[2], published[1]]);
  });

  it('API-EVENTS order=asc catches up exactly once, the last cursor going on where it ended', async () => {
    const { get } = await start();
    const a = await world.publish();
    const b = await world.publish();
    const first = await get('events?order=asc&limit=2');
    expect(ids(first.body)).toEqual([a.publicId, b.publicId]);
    const empty = await get(`events?order=asc&limit=2&cursor=${first.body.next_cursor}`);
    expect(empty.body.data).toEqual([]);
    const c = await world.publish();
    const next = await get(`events?order=asc&limit=2&cursor=${empty.body.next_cursor}`);
    expect(ids(next.body)).toEqual([c.publicId]);
  });

  it('API-EVENTS a cursor is bound to its filter and list: 400 cursor_mismatch', async () => {
    const { get } = await start();
    await world.publish();
    await world.publish();
    const { body } = await get('events?limit=1');
    for (const query of [
      `type=a.b&cursor=${body.next_cursor}`,
      'cursor=nonsense',
      `order=asc&cursor=${body.next_cursor}`,
    ]) {
      const answer = await get(`events?limit=1&${query}`);
      expect([answer.status, answer.body.error.code]).toEqual([400, 'cursor_mismatch']);
    }
    expect((await get(`deliveries?limit=1&cursor=${body.next_cursor}`)).body.error.code).toBe(
      'cursor_mismatch',
    );
    expect((await get(`events?limit=2&cursor=${body.next_cursor}`)).status).toBe(200);
  });

  it('API-EVENTS filters by status, type, resource, delivered, endpoint; fields trims', async () => {
    const { get } = await start();
    const endpoint = await world.addEndpoint({ types: ['a.*'] });
    const hit = await world.publish({ type: 'a.b' });
    const miss = await world.publish({ type: 'z.z' });
    const query = async (text: string) => ids((await get(`events?${text}`)).body);
    expect(await query('status=pending')).toEqual([hit.publicId]);
    expect(await query('status=skipped')).toEqual([miss.publicId]);
    expect(await query('type=z.z')).toEqual([miss.publicId]);
    expect(await query('delivered=none')).toEqual([miss.publicId]);
    expect(await query(`endpoint_id=${endpoint.publicId}`)).toEqual([hit.publicId]);
    expect(await query('endpoint_id=ep_unknown')).toEqual([]);
    const trimmed = await get('events?fields=id,type');
    expect(Object.keys(trimmed.body.data[0]).sort()).toEqual(['id', 'type']);
    const wrong = await get('events?fields=id,secret');
    expect([wrong.status, wrong.body.error.details[0].path]).toEqual([400, 'fields']);
  });

  it('API-400 unknown, repeated and ill-typed parameters are errors', async () => {
    const { get } = await start();
    for (const [query, path] of [
      ['colour=red', 'colour'],
      ['limit=101', 'limit'],
      ['limit=0', 'limit'],
      ['status=done', 'status'],
      ['type=a&type=b', 'type'],
    ]) {
      const answer = await get(`events?${query}`);
      expect([answer.status, answer.body.error.details[0].path]).toEqual([400, path]);
    }
  });

  it('API-EVENTS a body that is no UTF-8 is answered as base64', async () => {
    const { get, rest, text } = await start();
    const scope = { appId: world.app.id, environment: 'test' as const };
    await world.store.transact((tx) => tx.updateAppEnvironment(scope, { envelope: 'none' }));
    const response = await rest.request(`/dev/apps/${world.app.publicId}/events/a.b`, {
      method: 'POST',
      body: new Uint8Array([255, 0]),
      headers: { authorization: `Bearer ${text}` },
    });
    const event = { publicId: (await response.json()).id };
    const { body } = await get(`events/${event.publicId}`);
    expect(body).toMatchObject({ body: '/wA=', body_encoding: 'base64' });
  });

  it('API-EVENTS one event, and all attempts to deliver it', async () => {
    const { get } = await start({ runs: true, answer: () => 204 });
    await world.addEndpoint();
    const event = await world.publish();
    await world.settle();
    const one = await get(`events/${event.publicId}`);
    expect(one.body.deliveries[0]).toMatchObject({ status: 'delivered', attempts: 1, last_status_code: 204 });
    const attempts = await get(`events/${event.publicId}/attempts`);
    expect(attempts.body.data).toHaveLength(1);
    expect(attempts.body.data[0]).toMatchObject({
      number: 1,
      trigger: 'first',
      outcome: 'delivered',
      status_code: 204,
    });
    expect(attempts.body.data[0].delivery_id).toBe(one.body.deliveries[0].id);
  });
});

describe('deliveries', () => {
  it('API-DELIVERIES one row per delivery with its ladder, its filters, and what holds it', async () => {
    const { get } = await start({ runs: true, answer: () => 500, policy: PRESETS['two-ladder'] });
    await world.addEndpoint();
    await world.publish({ type: 'a.b', money: true });
    await world.run(1_500);
    const { body } = await get('deliveries');
    expect(body.data[0]).toMatchObject({
      status: 'pending',
      reason: 'retrying',
      attempts: 2,
      fast: { used: 2, of: 10 },
      slow: { used: 0, of: 6 },
      last_status_code: 500,
      last_error_class: 'http_5xx',
      in_flight: false,
      money: true,
    });
    expect(body.data[0].last_error).toMatch(/receiver/i);
    const count = async (query: string) => (await get(`deliveries?${query}`)).body.data.length;
    expect(await count('status=pending&reason=retrying&error_class=http_5xx&code=500&money=true')).toBe(1);
    expect(await count('code=404')).toBe(0);
    expect(await count('money=false')).toBe(0);
    const one = await get(`deliveries/${body.data[0].id}`);
    expect(one.body).toEqual(body.data[0]);
    const attempts = await get(`deliveries/${body.data[0].id}/attempts?limit=1`);
    expect(attempts.body.data.map((row: { number: number }) => row.number)).toEqual([1]);
    const rest = await get(
      `deliveries/${body.data[0].id}/attempts?limit=1&cursor=${attempts.body.next_cursor}`,
    );
    expect(rest.body.data.map((row: { number: number }) => row.number)).toEqual([2]);
    expect(rest.body.next_cursor).toBeNull();
  });

  it('R-DEL-6 an open breaker is shown as what holds it, and until when', async () => {
    const { get } = await start({ runs: true, answer: () => 500 });
    await world.addEndpoint();
    for (let n = 0; n < 5; n += 1) await world.publish();
    await world.settle();
    await world.run(100);
    const event = await world.publish();
    await world.settle();
    const { body } = await get(`events/${event.publicId}`);
    expect(body.deliveries[0]).toMatchObject({ attempts: 0, held_by: 'held_by_breaker' });
    expect(Date.parse(body.deliveries[0].held_until)).toBeGreaterThan(world.clock.now());
  });

  it('API-404 D02 unknown, malformed, foreign and mistyped ids answer alike, everywhere', async () => {
    const { call } = await start();
    await world.addEndpoint();
    const event = await world.publish();
    const other = await world.addApp({ organizationId: OTHER_ORGANIZATION });
    const foreignEndpoint = await world.addEndpoint({ app: other });
    const foreign = await world.publish({ app: other });
    const own = (await world.store.read.delivery(event.deliveries[0]?.id ?? 0))?.id ?? 0;
    expect(own).toBeGreaterThan(0);
    const foreignKey = await world.key({ organizationId: OTHER_ORGANIZATION });
    const seen = new Set<string>();
    const look = async (method: string, path: string, key?: string) => {
      const { status, body } = await call(method, path, { key });
      seen.add(JSON.stringify({ status, ...body.error, request_id: null }));
    };
    for (const id of [foreign.publicId, world.id('evt'), 'evt_', 'x', event.publicId.toUpperCase()]) {
      await look('GET', `events/${id}`);
      await look('GET', `events/${id}/attempts`);
      await look('POST', `deliveries/${id}/retry`);
    }
    for (const id of [world.id('dlv'), 'dlv_', `${event.publicId}`]) await look('GET', `deliveries/${id}`);
    for (const id of [foreignEndpoint.publicId, world.id('ep')]) {
      await look('POST', `deliveries/${event.publicId}/retry?endpoint_id=${id}`);
    }
    await look('GET', `events/${event.publicId}`, foreignKey.text);
    expect([...seen]).toHaveLength(1);
    expect([...seen][0]).toContain('not_found');
    const denied = (await world.audit()).filter((row) => row.result === 'denied').map((row) => row.objectId);
    expect(denied).toContain(foreign.publicId);
    expect(denied).toContain(foreignEndpoint.publicId);
  });

  it('API-403 an object or a filter of the other environment', async () => {
    const { get, call } = await start();
    const live = await world.publish({ environment: 'live' });
    for (const answer of [
      await get(`events/${live.publicId}`),
      await get('events?env=live'),
      await get('deliveries?env=live'),
      await call('POST', `deliveries/${live.publicId}/retry`),
    ]) {
      expect([answer.status, answer.body.error.code]).toEqual([403, 'wrong_environment']);
    }
  });
});

describe('resend', () => {
  it('R-RES-1 begins a new cycle at once for all deliveries, whatever their status', async () => {
    const { call, get } = await start({ runs: true, answer: () => 204 });
    await world.addEndpoint();
    const event = await world.publish();
    await world.settle();
    const { status, body } = await call('POST', `deliveries/${event.publicId}/retry`);
    expect(status).toBe(202);
    expect(body.left_out).toEqual([]);
    expect(body.deliveries[0]).toMatchObject({ status: 'pending', reason: 'waiting', cycle: 2 });
    await world.settle();
    const attempts = await get(`deliveries/${body.deliveries[0].id}/attempts`);
    expect(
      attempts.body.data.map((row: { trigger: string; cycle: number }) => [row.trigger, row.cycle]),
    ).toEqual([
      ['first', 1],
      ['resend', 2],
    ]);
    const audit = await world.audit();
    expect(audit).toContainEqual(
      expect.objectContaining({ action: 'delivery.resent', objectId: event.publicId, result: 'ok' }),
    );
    expect(attempts.body.data[1].actor).toMatch(/^key_/);
  });

  it('R-RES-1 a pending delivery without an attempt is not resent twice: same 202', async () => {
    const { call } = await start();
    await world.addEndpoint();
    const event = await world.publish();
    const first = await call('POST', `deliveries/${event.publicId}/retry`);
    const second = await call('POST', `deliveries/${event.publicId}/retry`);
    expect(first.status).toBe(202);
    expect(first.body.deliveries[0].cycle).toBe(1);
    expect(second.body).toEqual(first.body);
  });

  it('R-RES-1 to an endpoint that never had it, whatever its filter, replacing the row that matched none', async () => {
    const { call, get } = await start();
    const event = await world.publish({ type: 'z.z' });
    const endpoint = await world.addEndpoint({ types: ['a.*'] });
    const { status, body } = await call(
      'POST',
      `deliveries/${event.publicId}/retry?endpoint_id=${endpoint.publicId}`,
    );
    expect(status).toBe(202);
    expect(body.deliveries).toHaveLength(1);
    expect(body.deliveries[0]).toMatchObject({ endpoint_id: endpoint.publicId, status: 'pending', cycle: 1 });
    const shown = await get(`events/${event.publicId}`);
    expect(shown.body.deliveries.map((row: { endpoint_id: string }) => row.endpoint_id)).toEqual([
      endpoint.publicId,
    ]);
    expect(shown.body.matched_at_publish).toBe(0);
  });

  it('R-RES-1 without a delivery it goes to those that match now, else 409 no_webhook', async () => {
    const { call } = await start();
    const event = await world.publish({ type: 'z.z' });
    const none = await call('POST', `deliveries/${event.publicId}/retry`);
    expect([none.status, none.body.error.code]).toEqual([409, 'no_webhook']);
    const endpoint = await world.addEndpoint();
    const done = await call('POST', `deliveries/${event.publicId}/retry`);
    expect(done.body.deliveries[0].endpoint_id).toBe(endpoint.publicId);
  });

  it('R-RES-1 endpoints that are not active are left out and named; none left is 409', async () => {
    const { call } = await start();
    const a = await world.addEndpoint();
    const b = await world.addEndpoint();
    const event = await world.publish();
    const disable = (id: number) =>
      world.store.transact((tx) => tx.updateEndpoint(id, { status: 'disabled' }, world.clock.now()));
    await disable(a.id);
    const some = await call('POST', `deliveries/${event.publicId}/retry`);
    expect(some.status).toBe(202);
    expect(some.body.deliveries.map((row: { endpoint_id: string }) => row.endpoint_id)).toEqual([b.publicId]);
    expect(some.body.left_out).toEqual([{ endpoint_id: a.publicId, reason: 'endpoint_disabled' }]);
    const one = await call('POST', `deliveries/${event.publicId}/retry?endpoint_id=${a.publicId}`);
    expect([one.status, one.body.error.code]).toEqual([409, 'endpoint_disabled']);
    await disable(b.id);
    const all = await call('POST', `deliveries/${event.publicId}/retry`);
    expect([all.status, all.body.error.code]).toEqual([409, 'endpoint_disabled']);
  });

  it('R-RES-1 an endpoint of the other environment is 409 environment_mismatch', async () => {
    const { call } = await start();
    const event = await world.publish();
    const live = await world.addEndpoint({ environment: 'live' });
    const before = await world.store.read.deliveriesOfEvents([1]);
    const answer = await call('POST', `deliveries/${event.publicId}/retry?endpoint_id=${live.publicId}`);
    expect([answer.status, answer.body.error.code]).toEqual([409, 'environment_mismatch']);
    expect(await world.store.read.deliveriesOfEvents([1])).toEqual(before);
  });

  it('R-RES-1 behind a gate it waits, and the answer says what holds it', async () => {
    const { call } = await start({ runs: true, answer: () => 500 });
    const endpoint = await world.addEndpoint();
    const event = await world.publish();
    await world.settle();
    const until = world.clock.now() + 3_600_000;
    await world.store.transact((tx) =>
      tx.updateEndpoint(endpoint.id, { pausedUntil: until }, world.clock.now()),
    );
    const { body } = await call('POST', `deliveries/${event.publicId}/retry`);
    expect(body.deliveries[0]).toMatchObject({
      held_by: 'held_by_pause',
      held_until: new Date(until).toISOString(),
      cycle: 2,
    });
  });

  it('R-PUB-5 a resend with a key happens once', async () => {
    const { call } = await start({ runs: true, answer: () => 204 });
    await world.addEndpoint();
    const event = await world.publish();
    await world.settle();
    const headers = { 'idempotency-key': 'again' };
    const first = await call('POST', `deliveries/${event.publicId}/retry`, { headers });
    await world.settle();
    const second = await call('POST', `deliveries/${event.publicId}/retry`, { headers });
    expect(second.body).toEqual(first.body);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    const row = await world.store.read.delivery(event.deliveries[0]?.id ?? 0);
    expect(row?.cycle).toBe(2);
  });
});
