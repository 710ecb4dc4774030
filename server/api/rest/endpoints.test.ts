import { afterEach, describe, expect, it } from 'vitest';
import { headersIdentity, secretIdentity } from '@/server/core/sealed-identity';
import { createRestWorld } from '@/server/testing/rest-world';
import { OTHER_ORGANIZATION } from '@/server/testing/service-world';

type RestWorld = Awaited<ReturnType<typeof createRestWorld>>;
let now: RestWorld | null = null;

afterEach(async () => {
  await now?.world.close();
  now = null;
});

async function start(options: Parameters<typeof createRestWorld>[0] = {}): Promise<RestWorld> {
  now = await createRestWorld(options);
  return now;
}

const URL_OK = 'https://shop.example.com/in?k=1';
const code = (answer: { status: number; body: { error?: { code: string } } }) => [
  answer.status,
  answer.body.error?.code,
];

describe('creating an endpoint', () => {
  it('API-ENDPOINTS R-SIG-3 the secret is in this answer and in no other; it and the own headers are sealed', async () => {
    const { call, world } = await start();
    const { status, body } = await call('POST', 'webhook-endpoints', {
      body: {
        url: `${URL_OK}#part`,
        description: 'Shop',
        types: ['a.*', 'a.*'],
        headers: [{ name: 'X-Token', value: 'hush-hush' }],
      },
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      number: 1,
      url: URL_OK,
      status: 'active',
      types: ['a.*'],
      headers: ['X-Token'],
      environment: 'test',
      scheme: 'standard-webhooks',
    });
    expect(body.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    for (const path of ['webhook-endpoints', `webhook-endpoints/${body.id}`]) {
      const text = JSON.stringify((await call('GET', path)).body);
      expect(text).toContain(body.id);
      expect(text).not.toContain('whsec_');
      expect(text).not.toContain('hush-hush');
    }
    const row = await world.store.read.endpoint(body.id);
    const [secret] = await world.store.read.secrets(row?.id ?? 0);
    const identity = { appId: world.app.id, endpointId: row?.id ?? 0, version: 1 };
    expect(secret && world.secretBox.open(secret.sealed, secretIdentity(identity))).toEqual({
      ok: true,
      plain: body.secret,
    });
    const sealed = row?.sealedHeaders ?? null;
    expect(sealed && world.secretBox.open(sealed, headersIdentity(identity))).toEqual({
      ok: true,
      plain: '[["X-Token","hush-hush"]]',
    });
    const audit = JSON.stringify(await world.audit());
    expect(audit).toContain('endpoint.created');
    expect(audit).not.toMatch(/whsec_|hush-hush/);
  });

  it.each([
    ['http://127.0.0.1/x', 'address'],
    ['https://localhost/', 'name'],
    ['ftp://shop.example.com/', 'scheme'],
    ['https://user:pw@shop.example.com/', 'userinfo'],
    ['https://hooks.local.example/r/unknown', 'self'],
  ])(
    'R-ATT-7 R-ATT-16 %s is refused by the rule %s, without an address, and nothing is written',
    async (url, rule) => {
      const { call, world } = await start();
      const answer = await call('POST', 'webhook-endpoints', { body: { url } });
      expect(code(answer)).toEqual([400, 'unsafe_url']);
      expect(answer.body.error.details).toEqual([{ path: 'url', message: `Rule: ${rule}.` }]);
      expect(JSON.stringify(answer.body)).not.toContain('127.0.0.1');
      expect(await world.store.read.endpoints({ appId: world.app.id, environment: 'test' })).toEqual([]);
    },
  );

  it('R-ATT-8 live endpoints are https', async () => {
    const { call, world } = await start();
    const live = await world.key({ environment: 'live' });
    const body = { url: 'http://shop.example.com/' };
    expect(code(await call('POST', 'webhook-endpoints', { body, key: live.text }))).toEqual([
      400,
      'unsafe_url',
    ]);
    expect((await call('POST', 'webhook-endpoints', { body })).status).toBe(201);
  });

  it('R-ATT-16 a built-in receiver is accepted while its token lives', async () => {
    const { call, world } = await start();
    const token = 'a'.repeat(40);
    const body = { url: `https://hooks.local.example/r/${token}` };
    expect(code(await call('POST', 'webhook-endpoints', { body }))).toEqual([400, 'unsafe_url']);
    await world.store.transact((tx) =>
      tx.insertReceiver({
        token,
        appId: world.app.id,
        environment: 'test',
        behaviour: 'healthy',
        createdAt: 1,
      }),
    );
    expect((await call('POST', 'webhook-endpoints', { body })).status).toBe(201);
  });

  it.each([
    [{ url: URL_OK, types: ['Bad Type'] }, 'types.0'],
    [{ url: URL_OK, types: ['ok', 'a.*.b'] }, 'types.1'],
    [{ url: URL_OK, headers: [{ name: 'host', value: 'x' }] }, 'headers.0'],
    [{ url: URL_OK, headers: [{ name: 'webhook-id', value: 'x' }] }, 'headers.0'],
    [{ url: URL_OK, concurrency: 0 }, 'concurrency'],
    [{ url: URL_OK, color: 'red' }, 'color'],
    [{ description: 'no url' }, 'url'],
  ])('API-400 R-ATT-1 %j names the field and leaves nothing', async (body, path) => {
    const { call, world } = await start();
    const answer = await call('POST', 'webhook-endpoints', { body });
    expect(code(answer)).toEqual([400, 'invalid_request']);
    expect(answer.body.error.details[0].path).toBe(path);
    expect(await world.store.read.endpoints({ appId: world.app.id, environment: 'test' })).toEqual([]);
  });

  it('D27 an environment has at most 50; numbers are never used again', async () => {
    const { call } = await start();
    for (let n = 1; n <= 50; n += 1) {
      expect((await call('POST', 'webhook-endpoints', { body: { url: URL_OK } })).status).toBe(201);
    }
    expect(code(await call('POST', 'webhook-endpoints', { body: { url: URL_OK } }))).toEqual([
      409,
      'conflict',
    ]);
    const list = await call('GET', 'webhook-endpoints?limit=50');
    await call('DELETE', `webhook-endpoints/${list.body.data[49].id}`);
    const next = await call('POST', 'webhook-endpoints', { body: { url: URL_OK } });
    expect(next.body.number).toBe(51);
  });

  it('API-LISTS endpoints page by number', async () => {
    const { call } = await start();
    for (let n = 0; n < 3; n += 1) await call('POST', 'webhook-endpoints', { body: { url: URL_OK } });
    const first = await call('GET', 'webhook-endpoints?limit=2');
    const second = await call('GET', `webhook-endpoints?limit=2&cursor=${first.body.next_cursor}`);
    const numbers = [...first.body.data, ...second.body.data].map((row: { number: number }) => row.number);
    expect([numbers, second.body.next_cursor]).toEqual([[1, 2, 3], null]);
  });

  it('R-PUB-5 with a key it is created once; the replay is without the secret and says so', async () => {
    const { call, world } = await start();
    const init = { body: { url: URL_OK }, headers: { 'idempotency-key': 'make' } };
    const first = await call('POST', 'webhook-endpoints', init);
    const again = await call('POST', 'webhook-endpoints', init);
    expect(again.status).toBe(201);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.body.id).toBe(first.body.id);
    expect(again.body.secret).toBeUndefined();
    expect(again.body.secret_note).toMatch(/first answer/);
    const other = await call('POST', 'webhook-endpoints', { ...init, body: { url: `${URL_OK}2` } });
    expect(code(other)).toEqual([409, 'idempotency_conflict']);
    expect(await world.store.read.endpoints({ appId: world.app.id, environment: 'test' })).toHaveLength(1);
    const kept = await world.store.read.idempotency({ appId: world.app.id, environment: 'test' }, 'make');
    expect(kept?.body).not.toContain('whsec_');
  });
});

