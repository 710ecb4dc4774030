import { afterEach, describe, expect, it } from 'vitest';
import { PRESETS } from '@/server/core/policy';
import { StoreUnavailable } from '@/server/ports/store-unavailable';
import type { Actor } from '@/server/services/actor';
import { watch } from '@/server/services/live';
import {
  createServiceWorld,
  ORGANIZATION,
  OTHER_ORGANIZATION,
  person,
  type ServiceWorld,
} from '@/server/testing/service-world';
import { trpcHandler } from './handler';
import { ticks } from './live-ticks';
import { createCaller } from './router';

let world: ServiceWorld;

afterEach(async () => {
  await world.close();
});

async function start(options: Parameters<typeof createServiceWorld>[0] = {}) {
  world = await createServiceWorld(options);
  const as = (actor: Actor | null) => createCaller({ actor, requestId: 'req_t', deps: world.deps });
  const page = { appId: world.app.publicId, environment: 'test' as const };
  return { as, page, admin: as(person('admin')), viewer: as(person('viewer')) };
}

const refused = (code: string) => expect.objectContaining({ cause: expect.objectContaining({ code }) });

describe('reads of the console', () => {
  it('TRPC-ME who is signed in, with organizations and apps; nobody is unauthorized', async () => {
    const { as } = await start();
    const app = await world.addApp();
    expect(await as(person('developer')).me.get()).toEqual({
      user: {
        id: 'usr_developer',
        email: 'usr_developer@example.com',
        name: 'usr_developer',
        platformRole: null,
      },
      organizations: [{ id: ORGANIZATION, name: `Name of ${ORGANIZATION}`, role: 'developer' }],
      apps: expect.arrayContaining([expect.objectContaining({ id: app.publicId })]),
      demo: false,
    });
    await expect(as(null).me.get()).rejects.toEqual(refused('unauthorized'));
    const { actor } = await world.key();
    await expect(as(actor).me.get()).rejects.toEqual(refused('unauthorized'));
  });

  it('TRPC-LIST TRPC-NEWER pages, filters, and how many came since', async () => {
    const { viewer, page } = await start();
    await world.addEndpoint();
    for (let n = 0; n < 3; n += 1) await world.publish({ type: n === 1 ? 'z.z' : 'a.b' });
    const first = await viewer.deliveries.list({ ...page, limit: 2 });
    expect(first.data).toHaveLength(2);
    const second = await viewer.deliveries.list({
      ...page,
      limit: 2,
      cursor: first.next_cursor ?? undefined,
    });
    expect(second.data).toHaveLength(1);
    expect((await viewer.deliveries.list({ ...page, type: 'z.z' })).data).toHaveLength(1);
    const newest = first.data[0]?.id ?? '';
    expect(await viewer.deliveries.newer({ ...page, after: newest })).toEqual({ count: 0, capped: false });
    await world.publish({ type: 'a.b' });
    await world.publish({ type: 'z.z' });
    expect(await viewer.deliveries.newer({ ...page, after: newest })).toEqual({ count: 2, capped: false });
    expect(await viewer.deliveries.newer({ ...page, type: 'z.z', after: newest })).toEqual({
      count: 1,
      capped: false,
    });
    expect(await viewer.deliveries.types(page)).toEqual(['a.b', 'z.z']);
  });

  it('TRPC-DETAIL R-LAD-7 everything a delivery’s page shows, the timeline with what is still to come', async () => {
    const { viewer, page } = await start({ runs: true, answer: () => 400, policy: PRESETS['two-ladder'] });
    await world.addEndpoint({ url: 'https://shop.example.com/in?token=1' });
    await world.addEndpoint({ url: 'https://two.example.com/in' });
    await world.publish({ money: true });
    await world.run(1_000);
    const { data } = await viewer.deliveries.list(page);
    const id = data.find((row) => row.endpoint_number === 1)?.id ?? '';
    const detail = await viewer.deliveries.get({ ...page, deliveryId: id });
    expect(detail.delivery).toMatchObject({ id, status: 'pending', slow: { used: 1, of: 6 } });
    expect(detail.event.deliveries).toHaveLength(2);
    expect(detail.siblings.map((row) => row.endpoint_number)).toEqual([2]);
    expect(detail.attempts[0]).toMatchObject({
      number: 1,
      status_code: 400,
      url: 'https://shop.example.com/in?…',
    });
    expect(detail.endpoint?.url).toBe('https://shop.example.com/in?…');
    expect([detail.endpointLabel, detail.resendBlocked]).toEqual(['shop.example.com', null]);
    const { marks } = detail.timeline;
    const attempted = marks.find((mark) => mark.kind === 'attempt');
    const planned = marks
      .filter((mark) => mark.kind === 'planned')
      .map((mark) => mark.at - (attempted?.at ?? 0));
    expect(planned).toEqual([15 * 60_000, 75 * 60_000, 315 * 60_000, 1_035 * 60_000, 2_475 * 60_000]);
    expect(marks.filter((mark) => mark.kind === 'deadline').map((mark) => mark.deadline)).toEqual([
      'slow_window',
      'max_age',
    ]);
  });

  it('TRPC-NAV counts what is pending, unwell and not closed', async () => {
    const { viewer, page } = await start({ runs: true, answer: () => 500 });
    const endpoint = await world.addEndpoint();
    for (let n = 0; n < 5; n += 1) await world.publish();
    await world.run(100);
    expect(await viewer.nav.counts(page)).toEqual({
      pending: { count: 5, capped: false },
      endpoints: 1,
      endpoints_unwell: 1,
      breakers_not_closed: 1,
    });
    expect(await viewer.endpoints.pending({ ...page, endpointId: endpoint.publicId })).toEqual({
      count: 5,
      capped: false,
    });
  });

  it('TRPC-BREAKER R-BRK-8 the breaker explained; support sees all that are not closed and resets', async () => {
    const { viewer, as, page, admin } = await start({ runs: true, answer: () => 500 });
    const endpoint = await world.addEndpoint();
    for (let n = 0; n < 6; n += 1) await world.publish();
    await world.run(10_000);
    await world.engine.stop();
    const [listed] = await viewer.breakers.list(page);
    const breakerId = listed?.id ?? '';
    const detail = await viewer.breakers.get({ ...page, breakerId });
    expect(detail).toMatchObject({
      breaker: { state: 'open', held: 6 },
      endpoint: { id: endpoint.publicId },
      thresholds: { minAttempts: 5, failureRatio: 0.8, pausesMs: [300_000, 600_000, 1_200_000, 1_800_000] },
    });
    expect(detail.openedBy.length).toBeGreaterThanOrEqual(4);
    expect(detail.heldSince).not.toBeNull();
    const support = as(person(null, { platformRole: 'support' }));
    const all = await support.support.breakers();
    expect(all.map((row) => [row.breaker.id, row.app.id])).toEqual([[breakerId, world.app.publicId]]);
    expect((await support.breakers.get({ ...page, breakerId })).breaker.id).toBe(breakerId);
    await expect(viewer.support.breakers()).rejects.toEqual(refused('forbidden'));
    await expect(admin.breakers.reset({ ...page, breakerId, reason: 'x' })).rejects.toEqual(
      refused('forbidden'),
    );
    const operator = as(person(null, { platformRole: 'operator' }));
    await expect(operator.breakers.get({ ...page, breakerId })).rejects.toEqual(refused('not_found'));
    const closed = await support.breakers.reset({ ...page, breakerId, reason: 'Agreed by phone' });
    expect(closed.state).toBe('closed');
    expect(await support.support.breakers()).toEqual([]);
    await expect(support.deliveries.list(page)).rejects.toEqual(refused('not_found'));
  });
});

