import { AssertionError } from 'node:assert';
import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildEnvelope } from '@/server/core/envelope';
import { makeId } from '@/server/core/ids';
import { ladderAttempts, type Policy, PRESETS } from '@/server/core/policy';
import type { Dispatch, Dispatcher } from '@/server/ports/dispatcher';
import type { EndpointRow } from '@/server/ports/records';
import type { PublishUnit, Store } from '@/server/ports/store';
import { createFakeClock, type FakeClock } from '@/server/testing/fake-clock';
import { type Answer, createFakeDispatcher, type SentRequest } from '@/server/testing/fake-dispatcher';
import {
  createFaultyStore,
  type Injection,
  STORE_CALLS,
  type StoreCall,
} from '@/server/testing/faulty-store';
import { createLedger } from '@/server/testing/simulation/ledger';
import { createTestStore } from '@/server/testing/temp-store';
import { createWorld } from '@/server/testing/world';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Four fast attempts, three slow ones, a breaker that opens: every path of the engine in a few minutes. */
const POLICY: Policy = {
  ...PRESETS['two-ladder'],
  ladder: { kind: 'schedule', waitsMs: [SECOND, 2 * SECOND, 4 * SECOND], jitter: 0 },
  slowLadder: { kind: 'schedule', waitsMs: [5 * SECOND, 10 * SECOND], jitter: 0 },
  breaker: {
    scope: 'endpoint',
    windowMs: 5 * MINUTE,
    minAttempts: 5,
    failureRatio: 0.8,
    pauseMs: 10 * SECOND,
    maxPauseMs: 20 * SECOND,
  },
};
const FAST = ladderAttempts(POLICY.ladder);

const RECEIVERS = ['alive', 'flaky', 'dead', 'rejects', 'returns', 'leaves', 'unsigned'] as const;
type Receiver = (typeof RECEIVERS)[number];

const EVENTS = 2;
const LONGEST_MS = 30 * MINUTE;

interface Faults {
  store?: (call: StoreCall, nth: number) => Injection | null;
  dispatcher?: (dispatcher: Dispatcher) => Dispatcher;
}

const unhandled: unknown[] = [];
const noteUnhandled = (error: unknown) => void unhandled.push(error);
beforeAll(() => void process.on('unhandledRejection', noteUnhandled));
afterAll(() => void process.off('unhandledRejection', noteUnhandled));

let close: (() => Promise<void>) | null = null;
afterEach(async () => {
  await close?.();
  close = null;
});

/** Receivers whose answers are many and mixed; what they do never depends on what is injected. */
function answers(clock: FakeClock): (sent: SentRequest) => Answer {
  const bootedAt = clock.now();
  const seen = new Map<string, number>();
  return ({ request }) => {
    const key = `${request.url} ${Buffer.from(request.body)}`;
    const nth = (seen.get(key) ?? 0) + 1;
    seen.set(key, nth);
    switch (receiverOf(request.url)) {
      case 'flaky':
        return nth < 3 ? 503 : 204;
      case 'dead':
        return { status: 503, afterMs: 100 };
      case 'rejects':
        return 400;
      case 'returns':
        return clock.now() - bootedAt < 5 * SECOND ? 'reset' : { status: 200, afterMs: 200 };
      case 'leaves':
        return { status: 503, afterMs: 300 };
      case 'alive':
      case 'unsigned':
        return { status: 200, afterMs: 20 };
    }
  };
}

function receiverOf(url: string): Receiver {
  const name = url.slice(url.lastIndexOf('/') + 1);
  const found = RECEIVERS.find((receiver) => receiver === name);
  if (found === undefined) throw new Error(`no receiver ${name}`);
  return found;
}

/** A merchant or publisher who asks again until the answer comes. */
async function insistently<R>(clock: FakeClock, ask: () => Promise<R>): Promise<R> {
  for (;;) {
    try {
      return await ask();
    } catch {
      await new Promise<void>((resolve) => clock.setTimer(clock.now() + 500, resolve));
    }
  }
}