describe('changing an endpoint', () => {
  it('R-FAIL-8 disabling and enabling: counters start anew, its own breaker is reset', async () => {
    const { call, world } = await start({ runs: true, answer: () => 500 });
    const endpoint = await world.addEndpoint();
    for (let n = 0; n < 5; n += 1) await world.publish();
    await world.run(100);
    const [open] = await world.store.read.breakers({ appId: world.app.id, environment: 'test' });
    expect(open?.state).not.toBe('closed');
    const path = `webhook-endpoints/${endpoint.publicId}`;
    const off = await call('PATCH', path, { body: { status: 'disabled' } });
    expect(off.body).toMatchObject({ status: 'disabled' });
    expect(off.body.consecutive_failures).toBeGreaterThan(0);
    const on = await call('PATCH', path, { body: { status: 'active' } });
    expect(on.body).toMatchObject({ status: 'active', failing_since: null, consecutive_failures: 0 });
    const [closed] = await world.store.read.breakers({ appId: world.app.id, environment: 'test' });
    expect(closed?.state).toBe('closed');
    const events = await world.store.read.breakerEvents(open?.id ?? 0, 10);
    expect(events[0]).toMatchObject({ kind: 'reset', actor: expect.stringMatching(/^key_/) });
  });

  it('R-FAIL-8 editing the URL makes an open breaker’s probe due now', async () => {
    const { call, world } = await start({ runs: true, answer: () => 500 });
    const endpoint = await world.addEndpoint();
    for (let n = 0; n < 5; n += 1) await world.publish();
    await world.run(100);
    const scope = { appId: world.app.id, environment: 'test' as const };
    const [before] = await world.store.read.breakers(scope);
    expect(before?.probeAt).toBeGreaterThan(world.clock.now());
    await world.engine.stop();
    const path = `webhook-endpoints/${endpoint.publicId}`;
    await call('PATCH', path, { body: { description: 'Other words' } });
    expect((await world.store.read.breakers(scope))[0]?.probeAt).toBe(before?.probeAt);
    const edited = await call('PATCH', path, { body: { url: 'https://new.example.com/' } });
    expect(edited.body.url).toBe('https://new.example.com/');
    expect((await world.store.read.breakers(scope))[0]?.probeAt).toBe(world.clock.now());
  });

  it('API-ENDPOINTS a merge patch leaves alone what it does not name, and refuses what create refuses', async () => {
    const { call } = await start();
    const made = await call('POST', 'webhook-endpoints', {
      body: {
        url: URL_OK,
        description: 'x',
        types: ['a.b'],
        headers: [{ name: 'X-A', value: '1' }],
        concurrency: 2,
      },
    });
    const path = `webhook-endpoints/${made.body.id}`;
    const patched = await call('PATCH', path, { body: { types: [], concurrency: null } });
    expect(patched.body).toMatchObject({ types: [], concurrency: null, description: 'x', headers: ['X-A'] });
    expect((await call('PATCH', path, { body: { headers: [] } })).body.headers).toEqual([]);
    expect(code(await call('PATCH', path, { body: { url: 'https://10.0.0.1/' } }))).toEqual([
      400,
      'unsafe_url',
    ]);
    expect(code(await call('PATCH', path, { body: { environment: 'live' } }))).toEqual([
      400,
      'invalid_request',
    ]);
    expect(code(await call('PATCH', path, { body: { headers: [{ name: 'cookie', value: 'x' }] } }))).toEqual([
      400,
      'invalid_request',
    ]);
    expect((await call('GET', path)).body.url).toBe(URL_OK);
  });

  it('R-DEL-4 deleting takes its deliveries along and says how many; the event stays', async () => {
    const { call, world } = await start();
    const endpoint = await world.addEndpoint();
    const event = await world.publish();
    const gone = await call('DELETE', `webhook-endpoints/${endpoint.publicId}`);
    expect([gone.status, gone.body]).toEqual([200, { deleted_deliveries: 1 }]);
    expect(code(await call('GET', `webhook-endpoints/${endpoint.publicId}`))).toEqual([404, 'not_found']);
    const shown = await call('GET', `webhook/events/${event.publicId}`);
    expect(shown.body).toMatchObject({ matched_at_publish: 1, deliveries: [] });
  });

  it('API-404 API-403 a foreign endpoint is as unknown; one of the other environment says so', async () => {
    const { call, world } = await start();
    const other = await world.addApp({ organizationId: OTHER_ORGANIZATION });
    const foreign = await world.addEndpoint({ app: other });
    const live = await world.addEndpoint({ environment: 'live' });
    for (const [method, init] of [
      ['GET', {}],
      ['PATCH', { body: { description: 'mine' } }],
      ['DELETE', {}],
    ] as const) {
      expect(code(await call(method, `webhook-endpoints/${foreign.publicId}`, init))).toEqual([
        404,
        'not_found',
      ]);
      expect(code(await call(method, `webhook-endpoints/${live.publicId}`, init))).toEqual([
        403,
        'wrong_environment',
      ]);
    }
    expect((await world.store.read.endpoint(foreign.publicId))?.description).toBe('');
  });
});