describe('changes by the console', () => {
  it('TRPC-ENDPOINTS an admin creates, edits and deletes; a developer tests and resends; a viewer reads', async () => {
    const { as, page, admin, viewer } = await start({ runs: true, answer: () => 204 });
    const developer = as(person('developer'));
    const made = await admin.endpoints.create({ ...page, url: 'https://shop.example.com/in?k=1' });
    expect(made.secret).toMatch(/^whsec_/);
    const named = { ...page, endpointId: made.id };
    expect((await viewer.endpoints.get(named)).url).toBe('https://shop.example.com/in?…');
    expect((await developer.endpoints.get(named)).url).toBe('https://shop.example.com/in?k=1');
    expect(await viewer.endpoints.list(page)).toHaveLength(1);
    await expect(developer.endpoints.update({ ...named, description: 'x' })).rejects.toEqual(
      refused('forbidden'),
    );
    expect((await admin.endpoints.update({ ...named, description: 'x' })).description).toBe('x');
    await expect(viewer.endpoints.sendTest(named)).rejects.toEqual(refused('forbidden'));
    expect(await developer.endpoints.sendTest(named)).toMatchObject({ ok: true, status_code: 204 });
    const event = await world.publish();
    await world.settle();
    const again = await developer.deliveries.resend({ ...page, eventId: event.publicId });
    expect(again.deliveries[0]).toMatchObject({ cycle: 2 });
    await expect(viewer.deliveries.resend({ ...page, eventId: event.publicId })).rejects.toEqual(
      refused('forbidden'),
    );
    expect(await admin.endpoints.remove(named)).toEqual({ deleted_deliveries: 2 });
  });

  it('D01 D02 another organization’s app and objects are not found, and one environment does not show the other', async () => {
    const { as, page } = await start();
    const endpoint = await world.addEndpoint();
    const stranger = as(person('owner', { organizationId: OTHER_ORGANIZATION }));
    await expect(stranger.deliveries.list(page)).rejects.toEqual(refused('not_found'));
    await expect(stranger.endpoints.remove({ ...page, endpointId: endpoint.publicId })).rejects.toEqual(
      refused('not_found'),
    );
    const live = { ...page, environment: 'live' as const };
    await expect(
      as(person('owner')).endpoints.get({ ...live, endpointId: endpoint.publicId }),
    ).rejects.toEqual(refused('not_found'));
  });
});