function unitOf(at: { appId: number; publicId: string; n: number; now: number }): PublishUnit {
  const { appId, publicId, n, now } = at;
  const type = n % 2 === 0 ? 'payment.status_changed' : 'order.created';
  const data = Buffer.from(JSON.stringify({ n, text: 'сүх 🪓', rate: 1.0 }));
  const body = buildEnvelope({ id: publicId, type, environment: 'test', createdAt: now, data });
  return {
    records: [
      {
        appId,
        environment: 'test',
        publicId,
        type,
        body,
        contentType: 'application/json',
        bodySha256: createHash('sha256').update(body).digest('hex'),
        createdAt: now,
        occurredAt: null,
        money: n % 2 === 0,
        amount: null,
        currency: null,
        exponent: null,
        resource: null,
        testEndpointId: null,
        actor: null,
      },
    ],
    idempotency: {
      appId,
      environment: 'test',
      key: `key-${n}`,
      contentHash: `${n}`,
      createdAt: now,
      answer: (events) => ({ status: 201, body: events[0]?.publicId ?? '' }),
    },
  };
}

/** The same small installation each time; what is injected meets the engine, the publisher and the merchant. */
async function build(faults: Faults) {
  const clock = createFakeClock();
  const ledger = createLedger(() => clock.now());
  const fake = createFakeDispatcher(clock, answers(clock));
  const real = await createTestStore();
  const store = createFaultyStore(real, faults.store ?? (() => null));
  const world = await createWorld({ store: real, clock, policy: POLICY });
  const endpoints = new Map<Receiver, EndpointRow>();
  for (const name of RECEIVERS) {
    endpoints.set(name, await world.addEndpoint({ url: `https://hooks.example.com/${name}` }));
  }
  const opensAt = clock.now() + 10 * SECOND;
  const { open } = world.secretBox;
  world.secretBox.open = (sealed, identity) =>
    identity.includes(`/${endpoints.get('unsigned')?.id}/`) && clock.now() < opensAt
      ? { ok: false, why: 'unknown_key' }
      : open.call(world.secretBox, sealed, identity);
  const { createSigner } = await import('./signer');
  const engine = world.newEngine({
    store,
    signer: ledger.signer(
      createSigner({
        secretBox: world.secretBox,
        userAgent: 'Hookladder/1',
        spanId: () => '00f067aa0ba902b7',
      }),
    ),
    dispatcher: ledger.dispatcher(faults.dispatcher?.(fake.dispatcher) ?? fake.dispatcher),
    options: {
      concurrency: 64,
      endpointConcurrency: 4,
      leaseMs: () => 30_000,
      maxLeaseMs: 50_000,
      longestSleepMs: 20_000,
      graceMs: 12_000,
    },
  });
  close = async () => {
    const stopped = engine.stop();
    await world.run(MINUTE);
    await stopped;
    await world.close();
  };
  return { world, clock, store, ledger, endpoints, engine };
}

type Built = Awaited<ReturnType<typeof build>>;

/** Publishes, then a merchant switches off an endpoint whose retries wait. Returns what was acknowledged. */
async function story({ world, clock, store, endpoints }: Built): Promise<readonly string[]> {
  const acknowledged: string[] = [];
  for (let n = 0; n < EVENTS; n += 1) {
    const publicId = makeId('evt', clock.now(), world.random.bytes(10));
    const result = await insistently(clock, () =>
      store.publish(unitOf({ appId: world.app.id, publicId, n, now: clock.now() })),
    );
    if (result.kind === 'conflict') throw new Error('its own key is in its way');
    acknowledged.push(result.kind === 'replayed' ? result.body : (result.events[0]?.publicId ?? ''));
  }
  const leaves = endpoints.get('leaves')?.id ?? 0;
  await new Promise<void>((resolve) => clock.setTimer(clock.now() + 1_500, resolve));
  await insistently(clock, () =>
    store.transact((tx) => tx.updateEndpoint(leaves, { status: 'disabled' }, clock.now())),
  );
  return acknowledged;
}

async function rowsOf(store: Store, acknowledged: readonly string[]) {
  const ids: number[] = [];
  for (const publicId of acknowledged) ids.push((await store.read.event(publicId))?.id ?? 0);
  return store.read.deliveriesOfEvents(ids);
}