describe('test sends', () => {
  it('R-RES-3 goes the real path at once and answers with what the receiver said', async () => {
    const { call, world } = await start({ runs: true, answer: () => 204 });
    const endpoint = await world.addEndpoint({ types: ['nothing.else'] });
    await world.store.transact((tx) =>
      tx.updateEndpoint(endpoint.id, { status: 'disabled' }, world.clock.now()),
    );
    const { status, body } = await call('POST', `webhook-endpoints/${endpoint.publicId}/test`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ ok: true, status_code: 204, error: null, state: 'ended' });
    expect(body.duration_ms).toBeTypeOf('number');
    const [sent] = world.sent;
    const payload = JSON.parse(Buffer.from(sent?.request.body ?? []).toString('utf8'));
    expect(payload).toMatchObject({ id: body.event_id, type: 'webhook.test', data: { test: true } });
    expect(sent?.request.headers.map(([name]) => name.toLowerCase())).toContain('webhook-signature');
  });

  it('R-RES-3 ok is false when the receiver failed', async () => {
    const { call, world } = await start({ runs: true, answer: () => 500 });
    const endpoint = await world.addEndpoint();
    const { status, body } = await call('POST', `webhook-endpoints/${endpoint.publicId}/test`, { body: {} });
    expect(status).toBe(200);
    expect(body).toMatchObject({ ok: false, status_code: 500, state: 'ended' });
    expect(body.error).toMatch(/receiver/i);
  });

  it('R-RES-3 202 with the delivery when it could not start within 5 s', async () => {
    const { call, world } = await start();
    const endpoint = await world.addEndpoint();
    const answering = call('POST', `webhook-endpoints/${endpoint.publicId}/test`);
    await world.run(5_100);
    const { status, body } = await answering;
    expect([status, body.state, body.ok]).toEqual([202, 'pending', false]);
    expect(body.delivery_id).toMatch(/^dlv_/);
  });

  it('R-RES-3 without an id it takes the lowest number of the environment; none is 409 no_webhook', async () => {
    const { call, world } = await start({ runs: true, answer: () => 204 });
    await world.addEndpoint({ environment: 'live' });
    expect(code(await call('POST', 'webhook/test'))).toEqual([409, 'no_webhook']);
    const first = await world.addEndpoint({ url: 'https://one.example.com/' });
    await world.addEndpoint({ url: 'https://two.example.com/' });
    expect((await call('POST', 'webhook/test')).body.ok).toBe(true);
    expect(world.sent[0]?.request.url).toBe(first.url);
  });

  it('R-RES-3 20 a minute per app, then 429 with Retry-After, and nothing is written', async () => {
    const { call, world } = await start({ runs: true, answer: () => 204 });
    await world.addEndpoint();
    for (let n = 0; n < 20; n += 1) expect((await call('POST', 'webhook/test')).status).toBe(200);
    const before = world.sent.length;
    const limited = await call('POST', 'webhook/test');
    expect(code(limited)).toEqual([429, 'rate_limited']);
    const seconds = Number(limited.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(60);
    expect(world.sent.length).toBe(before);
    await world.run(seconds * 1_000);
    expect((await call('POST', 'webhook/test')).status).toBe(200);
  });

  it('R-RES-3 an example of the catalogue is sent in test alone, and is no money event', async () => {
    const { call, world } = await start({ runs: true, answer: () => 204 });
    const app = await world.addApp({
      eventTypes: [{ type: 'payment.succeeded', money: { money: 'always' }, example: '{"amount":1}' }],
    });
    await world.addEndpoint({ app });
    await world.addEndpoint({ app, environment: 'live' });
    const path = `/dev/apps/${app.publicId}/webhook/test`;
    const done = await call('POST', path, { body: { type: 'payment.succeeded' } });
    expect(done.body.ok).toBe(true);
    const event = await world.store.read.event(done.body.event_id);
    expect(event).toMatchObject({ type: 'payment.succeeded', money: false });
    expect(Buffer.from(event?.body ?? []).toString()).toContain('"data":{"amount":1}');
    expect(code(await call('POST', path, { body: { type: 'un.known' } }))).toEqual([400, 'invalid_request']);
    const live = await world.key({ environment: 'live' });
    const refused = await call('POST', path, { body: { type: 'payment.succeeded' }, key: live.text });
    expect(code(refused)).toEqual([400, 'invalid_request']);
  });
});
