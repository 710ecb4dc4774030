import { afterEach, describe, expect, it } from 'vitest';
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
    dispatchToken: 'dispatch-token',
    startEngine: () => {},
    readiness: async () => ({ ready: true, checks: {} }),
  });
  const { text } = await world.key();
  const base = `/dev/apps/${world.app.publicId}`;
  const send = (
    path: string,
    init: { method?: string; body?: BodyInit; headers?: Record<string, string>; key?: string } = {},
  ) =>
    rest.request(path.startsWith('/') ? path : `${base}/${path}`, {
      method: init.method ?? 'POST',
      body: init.body,
      headers: { authorization: `Bearer ${init.key ?? text}`, ...init.headers },
      duplex: 'half',
    } as RequestInit);
  const json = (path: string, body: unknown, init: { headers?: Record<string, string>; key?: string } = {}) =>
    send(path, {
      ...init,
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...init.headers },
    });
  return { rest, send, json, base, text };
}

async function counts() {
  const scope = { appId: world.app.id, environment: 'test' as const };
  const events = await world.store.read.events({ ...scope, limit: 100 });
  const deliveries = await world.store.read.deliveries({ ...scope, limit: 100 });
  return { events: events.length, deliveries: deliveries.length };
}

async function sentBody(answer: { id: string }) {
  const event = await world.store.read.event(answer.id);
  return Buffer.from(event?.body ?? []).toString('utf8');
}

async function failure(response: Response) {
  const { error } = await response.json();
  return { status: response.status, code: error.code, details: error.details };
}

