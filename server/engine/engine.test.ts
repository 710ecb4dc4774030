import { afterEach, expect, it } from 'vitest';
import { PRESETS } from '@/server/core/policy';
import { describeOnEach } from '@/server/testing/dialects';
import { createWorld } from '@/server/testing/world';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

let world: Awaited<ReturnType<typeof createWorld>>;
afterEach(() => world.close());

const firstId = (event: { deliveries: readonly { id: number }[] }) => event.deliveries[0]?.id ?? 0;

describeOnEach('engine', () => {
  it('R-PUB-6 publish: the attempt has started, and is settled, with no timer advanced', async () => {
    world = await createWorld();
    await world.addEndpoint();
    world.engine.start();
    await world.settle();
    const event = await world.publish();
    await world.settle();
    expect(world.sent).toHaveLength(1);
    expect(await world.delivery(firstId(event))).toMatchObject({
      status: 'delivered',
      attempts: 1,
      reason: null,
    });
  });

  it('R-DEL-3 order is not promised: a later event overtakes one that waits for its retry, and created_at tells them apart', async () => {
    world = await createWorld({ answer: (_, nth) => (nth === 1 ? 503 : 204) });
    await world.addEndpoint();
    world.engine.start();
    await world.publish({ data: '{"n":1}' });
    await world.run(SECOND);
    await world.publish({ data: '{"n":2}' });
    await world.run(MINUTE);
    const arrived = world.sent
      .slice(1)
      .map(({ request }) => JSON.parse(Buffer.from(request.body).toString()));
    expect(arrived.map(({ data }) => data.n)).toEqual([2, 1]);
    expect(arrived[1].created_at < arrived[0].created_at).toBe(true);
  });

  it('R-DEL-8 one endpoint of ten hangs: the deliveries of the other nine arrive with no timer advanced', async () => {
    world = await createWorld({
      answer: ({ request }) => (request.url.endsWith('/hang') ? { hang: true } : 204),
    });
    for (let n = 0; n < 10; n += 1) {
      await world.addEndpoint({ url: `https://hooks.example.com/${n === 4 ? 'hang' : n}` });
    }
    world.engine.start();
    for (let n = 0; n < 20; n += 1) await world.publish();
    await world.settle();
    await world.settle();
    const healthy = world.sent.filter(({ request }) => !request.url.endsWith('/hang'));
    expect(healthy).toHaveLength(9 * 20);
    expect(world.sent).toHaveLength(9 * 20 + 1);
    expect(world.fake.open).toBe(1);
  });

  it('R-DEL-8 slow start: an endpoint grows from one slot to its cap and never beyond', async () => {
    world = await createWorld({ answer: () => ({ status: 200, afterMs: 100 }) });
    await world.addEndpoint({ concurrency: 8 });
    world.engine.start();
    for (let n = 0; n < 60; n += 1) await world.publish();
    const opened: number[] = [];
    for (let step = 0; step < 6; step += 1) {
      await world.settle();
      opened.push(world.fake.open);
      await world.run(100);
    }
    // Both ends of the second wave double what is allowed.
    expect(opened).toEqual([1, 2, 8, 8, 8, 8]);
    expect(world.fake.mostOpen).toBe(8);
  });

  it('R-DEL-8 the cap of an endpoint holds over two engines', async () => {
    world = await createWorld({ answer: () => ({ status: 200, afterMs: 100 }) });
    const other = world.newEngine();
    await world.addEndpoint({ concurrency: 3 });
    world.engine.start();
    other.start();
    for (let n = 0; n < 40; n += 1) await world.publish();
    await world.run(3 * SECOND);
    expect(world.sent).toHaveLength(40);
    expect(world.fake.mostOpen).toBe(3);
    await other.stop();
  });

  it('R-DEL-2 two engines on one store send each delivery once', async () => {
    world = await createWorld({ answer: () => ({ status: 200, afterMs: 50 }) });
    const other = world.newEngine();
    await world.addEndpoint({ concurrency: 64 });
    world.engine.start();
    other.start();
    for (let n = 0; n < 200; n += 1) await world.publish();
    await world.run(5 * SECOND);
    const bodies = world.sent.map(({ request }) => Buffer.from(request.body).toString());
    expect(bodies).toHaveLength(200);
    expect(new Set(bodies).size).toBe(200);
    await other.stop();
  });

  it('R-BRK-3 while a breaker is open one delivery goes at a time, across engines, and rotates', async () => {
    world = await createWorld({ policy: PRESETS['two-ladder'], answer: () => 503 });
    const other = world.newEngine();
    await world.addEndpoint();
    world.engine.start();
    other.start();
    for (let n = 0; n < 30; n += 1) await world.publish();
    await world.run(MINUTE);
    const sentBefore = world.sent.length;
    const [breaker] = await world.store.read.breakers('not_closed');
    expect(breaker?.state).toBe('open');
    const openedBy = await world.store.read.attemptsByIds(breaker?.openedBy ?? []);
    expect(openedBy.length).toBeGreaterThanOrEqual(5);
    expect(Math.max(...openedBy.map(({ endedAt }) => endedAt))).toBe(breaker?.openedAt);
    await world.run(2 * HOUR);
    const probes = world.sent.slice(sentBefore);
    const start = world.sent[sentBefore - 1]?.at ?? 0;
    expect(probes.map(({ at }) => Math.round((at - start) / MINUTE))).toEqual([5, 15, 35, 65, 95]);
    const bodies = new Set(probes.map(({ request }) => Buffer.from(request.body).toString()));
    expect(bodies.size).toBe(probes.length);
    expect(world.fake.mostOpen).toBeLessThanOrEqual(8);
    await other.stop();
  });

  it('R-BRK-4 R-BRK-5 when the probe is answered the queue drains at once and no attempt was spent on holding', async () => {
    let alive = false;
    world = await createWorld({ policy: PRESETS['two-ladder'], answer: () => (alive ? 204 : 503) });
    await world.addEndpoint();
    world.engine.start();
    const events = [];
    for (let n = 0; n < 20; n += 1) events.push(await world.publish());
    await world.run(4 * MINUTE);
    const late = await world.publish();
    await world.settle();
    expect(await world.delivery(firstId(late))).toMatchObject({ status: 'pending', attempts: 0 });
    alive = true;
    await world.run(2 * MINUTE);
    for (const event of [...events, late]) {
      expect((await world.delivery(firstId(event))).status).toBe('delivered');
    }
    expect(await world.delivery(firstId(late))).toMatchObject({ attempts: 1, fast: 0 });
    expect(await world.store.read.breakers('not_closed')).toEqual([]);
  });

  it('R-ATT-9 a secret that does not open gates its endpoint: nothing is sent, nothing counted, and it drains when it opens', async () => {
    world = await createWorld();
    let opens = false;
    const { open } = world.secretBox;
    world.secretBox.open = (sealed, identity) =>
      opens ? open.call(world.secretBox, sealed, identity) : { ok: false, why: 'unknown_key' };
    const endpoint = await world.addEndpoint();
    world.engine.start();
    const event = await world.publish();
    await world.run(10 * MINUTE);
    expect(world.sent).toHaveLength(0);
    expect(await world.delivery(firstId(event))).toMatchObject({
      status: 'pending',
      attempts: 0,
      fast: 0,
      lease: null,
    });
    const gated = await world.store.read.endpointById(endpoint.id);
    expect(gated).toMatchObject({ failingSince: null, consecutiveFailures: 0 });
    expect(gated?.unsignedSince).not.toBeNull();
    opens = true;
    await world.run(MINUTE + SECOND);
    expect(world.sent).toHaveLength(1);
    expect((await world.delivery(firstId(event))).status).toBe('delivered');
    expect((await world.store.read.endpointById(endpoint.id))?.unsignedSince).toBeNull();
  });

  it('R-DEL-11 O17 an error of ours in the send path is an unknown end of class internal: retried, nobody blamed', async () => {
    let broken = true;
    world = await createWorld();
    const engine = world.newEngine({
      dispatcher: {
        send: (request) => {
          if (broken) throw new TypeError('a bug of ours');
          return world.fake.dispatcher.send(request);
        },
        close: async () => undefined,
      },
    });
    const endpoint = await world.addEndpoint();
    engine.start();
    const event = await world.publish();
    await world.run(2 * SECOND);
    const row = await world.delivery(firstId(event));
    expect(row).toMatchObject({
      status: 'pending',
      fast: 0,
      slow: 0,
      lastErrorClass: 'internal',
      lastOutcome: 'unknown',
    });
    expect(await world.store.read.endpointById(endpoint.id)).toMatchObject({
      failingSince: null,
      consecutiveFailures: 0,
    });
    broken = false;
    await world.run(HOUR);
    expect((await world.delivery(firstId(event))).status).toBe('delivered');
    await engine.stop();
  });

  it('R-DEL-11 a lease whose engine died is collected: recorded as unknown of class lost, tried again, no budget spent', async () => {
    world = await createWorld();
    const endpoint = await world.addEndpoint();
    const event = await world.publish();
    const dead = await world.store.claim({
      now: world.clock.now(),
      slots: 8,
      endpointSlots: () => 8,
      endpointConcurrency: 8,
      leaseMs: () => 30_000,
      token: () => 'dead-engine',
      suspects: 1,
      afterAppId: 0,
    });
    expect(dead.claims).toHaveLength(1);
    world.engine.start();
    await world.run(29 * SECOND);
    expect(world.sent).toHaveLength(0);
    await world.run(7 * SECOND);
    expect(world.sent).toHaveLength(1);
    const row = await world.delivery(firstId(event));
    expect(row).toMatchObject({ status: 'delivered', attempts: 2, fast: 0, unknowns: 0 });
    const attempts = await world.store.read.attempts(row.id);
    expect(attempts.map(({ number, outcome, errorClass }) => ({ number, outcome, errorClass }))).toEqual([
      { number: 1, outcome: 'unknown', errorClass: 'lost' },
      { number: 2, outcome: 'delivered', errorClass: null },
    ]);
    expect(await world.store.read.endpointById(endpoint.id)).toMatchObject({ failingSince: null });
  });

  it('R-DEL-2 P10 an engine that wakes after its lease was taken settles nothing but a 2xx, and completes its record', async () => {
    world = await createWorld({ policy: PRESETS.schedule, answer: () => 500 });
    await world.addEndpoint();
    const event = await world.publish();
    const claimed = await world.store.claim({
      now: world.clock.now(),
      slots: 1,
      endpointSlots: () => 1,
      endpointConcurrency: 8,
      leaseMs: () => 30_000,
      token: () => 'paused-engine',
      suspects: 1,
      afterAppId: 0,
    });
    const claim = claimed.claims[0];
    if (!claim) throw new Error('nothing claimed');
    world.engine.start();
    await world.run(36 * SECOND);
    const before = await world.delivery(firstId(event));
    expect(before).toMatchObject({ status: 'pending', fast: 1 });
    const { decider } = await import('@/server/core/decide');
    const late = (statusCode: number) => ({
      ...claim,
      end: { kind: 'answered' as const, statusCode, retryAfter: [], location: null },
      startedAt: world.clock.now() - 36_000,
      endedAt: world.clock.now(),
      durationMs: 36_000,
      timing: { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null },
      address: null,
      retriedStale: false,
    });
    await world.store.settle([late(503)], decider, () => 0);
    expect(await world.delivery(firstId(event))).toMatchObject({
      status: 'pending',
      fast: 1,
      dueAt: before.dueAt,
    });
    await world.store.settle([late(200)], decider, () => 0);
    expect(await world.delivery(firstId(event))).toMatchObject({ status: 'delivered' });
  });

  it('R-DEL-11 O13 a graceful stop gives back what was not sent, cuts off what outlives the grace, and settles the rest', async () => {
    world = await createWorld({
      answer: ({ request }) =>
        request.url.endsWith('/slow') ? { status: 200, afterMs: 3_000 } : { hang: true },
      policy: { ...PRESETS.standard, timeoutMs: 30_000 },
    });
    await world.addEndpoint({ url: 'https://hooks.example.com/slow', concurrency: 1 });
    await world.addEndpoint({ url: 'https://hooks.example.com/hang', concurrency: 1 });
    world.engine.start();
    const first = await world.publish();
    const second = await world.publish();
    await world.settle();
    expect(world.fake.open).toBe(2);
    const stopped = world.engine.stop();
    await world.run(12 * SECOND);
    await stopped;
    const [slow, hang] = await Promise.all(first.deliveries.map(({ id }) => world.delivery(id)));
    expect(slow).toMatchObject({ status: 'delivered', lease: null });
    expect(hang).toMatchObject({ status: 'pending', lastErrorClass: 'lost', fast: 0, lease: null });
    for (const { id } of second.deliveries) {
      expect(await world.delivery(id)).toMatchObject({ status: 'pending', attempts: 0, lease: null });
    }
  });

  it('R-RES-3 a test send passes an open breaker at once and its answer makes the probe due', async () => {
    let alive = false;
    world = await createWorld({ policy: PRESETS.standard, answer: () => (alive ? 200 : 503) });
    const endpoint = await world.addEndpoint();
    world.engine.start();
    const events = [];
    for (let n = 0; n < 6; n += 1) events.push(await world.publish());
    await world.run(10 * SECOND);
    expect((await world.store.read.breakers('not_closed'))[0]?.state).toBe('open');
    alive = true;
    const before = world.sent.length;
    const test = await world.publish({ type: 'webhook.test', testEndpointId: endpoint.id });
    await world.settle();
    await world.settle();
    expect(world.sent.length).toBeGreaterThan(before);
    expect((await world.delivery(firstId(test))).status).toBe('delivered');
    await world.settle();
    expect(await world.store.read.breakers('not_closed')).toEqual([]);
    for (const event of events) expect((await world.delivery(firstId(event))).status).toBe('delivered');
  });

  it('R-ATT-6 an edited URL takes the pending retries along, and each attempt keeps the URL it used', async () => {
    world = await createWorld({ answer: ({ request }) => (request.url.endsWith('/old') ? 500 : 200) });
    const endpoint = await world.addEndpoint({ url: 'https://hooks.example.com/old' });
    world.engine.start();
    const event = await world.publish();
    await world.settle();
    await world.store.transact((tx) =>
      tx.updateEndpoint(endpoint.id, { url: 'https://hooks.example.com/new' }, world.clock.now()),
    );
    await world.run(MINUTE);
    const attempts = await world.store.read.attempts(firstId(event));
    expect(attempts.map(({ url, outcome }) => [url, outcome])).toEqual([
      ['https://hooks.example.com/old', 'unavailable'],
      ['https://hooks.example.com/new', 'delivered'],
    ]);
  });

  it('R-FAIL-4 a delivery whose endpoint is switched off when its turn comes is skipped', async () => {
    world = await createWorld({ answer: () => 500 });
    const endpoint = await world.addEndpoint();
    world.engine.start();
    const event = await world.publish();
    await world.settle();
    await world.store.transact((tx) =>
      tx.updateEndpoint(endpoint.id, { status: 'disabled' }, world.clock.now()),
    );
    await world.run(2 * MINUTE);
    expect(world.sent).toHaveLength(1);
    expect(await world.delivery(firstId(event))).toMatchObject({
      status: 'skipped',
      reason: 'endpoint_disabled',
    });
  });

  it('R-LAD-4 R-BRK-9 a delivery held for 30 days ends failed/too_old without a sender', async () => {
    world = await createWorld({
      policy: PRESETS['two-ladder'],
      answer: () => 503,
      // A month in turns of 5 s is half a million of them; what is due wakes the loop all the same.
      engine: { longestSleepMs: HOUR },
    });
    await world.addEndpoint();
    world.engine.start();
    for (let n = 0; n < 200; n += 1) await world.publish();
    const event = await world.publish();
    await world.run(30 * 24 * HOUR - MINUTE);
    expect((await world.delivery(firstId(event))).status).toBe('pending');
    await world.run(HOUR + 15 * MINUTE);
    expect(await world.delivery(firstId(event))).toMatchObject({ status: 'failed', reason: 'too_old' });
  }, 300_000);
});