/** What must hold after every pass, whatever was injected. */
async function check(built: Built, acknowledged: readonly string[]): Promise<void> {
  const { store, ledger, world, engine, clock, endpoints } = built;
  const rows = await rowsOf(store, acknowledged);
  // Conservation: three events to seven endpoints, each once.
  expect(new Set(acknowledged).size).toBe(EVENTS);
  expect(rows).toHaveLength(EVENTS * RECEIVERS.length);
  const all = await store.read.deliveries({ appId: world.app.id, environment: 'test', limit: 100 });
  expect(all).toHaveLength(rows.length);

  const sent = new Map<string, number>();
  for (const { claim, request } of ledger.requests) {
    const key = `${claim.deliveryId}#${claim.number}`;
    sent.set(key, (sent.get(key) ?? 0) + 1);
    const stored = (await store.read.eventById(claim.eventId))?.body;
    expect(Buffer.from(request.body).equals(Buffer.from(stored ?? []))).toBe(true);
  }
  expect([...sent.values()].filter((count) => count > 1)).toEqual([]);

  for (const row of rows) {
    const what = `${receiverOf(row.endpointUrl ?? '')} ${row.id}`;
    const attempts = await store.read.attempts(row.id);
    const requests = ledger.requests.filter(({ claim }) => claim.deliveryId === row.id);
    expect(row.lease, what).toBeNull();
    expect(
      attempts.map(({ number }) => number),
      what,
    ).toEqual(Array.from({ length: row.attempts }, (_, n) => n + 1));
    const steps = (ladder: 'fast' | 'slow') =>
      attempts.filter((attempt) => attempt.ladder === ladder).map(({ step }) => step);
    expect(steps('fast'), what).toEqual(Array.from({ length: row.fast }, (_, n) => n + 1));
    expect(steps('slow'), what).toEqual(Array.from({ length: row.slow }, (_, n) => n + 1));
    const taken = requests.some(({ end }) => end?.kind === 'answered' && end.statusCode < 300);
    expect(row.firstDeliveredAt !== null, what).toBe(taken);
    const receiver = receiverOf(row.endpointUrl ?? '');
    switch (receiver) {
      case 'alive':
      case 'flaky':
      case 'returns':
      case 'unsigned':
        expect(row, what).toMatchObject({ status: 'delivered' });
        break;
      case 'dead':
        expect(row, what).toMatchObject({ status: 'failed', reason: 'exhausted', fast: FAST });
        expect(requests.length, what).toBeLessThanOrEqual(FAST + 1);
        break;
      case 'rejects':
        expect(row, what).toMatchObject(
          row.money ? { status: 'failed', reason: 'exhausted', slow: 3 } : { reason: 'rejected', fast: 0 },
        );
        break;
      case 'leaves':
        expect(['skipped', 'failed'], what).toContain(row.status);
        break;
      default:
        receiver satisfies never;
    }
  }

  for (const name of ['alive', 'unsigned'] as const) {
    const health = await store.read.endpointById(endpoints.get(name)?.id ?? 0);
    expect(health, name).toMatchObject({ failingSince: null, consecutiveFailures: 0, unsignedSince: null });
  }

  // The loop is alive: what is published now goes out.
  const before = ledger.requests.length;
  const publicId = makeId('evt', clock.now(), world.random.bytes(10));
  void insistently(clock, () =>
    store.publish(unitOf({ appId: world.app.id, publicId, n: 99, now: clock.now() })),
  );
  await world.run(MINUTE);
  expect(ledger.requests.length).toBeGreaterThan(before);
  expect(engine.status()).toMatchObject({ running: true, unsettled: 0 });
  expect(unhandled).toEqual([]);
}

/** One pass: the same small story, with whatever is injected, until everything has ended; then all that must hold. */
async function pass(faults: Faults = {}): Promise<Built> {
  const built = await build(faults);
  const { world, clock, store, engine } = built;
  engine.start();
  let acknowledged: readonly string[] | null = null;
  void story(built).then((ids) => {
    acknowledged = ids;
  });
  const until = clock.now() + LONGEST_MS;
  const isOver = async () => {
    if (acknowledged === null) return false;
    const rows = await rowsOf(store, acknowledged);
    return rows.every(({ status, lease }) => status !== 'pending' && lease === null);
  };
  while (!(await isOver()) && clock.now() < until) await world.run(20 * SECOND);
  expect(await isOver()).toBe(true);
  await check(built, acknowledged ?? []);
  await close?.();
  close = null;
  return built;
}