describe('publishing an event', () => {
  it('R-PUB-1 R-PUB-4 R-PUB-9 writes event and delivery, and sends the slice byte for byte in the envelope', async () => {
    const { json } = await start();
    const endpoint = await world.addEndpoint();
    const slice = '{"amount":9007199254740993,"rate":1.0,"2":"b","1":"a"}';
    const response = await json(
      'events',
      `{"type":"order.created","body":  ${slice} ,"occurred_at":"2026-01-01T00:00:00+08:00"}`,
    );
    expect(response.status).toBe(201);
    const event = await response.json();
    expect(event.type).toBe('order.created');
    expect(event.occurred_at).toBe('2025-12-31T16:00:00.000Z');
    expect(event.deliveries).toHaveLength(1);
    expect(event.deliveries[0]).toMatchObject({
      endpoint_id: endpoint.publicId,
      status: 'pending',
      reason: 'waiting',
      attempts: 0,
      fast: { used: 0, of: 9 },
      slow: { used: 0, of: 0 },
    });
    expect(await sentBody(event)).toBe(
      `{"id":"${event.id}","type":"order.created","environment":"test","created_at":"${event.created_at}","data":${slice}}`,
    );
    expect(world.kicks).toBe(1);
  });

  it('R-PUB-4 takes the bytes of body_base64, with an envelope of none any bytes', async () => {
    const { json } = await start();
    const scope = { appId: world.app.id, environment: 'test' as const };
    await world.store.transact((tx) => tx.updateAppEnvironment(scope, { envelope: 'none' }));
    const bytes = Buffer.from([0, 255, 1, 254]);
    const response = await json('events', { type: 'a.b', body_base64: bytes.toString('base64') });
    expect(response.status).toBe(201);
    const event = await response.json();
    expect(event.content_type).toBe('application/octet-stream');
    expect(Buffer.from((await world.store.read.event(event.id))?.body ?? [])).toEqual(bytes);
  });

  it('R-PUB-4 the raw way takes the request body as it is, with its own content type', async () => {
    const { send } = await start();
    const scope = { appId: world.app.id, environment: 'test' as const };
    await world.store.transact((tx) => tx.updateAppEnvironment(scope, { envelope: 'none' }));
    const response = await send('events/invoice.paid', {
      body: '<xml/>\n',
      headers: { 'content-type': 'application/xml; charset=utf-8' },
    });
    expect(response.status).toBe(201);
    const event = await response.json();
    expect(event).toMatchObject({ type: 'invoice.paid', content_type: 'application/xml; charset=utf-8' });
    expect(await sentBody(event)).toBe('<xml/>\n');
  });

  it('R-PUB-9 an envelope needs JSON: anything else is refused and nothing is written', async () => {
    const { send } = await start();
    const response = await send('events/invoice.paid', { body: '<xml/>' });
    expect(await failure(response)).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(await counts()).toEqual({ events: 0, deliveries: 0 });
  });

  it('R-PUB-3 an event that matches none is kept with one row that says so', async () => {
    const { json } = await start();
    const event = await (await json('events', { type: 'a.b', body: 1 })).json();
    expect(event.matched_at_publish).toBe(0);
    expect(event.deliveries[0]).toMatchObject({
      endpoint_id: null,
      status: 'skipped',
      reason: 'no_endpoint',
    });
    expect(event.deliveries[0].ended_at).toBe(event.created_at);
  });

  it('R-MON-3 reads the money rule of the catalogue on the published bytes', async () => {
    const { send } = await start();
    const app = await world.addApp({
      eventTypes: [
        {
          type: 'payment.succeeded',
          money: {
            money: 'always',
            amount: '/amount',
            currency: '/currency',
            exponent: '/exp',
            resource: '/id',
          },
        },
      ],
    });
    const response = await send(`/dev/apps/${app.publicId}/events/payment.succeeded`, {
      body: '{"id":"pay_1","amount":9007199254740993,"currency":"mnt","exp":2}',
    });
    const event = await response.json();
    expect(event).toMatchObject({ money: true, resource: 'pay_1', warnings: [] });
    expect(event.deliveries[0]).toMatchObject({ amount: '9007199254740993', currency: 'MNT', exponent: 2 });
  });

  it('R-PUB-10 an unlisted type is accepted with a warning, or refused where the app says so', async () => {
    const { json } = await start();
    const event = await (await json('events', { type: 'un.listed', body: {} })).json();
    expect(event.warnings).toEqual([
      { code: 'unlisted_type', message: 'The type un.listed is not in the catalogue of this app.' },
    ]);
    const scope = { appId: world.app.id, environment: 'test' as const };
    await world.store.transact((tx) => tx.updateAppEnvironment(scope, { catalogueMode: 'reject' }));
    expect(await failure(await json('events', { type: 'un.listed', body: {} }))).toMatchObject({
      status: 400,
      code: 'invalid_request',
      details: [{ path: 'type' }],
    });
  });

  it.each(['webhook.test', 'endpoint.disabled', 'delivery.failed', 'breaker.opened'])(
    'R-PUB-10 %s is reserved',
    async (type) => {
      const { json } = await start();
      expect(await failure(await json('events', { type, body: {} }))).toMatchObject({
        status: 400,
        code: 'reserved_type',
      });
      expect(await counts()).toEqual({ events: 0, deliveries: 0 });
    },
  );

  it.each([
    ['a type in capitals', { type: 'Order', body: 1 }, 'type'],
    ['a type too long', { type: 'a'.repeat(129), body: 1 }, 'type'],
    ['no type', { body: 1 }, 'type'],
    ['no body', { type: 'a.b' }, 'body'],
    ['both bodies', { type: 'a.b', body: 1, body_base64: 'AA==' }, 'body'],
    ['no base64', { type: 'a.b', body_base64: '!' }, 'body_base64'],
    ['an unknown field', { type: 'a.b', body: 1, color: 'red' }, 'color'],
    ['a bad instant', { type: 'a.b', body: 1, occurred_at: 'yesterday' }, 'occurred_at'],
    ['a bad environment', { type: 'a.b', body: 1, environment: 'prod' }, 'environment'],
  ])('API-400 R-PUB-8 %s names the field and writes nothing', async (_name, body, path) => {
    const { json } = await start();
    const answer = await failure(await json('events', body));
    expect(answer).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(answer.details.map((detail: { path: string }) => detail.path)).toContain(path);
    expect(await counts()).toEqual({ events: 0, deliveries: 0 });
  });

  it.each([
    '',
    '{',
    '[]',
    '{"type":"a.b","body":1}x',
    '{"type":"a.b","body":1,"body":2}',
    '{"type":"a.b","body":nul}',
  ])('API-400 malformed JSON %j is refused in the one shape', async (text) => {
    const { json } = await start();
    const response = await json('events', text);
    expect(response.headers.get('x-request-id')).toMatch(/^req_/);
    const body = await response.json();
    expect(response.status).toBe(400);
    expect(body.error).toMatchObject({
      code: 'invalid_request',
      request_id: response.headers.get('x-request-id'),
    });
    expect(await counts()).toEqual({ events: 0, deliveries: 0 });
  });

  it('API-415 JSON operations want JSON, uncompressed', async () => {
    const { send } = await start();
    const body = '{"type":"a.b","body":1}';
    expect(
      await failure(await send('events', { body, headers: { 'content-type': 'text/plain' } })),
    ).toMatchObject({
      status: 415,
      code: 'unsupported_media_type',
    });
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    expect(await failure(await send('events', { body, headers }))).toMatchObject({ status: 415 });
  });

  it('R-PUB-8 256 KiB pass, one byte more is refused, by whichever way', async () => {
    const { send, json } = await start();
    const most = `"${'x'.repeat(256 * 1024 - 2)}"`;
    expect((await send('events/a.b', { body: most })).status).toBe(201);
    expect((await json('events', `{"type":"a.b","body":${most}}`)).status).toBe(201);
    const over = `"${'x'.repeat(256 * 1024 - 1)}"`;
    expect(await failure(await send('events/a.b', { body: over }))).toMatchObject({
      status: 413,
      code: 'payload_too_large',
    });
    expect(await failure(await json('events', `{"type":"a.b","body":${over}}`))).toMatchObject({
      status: 413,
    });
    expect((await counts()).events).toBe(2);
  });

  it('R-PUB-8 a body that never ends is refused while it streams', async () => {
    const { send } = await start();
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 16_384;
        controller.enqueue(new Uint8Array(16_384).fill(0x20));
      },
    });
    expect(await failure(await send('events/a.b', { body: endless }))).toMatchObject({ status: 413 });
    expect(sent).toBeLessThan(400_000);
  });

  it('API-403 a key of the other environment is told so, publish included; leaving it out is fine', async () => {
    const { json } = await start();
    expect(await failure(await json('events', { type: 'a.b', body: 1, environment: 'live' }))).toMatchObject({
      status: 403,
      code: 'wrong_environment',
    });
    expect((await json('events', { type: 'a.b', body: 1, environment: 'test' })).status).toBe(201);
  });

  it('API-403 a key without the scope is refused, and that is in the audit log', async () => {
    const { json } = await start();
    const reader = await world.key({ scopes: ['events:read'] });
    expect(await failure(await json('events', { type: 'a.b', body: 1 }, { key: reader.text }))).toMatchObject(
      {
        status: 403,
        code: 'forbidden',
      },
    );
    expect(await world.audit()).toContainEqual(
      expect.objectContaining({ action: 'events.publish', result: 'denied', actorId: reader.row.publicId }),
    );
  });

  it('API-404 D02 unknown, malformed and foreign apps answer alike', async () => {
    const { json } = await start();
    const foreign = await world.addApp({ organizationId: OTHER_ORGANIZATION });
    const answers = [];
    for (const id of [foreign.publicId, world.id('app'), 'nonsense', world.app.publicId.slice(0, -1)]) {
      const response = await json(`/dev/apps/${id}/events`, { type: 'a.b', body: 1 });
      const { error } = await response.json();
      answers.push({ status: response.status, ...error, request_id: null });
    }
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]).toMatchObject({ status: 404, code: 'not_found' });
  });
});