describe('over HTTP', () => {
  const origin = 'https://hooks.local.example';
  const caller = (actor: Actor | null = person('admin')) => ({
    actor,
    deps: world.deps,
    requestId: 'req_http',
  });
  const request = (path: string, init: RequestInit = {}) => new Request(`${origin}/api/trpc/${path}`, init);
  const input = (value: unknown) => encodeURIComponent(JSON.stringify({ json: value }));

  it('TRPC-HTTP answers queries, and errors without a stack but with code and request id', async () => {
    const { page } = await start();
    const good = await trpcHandler(request(`endpoints.list?input=${input(page)}`), caller());
    expect(good.status).toBe(200);
    expect(good.headers.get('x-request-id')).toBe('req_http');
    expect(good.headers.get('cache-control')).toContain('no-store');
    const bad = await trpcHandler(
      request(`endpoints.list?input=${input({ ...page, appId: 'nonsense' })}`),
      caller(),
    );
    expect(bad.status).toBe(404);
    const { error } = await bad.json();
    expect(error.json.data).toMatchObject({ serviceCode: 'not_found', requestId: 'req_http' });
    expect(error.json.data.stack).toBeUndefined();
    const invalid = await trpcHandler(
      request(`endpoints.list?input=${input({ ...page, environment: 'prod' })}`),
      caller(),
    );
    expect(invalid.status).toBe(400);
    expect((await invalid.json()).error.json.data).toMatchObject({
      serviceCode: 'invalid_request',
      details: [{ path: 'environment' }],
    });
    expect((await trpcHandler(request('nothing.here'), caller())).status).toBe(404);
    expect((await trpcHandler(request(`endpoints.list?input=${input(page)}`), caller(null))).status).toBe(
      401,
    );
  });

  it('D38 a bug is internal, without its words', async () => {
    const { page } = await start();
    world.deps.store = {
      ...world.store,
      read: { ...world.store.read, app: async () => Promise.reject(new Error('SQL!')) },
    };
    const response = await trpcHandler(request(`endpoints.list?input=${input(page)}`), caller());
    const text = await response.text();
    expect(response.status).toBe(500);
    expect(text).not.toContain('SQL!');
    expect(text).toContain('internal');
    expect(world.lines).toContainEqual(expect.objectContaining({ event: 'trpc.failed' }));
  });

  it('D15 mutations refuse GET, forms, plain text and other sites, and nothing changes', async () => {
    const { page } = await start();
    const value = { ...page, url: 'https://shop.example.com/' };
    const body = JSON.stringify({ json: value });
    const json = { 'content-type': 'application/json' };
    const post = (headers: Record<string, string>) =>
      trpcHandler(request('endpoints.create', { method: 'POST', body, headers }), caller());
    const refusals = [
      await trpcHandler(request(`endpoints.create?input=${input(value)}`), caller()),
      await post({ 'content-type': 'text/plain' }),
      await post({ 'content-type': 'application/x-www-form-urlencoded' }),
      await post({ ...json, 'sec-fetch-site': 'cross-site' }),
      await post({ ...json, 'sec-fetch-site': 'same-site' }),
      await post({ ...json, origin: 'https://evil.example' }),
      await post({ ...json, origin: 'null' }),
    ];
    expect(refusals.map((response) => response.status)).toEqual([405, 415, 415, 403, 403, 403, 403]);
    expect(await world.store.read.endpoints({ appId: world.app.id, environment: 'test' })).toEqual([]);
    expect((await post({ ...json, 'sec-fetch-site': 'same-origin', origin })).status).toBe(200);
  });

  it('API-503 a store that is busy is unavailable here too', async () => {
    const { page } = await start();
    const busy = async () => Promise.reject(new StoreUnavailable('busy', new Error('SQLITE_BUSY')));
    world.deps.store = { ...world.store, read: { ...world.store.read, app: busy } };
    const response = await trpcHandler(request(`endpoints.list?input=${input(page)}`), caller());
    expect(response.status).toBe(503);
    expect((await response.json()).error.json.data).toMatchObject({
      serviceCode: 'unavailable',
      retryAfterS: 1,
    });
  });

  it('TRPC-LIVE streams ticks over SSE until the reader goes', async () => {
    const { page } = await start();
    const abort = new AbortController();
    const response = await trpcHandler(
      request(`live.changes?input=${input(page)}`, {
        signal: abort.signal,
        headers: { accept: 'text/event-stream' },
      }),
      caller(),
    );
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    const until = async (word: string) => {
      while (!text.includes(word)) text += (await reader?.read())?.value ?? word;
    };
    await until('connected');
    await world.clock.settle();
    await world.publish();
    await until('\nid: ');
    expect(text).toContain('published');
    abort.abort();
    await reader?.cancel().catch(() => undefined);
  });

  it('O33 D28 a batch has at most 20 calls, checked before anything is routed', async () => {
    await start();
    const many = (n: number) => `${Array.from({ length: n }, () => 'me.get').join(',')}?batch=1&input=%7B%7D`;
    expect((await trpcHandler(request(many(20)), caller())).status).toBe(200);
    expect((await trpcHandler(request(many(21)), caller())).status).toBe(400);
    expect((await trpcHandler(request(`${','.repeat(5_000)}?batch=1`), caller())).status).toBe(400);
    expect((await trpcHandler(request(`me.get?x=${'y'.repeat(9_000)}`), caller())).status).toBe(414);
    expect(
      (await trpcHandler(request(`me.get%2Cme.get`.repeat(30)), caller())).status,
    ).toBeGreaterThanOrEqual(400);
  });
});