const FAULTS = ['busy', 'full', 'io'] as const;

describe('one call of the store fails', () => {
  it('the story without a fault makes every kind of call', async () => {
    const made = new Map<StoreCall, number>();
    await pass({
      store: (call, nth) => {
        made.set(call, nth);
        return null;
      },
    });
    expect([...made.keys()].sort()).toEqual([...STORE_CALLS].sort());
  });

  for (const call of STORE_CALLS) {
    for (const when of ['before', 'after'] as const) {
      const what = when === 'before' ? 'nothing took effect' : 'it was committed and the answer is lost';
      it(`S2 P07 O02 O06 the 1st, 2nd … n-th ${call} fails, ${what}: nothing is lost, nothing goes twice under one number`, async () => {
        let reached = true;
        let passes = 0;
        for (let nth = 1; reached; nth += 1) {
          reached = false;
          const fault = FAULTS[nth % FAULTS.length] ?? 'busy';
          await pass({
            store: (made, number) => {
              if (made !== call || number !== nth) return null;
              reached = true;
              return { when, fault };
            },
          });
          passes += 1;
        }
        expect(passes).toBeGreaterThan(1);
      }, 240_000);
    }
  }
});

/** Errors that no list of known ones has (O17). */
const ERRORS: readonly (() => unknown)[] = [
  () => new TypeError('val.push is not a function'),
  () => new AssertionError({ message: 'assert(statusCode >= 100)' }),
  () => new DOMException('The operation was aborted.', 'TimeoutError'),
  () => 'a string',
];

const nothing = () => undefined;

const WAYS: Readonly<Record<string, (send: () => Dispatch, error: unknown) => Dispatch>> = {
  'throws before it sends': (_send, error) => {
    throw error;
  },
  'throws after it has sent': (send, error) => {
    send();
    throw error;
  },
  'rejects its end': (send, error) => {
    const dispatch = send();
    const end = dispatch.end.then(() => Promise.reject(error));
    return { ...dispatch, end, drained: end.then(nothing, nothing) };
  },
  'rejects its drain': (send, error) => {
    const dispatch = send();
    return { ...dispatch, drained: dispatch.end.then(() => Promise.reject(error)) };
  },
};

describe('one send fails in a way that nobody listed', () => {
  for (const [what, way] of Object.entries(WAYS)) {
    it(`S2 O12 O17 P30 the 1st, 2nd … n-th send ${what}: internal, retried, nobody blamed, no lease left`, async () => {
      let reached = true;
      let passes = 0;
      for (let nth = 1; reached; nth += 1) {
        reached = false;
        let sends = 0;
        await pass({
          dispatcher: (dispatcher) => ({
            ...dispatcher,
            send(request) {
              sends += 1;
              if (sends !== nth) return dispatcher.send(request);
              reached = true;
              return way(() => dispatcher.send(request), ERRORS[nth % ERRORS.length]?.());
            },
          }),
        });
        passes += 1;
      }
      expect(passes).toBeGreaterThan(20);
    }, 240_000);
  }
});

describe('a process that is stopped between its claim and its send', () => {
  it('P08 P10 sends nothing whose lease is over: it is given back, or is another engine’s by then', async () => {
    let late = true;
    const built = await build({});
    const { world, clock, ledger, engine, store } = built;
    const { claim } = store;
    store.claim = async (request) => {
      const batch = await claim(request);
      if (batch.claims.length > 0 && late) {
        late = false;
        await new Promise<void>((resolve) => clock.setTimer(clock.now() + MINUTE, resolve));
      }
      return batch;
    };
    engine.start();
    const acknowledged = story(built);
    await world.run(MINUTE - SECOND);
    expect(ledger.requests).toEqual([]);
    await world.run(LONGEST_MS);
    await check(built, await acknowledged);
    const leases = ledger.requests.map(({ at, claim: { leaseUntil } }) => leaseUntil - at);
    expect(Math.min(...leases)).toBeGreaterThan(0);
  });
});