describe('idempotency', () => {
  const once = (key: string) => ({ headers: { 'idempotency-key': key } });

  it('R-PUB-5 the same key and content give the stored answer again and write nothing', async () => {
    const { json } = await start();
    await world.addEndpoint();
    const first = await json('events', { type: 'a.b', body: { n: 1 } }, once('k1'));
    const text = await first.text();
    await world.clock.advance(60_000);
    const second = await json('events', { type: 'a.b', body: { n: 1 } }, once('k1'));
    expect(second.status).toBe(201);
    expect(await second.text()).toBe(text);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    expect(await counts()).toEqual({ events: 1, deliveries: 1 });
  });

  it('R-PUB-5 the content is type and body bytes, whichever way they come', async () => {
    const { json, send } = await start();
    await json('events', '{"type":"a.b","body":{"n":1}}', once('k1'));
    const raw = await send('events/a.b', { body: '{"n":1}', ...once('k1') });
    expect(raw.headers.get('idempotency-replayed')).toBe('true');
    const other = await send('events/a.b', { body: '{"n": 1}', ...once('k1') });
    expect(await failure(other)).toMatchObject({ status: 409, code: 'idempotency_conflict' });
    const otherType = await send('events/a.c', { body: '{"n":1}', ...once('k1') });
    expect(await failure(otherType)).toMatchObject({ status: 409, code: 'idempotency_conflict' });
    expect((await counts()).events).toBe(1);
  });

  it('R-PUB-5 while the first call has not committed the second is told to wait', async () => {
    const { json } = await start();
    const [a, b] = await Promise.all([
      json('events', { type: 'a.b', body: 1 }, once('k1')),
      json('events', { type: 'a.b', body: 1 }, once('k1')),
    ]);
    expect([a.status, b.status].sort()).toEqual([201, 409]);
    const late = a.status === 409 ? a : b;
    expect(late.headers.get('retry-after')).toBe('1');
    expect((await late.json()).error.code).toBe('idempotency_in_progress');
    expect((await counts()).events).toBe(1);
  });

  it('R-PUB-5 a key belongs to its environment', async () => {
    const { json } = await start();
    const live = await world.key({ environment: 'live' });
    await json('events', { type: 'a.b', body: 1 }, once('k1'));
    const other = await json('events', { type: 'a.b', body: 1 }, { ...once('k1'), key: live.text });
    expect(other.status).toBe(201);
    expect(other.headers.get('idempotency-replayed')).toBeNull();
  });

  it.each(['', 'ä', 'a b', 'x'.repeat(256)])(
    'R-PUB-5 the key %j is no visible ASCII of at most 255',
    async (key) => {
      const { json } = await start();
      expect(await failure(await json('events', { type: 'a.b', body: 1 }, once(key)))).toMatchObject({
        status: 400,
        code: 'invalid_request',
      });
    },
  );
});