describe('live ticks', () => {
  it('D09 TRPC-LIVE a stream asks who it is by now, and ends when the membership is gone', async () => {
    const { page } = await start();
    let actor: Actor | null = person('viewer');
    const caller = createCaller({
      actor,
      requestId: 'r',
      deps: world.deps,
      refreshActor: async () => actor,
    });
    const stream = await caller.live.changes(page);
    const reading = (async () => {
      for await (const _tick of stream);
    })().then(
      () => null,
      (error: unknown) => error,
    );
    await world.clock.advance(3_000);
    actor = person('viewer', { organizationId: OTHER_ORGANIZATION });
    await world.clock.advance(1_000);
    expect(await reading).toMatchObject({ code: 'not_found' });
  });

  it('TRPC-LIVE one tick at once, then at most one every 250 ms, of the page’s scope alone', async () => {
    const { page } = await start();
    await world.addEndpoint();
    const abort = new AbortController();
    const admit = () =>
      watch.call({ actor: person('viewer'), deps: world.deps, requestId: 'r' }, { ...page, input: {} });
    const got: { kinds: string[]; at: number }[] = [];
    const from = world.clock.now();
    const reading = (async () => {
      for await (const tick of ticks({ deps: world.deps, admit, signal: abort.signal })) got.push(tick);
    })();
    await world.clock.settle();
    await world.publish({ environment: 'live' });
    await world.clock.settle();
    expect(got).toEqual([]);
    for (let n = 0; n < 10; n += 1) {
      await world.publish();
      await world.clock.advance(50);
    }
    expect(got.map((tick) => tick.at - from)).toEqual([0, 250, 500]);
    expect(got[0]?.kinds).toEqual(['published']);
    abort.abort();
    await world.clock.settle();
    await reading;
    expect(world.clock.pending).toBe(0);
  });

  it('D09 TRPC-LIVE a stream ends within a second once the person may not watch any more', async () => {
    await start();
    let allowed = true;
    const admit = async () => {
      if (!allowed) throw new Error('not any more');
      return { appId: world.app.id, environment: 'test' as const };
    };
    const reading = (async () => {
      for await (const _tick of ticks({ deps: world.deps, admit, signal: undefined }));
    })().then(
      () => 'ended',
      (error: Error) => error.message,
    );
    await world.clock.advance(5_000);
    allowed = false;
    await world.clock.advance(1_000);
    expect(await reading).toBe('not any more');
  });
});
