import { afterEach, describe, expect, it } from 'vitest';
import { createRestWorld, DISPATCH_TOKEN } from '@/server/testing/rest-world';
import { OTHER_ORGANIZATION } from '@/server/testing/service-world';
import { OPERATIONS } from './app';

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

const code = (answer: { status: number; body: { error?: { code: string } } }) => [
  answer.status,
  answer.body.error?.code,
];

describe('the door', () => {
  it('API-401 no key, a wrong, an expired and a revoked one are refused; a cookie is not looked at', async () => {
    const { call, world } = await start();
    const expired = await world.key({ expiresAt: world.clock.now() });
    const headers = { cookie: 'better-auth.session_token=abc' };
    for (const key of [null, 'hk_test_nonsense', expired.text, `${expired.text}x`]) {
      const answer = await call('GET', 'webhook/events', { key, headers });
      expect(code(answer)).toEqual([401, 'unauthorized']);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      expect(answer.body.error.request_id).toBe(answer.headers.get('x-request-id'));
    }
  });

  it('D19 a key in the URL is refused, even a right one, and so is its use beside a right header', async () => {
    const { call, text } = await start();
    const answer = await call('GET', `webhook/events?api_key=${text}`);
    expect(code(answer)).toEqual([400, 'invalid_request']);
    expect(JSON.stringify(answer.body)).not.toContain(text);
  });

  it('D19 the last use is noted', async () => {
    const { call, world, keyRow } = await start();
    await call('GET', 'webhook/events');
    await world.audit();
    const [row] = (await world.store.read.apiKeys('org_test')).filter((each) => each.id === keyRow.id);
    expect(row?.lastUsedAt).toBe(world.clock.now());
  });

  it('API-404 API-405 unknown addresses and methods answer in the one shape', async () => {
    const { call } = await start();
    for (const path of ['/dev/nothing', '/dev/apps/x/y/z', '/v1/webhooks/x']) {
      const answer = await call('GET', path);
      expect(code(answer)).toEqual([404, 'not_found']);
      expect(answer.body.error.request_id).toMatch(/^req_/);
    }
    const answer = await call('DELETE', 'webhook/events');
    expect(code(answer)).toEqual([405, 'method_not_allowed']);
    expect(answer.headers.get('allow')).toBe('GET');
    expect(code(await call('PUT', 'webhook-endpoints/ep_x'))).toEqual([405, 'method_not_allowed']);
    expect(code(await call('GET', 'events:batch'))).toEqual([405, 'method_not_allowed']);
  });

  it('D38 a bug is shown as internal with the request id, without its words, and logged whole', async () => {
    const { call, world } = await start();
    world.deps.store = {
      ...world.store,
      read: {
        ...world.store.read,
        app: async () => {
          throw new Error('SELECT secret FROM somewhere');
        },
      },
    };
    const answer = await call('GET', 'webhook/events');
    expect(code(answer)).toEqual([500, 'internal']);
    expect(JSON.stringify(answer.body)).not.toContain('SELECT');
    expect(world.lines).toContainEqual(
      expect.objectContaining({
        level: 'error',
        event: 'rest.failed',
        fields: expect.objectContaining({ requestId: answer.body.error.request_id }),
      }),
    );
  });

  it('D06 headers that proxies and frameworks trust change nothing', async () => {
    const { call } = await start();
    const headers = {
      'x-middleware-subrequest': 'middleware',
      'x-original-url': '/healthz',
      'x-forwarded-for': '::1',
    };
    expect(code(await call('GET', 'webhook/events', { key: null, headers }))).toEqual([401, 'unauthorized']);
  });

  it('API-400 an operation without a body takes none but {}', async () => {
    const { call, world } = await start();
    await world.addEndpoint();
    const event = await world.publish();
    const path = `webhook/deliveries/${event.publicId}/retry`;
    expect((await call('POST', path, { body: {} })).status).toBe(202);
    expect(code(await call('POST', path, { body: { endpoint_id: 'ep_x' } }))).toEqual([
      400,
      'invalid_request',
    ]);
  });

  it('D26 deep and endless JSON, prototype keys and doubled keys are refused', async () => {
    const { rest, text, base } = await start();
    const send = async (body: string) =>
      (
        await rest.request(`${base}/webhook-endpoints`, {
          method: 'POST',
          body,
          headers: { authorization: `Bearer ${text}`, 'content-type': 'application/json' },
        })
      ).status;
    expect(await send(`${'{"url":'.repeat(65)}1${'}'.repeat(65)}`)).toBe(400);
    expect(await send('{"url":"https://a.example.com","__proto__":{"x":1}}')).toBe(400);
    expect(await send('{"url":"https://a.example.com","url":"https://b.example.com"}')).toBe(400);
    expect(await send(`{"url":"${'x'.repeat(70_000)}"}`)).toBe(413);
  });
});