describe('batches', () => {
  it('R-PUB-7 writes all events in the order given, in one transaction', async () => {
    const { json } = await start();
    await world.addEndpoint();
    const response = await json('events:batch', {
      events: [
        { type: 'a.one', body: { n: 1 } },
        { type: 'a.two', body: { n: 2 }, idempotency_key: 'k2' },
        { type: 'a.three', body: { n: 3 } },
      ],
    });
    expect(response.status).toBe(201);
    const { data } = await response.json();
    expect(data.map((event: { type: string; replayed: boolean }) => [event.type, event.replayed])).toEqual([
      ['a.one', false],
      ['a.two', false],
      ['a.three', false],
    ]);
    const rows = await world.store.read.events({
      appId: world.app.id,
      environment: 'test',
      limit: 10,
      order: 'asc',
    });
    expect(rows.map((row) => row.publicId)).toEqual(data.map((event: { id: string }) => event.id));
  });

  it('R-PUB-7 a repeated item answers with the first event, from a single publish too', async () => {
    const { json } = await start();
    const single = await (
      await json('events', { type: 'a.b', body: 1 }, { headers: { 'idempotency-key': 'k1' } })
    ).json();
    const events = [
      { type: 'a.b', body: 1, idempotency_key: 'k1' },
      { type: 'a.c', body: 2, idempotency_key: 'k2' },
      { type: 'a.c', body: 2, idempotency_key: 'k2' },
    ];
    const { data } = await (await json('events:batch', { events })).json();
    expect(data[0]).toMatchObject({ id: single.id, replayed: true });
    expect(data[1].replayed).toBe(false);
    expect(data[2]).toMatchObject({ id: data[1].id, replayed: true });
    expect((await counts()).events).toBe(2);
  });

  it('R-PUB-7 R-PUB-1 one bad event fails the batch, names its index and leaves nothing', async () => {
    const { json } = await start();
    const good = { type: 'a.b', body: 1 };
    const cases: [unknown[], string, string][] = [
      [[good, { type: 'A', body: 1 }], 'invalid_request', 'events.1.type'],
      [[good, good, { type: 'webhook.test', body: 1 }], 'reserved_type', 'events.2.type'],
      [[{ type: 'a.b' }], 'invalid_request', 'events.0.body'],
      [[good, 7], 'invalid_request', 'events.1'],
      [[], 'invalid_request', 'events'],
      [[{ ...good, extra: 1 }], 'invalid_request', 'events.0.extra'],
      [
        [
          { ...good, environment: 'test' },
          { ...good, environment: 'live' },
        ],
        'invalid_request',
        'events.1.environment',
      ],
    ];
    for (const [events, code, path] of cases) {
      const answer = await failure(await json('events:batch', { events }));
      expect(answer).toMatchObject({ status: 400, code });
      expect(answer.details[0].path).toBe(path);
    }
    await json('events', { type: 'a.b', body: 1 }, { headers: { 'idempotency-key': 'k1' } });
    const conflict = await json('events:batch', {
      events: [good, { type: 'a.b', body: 2, idempotency_key: 'k1' }],
    });
    expect(await failure(conflict)).toMatchObject({
      status: 409,
      code: 'idempotency_conflict',
      details: [{ path: 'events.1.idempotency_key' }],
    });
    expect((await counts()).events).toBe(1);
  });

  it('R-PUB-7 the request as a whole may carry a key', async () => {
    const { json } = await start();
    const headers = { 'idempotency-key': 'batch-1' };
    const events = [{ type: 'a.b', body: 1 }];
    const first = await (await json('events:batch', { events }, { headers })).text();
    const again = await json('events:batch', { events }, { headers });
    expect(await again.text()).toBe(first);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect((await counts()).events).toBe(1);
  });

  it('R-PUB-7 1,000 events pass, 1,001 do not; more than 4 MiB are too large', async () => {
    const { json } = await start();
    const many = (n: number) => ({ events: Array.from({ length: n }, () => ({ type: 'a.b', body: 1 })) });
    expect((await json('events:batch', many(1_000))).status).toBe(201);
    expect(await failure(await json('events:batch', many(1_001)))).toMatchObject({ status: 400 });
    const large = { events: [{ type: 'a.b', body: 'x'.repeat(4 * 1024 * 1024) }] };
    expect(await failure(await json('events:batch', large))).toMatchObject({ status: 413 });
  });
});