describe('apps, catalogue, breakers', () => {
  it('API-APPS a key sees the apps of its organization, or the one that it is bound to', async () => {
    const { call, world } = await start();
    const second = await world.addApp();
    await world.addApp({ organizationId: OTHER_ORGANIZATION });
    const all = await call('GET', '/dev/apps');
    expect(all.body.data.map((app: { id: string }) => app.id).sort()).toEqual(
      [world.app.publicId, second.publicId].sort(),
    );
    const bound = await world.key({ app: second });
    const own = await call('GET', '/dev/apps', { key: bound.text });
    expect(own.body.data.map((app: { id: string }) => app.id)).toEqual([second.publicId]);
    expect(code(await call('GET', `/dev/apps/${world.app.publicId}`, { key: bound.text }))).toEqual([
      404,
      'not_found',
    ]);
    expect((await call('GET', `/dev/apps/${second.publicId}`, { key: bound.text })).body).toMatchObject({
      id: second.publicId,
      organization_id: 'org_test',
    });
  });

  it('API-CATALOGUE lists the types with their rules', async () => {
    const { call, world } = await start();
    const app = await world.addApp({
      eventTypes: [{ type: 'payment.succeeded', money: { money: 'always' } }],
    });
    const { body } = await call('GET', `/dev/apps/${app.publicId}/event-types`);
    expect(body.data).toContainEqual({
      type: 'payment.succeeded',
      description: '',
      money: { money: 'always' },
      example: null,
    });
  });

  async function opened() {
    const rig = await start({ runs: true, answer: () => 500 });
    const endpoint = await rig.world.addEndpoint();
    for (let n = 0; n < 6; n += 1) await rig.world.publish();
    await rig.world.run(100);
    const [row] = await rig.world.store.read.breakers({ appId: rig.world.app.id, environment: 'test' });
    if (row === undefined) throw new Error('no breaker');
    return { ...rig, endpoint, row };
  }

  it('R-BRK-8 shows state, window, what opened it, what is held, and its history', async () => {
    const { call, endpoint, row } = await opened();
    const list = await call('GET', 'webhook/breakers');
    expect(list.body.data).toHaveLength(1);
    const one = await call('GET', `webhook/breakers/${row.publicId}`);
    expect(one.body).toMatchObject({
      id: row.publicId,
      endpoint_id: endpoint.publicId,
      state: 'open',
      pause_ms: 300_000,
      probe_in_flight: false,
      held: 6,
    });
    // What counts now is of the present epoch: nothing since it opened (R-BRK-7).
    expect(one.body.window).toEqual({ attempts: 0, failures: 0 });
    expect(one.body.opened_by.length).toBeGreaterThanOrEqual(4);
    expect(one.body.history.at(-1)).toMatchObject({ kind: 'opened' });
  });

  it('R-BRK-6 only a platform key resets, with a reason that is kept; a second time it is a recorded no-op', async () => {
    const { call, world, row } = await opened();
    await world.engine.stop();
    const path = `webhook/breakers/${row.publicId}/reset`;
    const body = { reason: 'Receiver is back' };
    expect(code(await call('POST', path, { body }))).toEqual([403, 'forbidden']);
    const platform = await world.key({ organizationId: null });
    expect(code(await call('POST', path, { body: { reason: '  ' }, key: platform.text }))).toEqual([
      400,
      'invalid_request',
    ]);
    expect(code(await call('POST', path, { body: {}, key: platform.text }))).toEqual([
      400,
      'invalid_request',
    ]);
    const done = await call('POST', path, { body, key: platform.text });
    expect([done.status, done.body.state, done.body.held]).toEqual([200, 'closed', 0]);
    const events = await world.store.read.breakerEvents(row.id, 10);
    expect(events[0]).toMatchObject({
      kind: 'reset',
      reason: 'Receiver is back',
      actor: platform.row.publicId,
    });
    const again = await call('POST', path, { body, key: platform.text });
    expect([again.status, again.body.state]).toEqual([200, 'closed']);
    expect(await world.store.read.breakerEvents(row.id, 10)).toEqual(events);
    const acts = (await world.audit()).filter(
      (each) => each.action === 'breaker.reset' && each.result === 'ok',
    );
    expect(acts).toHaveLength(2);
    expect(acts[0]?.detail).toEqual({ reason: 'Receiver is back' });
  });

  it('API-403 a platform key reads no merchant’s events', async () => {
    const { call, world } = await start();
    const platform = await world.key({ organizationId: null });
    for (const path of ['webhook/events', 'webhook/deliveries', 'webhook-endpoints', 'webhook/breakers']) {
      expect((await call('GET', `${path}?env=test`, { key: platform.text })).status).toBe(403);
    }
  });
});

describe('operations of the installation', () => {
  it('API-DISPATCH starts or nudges the loop by its own token alone', async () => {
    const { call, text, state, world } = await start();
    const done = await call('POST', '/api/dispatch', { key: DISPATCH_TOKEN });
    expect([done.status, done.body]).toEqual([202, { running: false, in_flight: 0, due: 0 }]);
    expect([state.starts, world.kicks]).toEqual([1, 1]);
    for (const key of [null, text, 'wrong']) {
      expect(code(await call('POST', '/api/dispatch', { key }))).toEqual([401, 'unauthorized']);
    }
    expect(state.starts).toBe(1);
  });

  it('API-HEALTH alive without a key; ready says what is wrong', async () => {
    const { call, state } = await start();
    expect((await call('GET', '/healthz', { key: null })).body).toEqual({ status: 'ok' });
    expect((await call('GET', '/readyz', { key: null })).status).toBe(200);
    state.ready = false;
    const answer = await call('GET', '/readyz', { key: null });
    expect([answer.status, answer.body.checks.database]).toEqual([503, 'not writable']);
  });

  it('API-OPENAPI the document has every operation, its parameters, its errors and the shared schemas', async () => {
    const { call } = await start();
    const { body } = await call('GET', '/dev/openapi.json', { key: null });
    expect(body.openapi).toBe('3.1.0');
    for (const { path, method } of OPERATIONS) {
      const described = body.paths[path]?.[method];
      expect(described, `${method} ${path}`).toBeDefined();
      expect(described.responses['401']).toBeDefined();
    }
    expect(Object.keys(body.components.schemas)).toEqual(
      expect.arrayContaining(['Event', 'Delivery', 'Attempt', 'Endpoint', 'Breaker', 'App', 'Error']),
    );
    const retry = body.paths['/dev/apps/{id}/webhook/deliveries/{event_id}/retry'].post;
    expect(retry.parameters.map((parameter: { name: string }) => parameter.name)).toContain('endpoint_id');
    expect(retry.responses['409'].description).toContain('environment_mismatch');
    expect(retry.responses['202']).toBeDefined();
  });
});
