import { createHash } from 'node:crypto';
import { createAesSecretBox } from '@/server/adapters/aes-secret-box';
import { decider } from '@/server/core/decide';
import { buildEnvelope } from '@/server/core/envelope';
import { leaseMs } from '@/server/core/gates';
import { makeId } from '@/server/core/ids';
import type { Environment } from '@/server/core/model';
import type { Policy } from '@/server/core/policy';
import { PRESETS } from '@/server/core/policy';
import { secretIdentity } from '@/server/core/sealed-identity';
import { newSecret } from '@/server/core/signature';
import { createEngine } from '@/server/engine/engine';
import { ENGINE_DEFAULTS, type EngineDeps, type EngineOptions } from '@/server/engine/options';
import { createSigner } from '@/server/engine/signer';
import type { Dispatcher } from '@/server/ports/dispatcher';
import type { AppRow, EndpointRow } from '@/server/ports/records';
import type { Store } from '@/server/ports/store';
import { createFakeClock, type FakeClock } from './fake-clock';
import { type Answer, createFakeDispatcher, type SentRequest } from './fake-dispatcher';
import { createSeededRandom } from './seeded-random';
import { createTestStore } from './temp-store';
import { createUnderWay } from './under-way';

export const silentLog = { info: () => undefined, warn: () => undefined, error: () => undefined };
const masterKey = { id: 'k1', key: Buffer.alloc(32, 7) };

export interface WorldOptions {
  policy?: Policy;
  answer?: (sent: SentRequest, nth: number) => Answer;
  dispatcher?: Dispatcher;
  engine?: Partial<EngineOptions>;
  deps?: Partial<EngineDeps>;
  /** A store that is there already (another engine's world). */
  store?: Store;
  clock?: FakeClock;
  seed?: number;
}

export type Dialect = 'SQLite' | 'PostgreSQL';

let dialect: Dialect = 'SQLite';

/** From now on a world that brings no store of its own gets one on this database. See `dialects.ts`. */
export function setDialect(wanted: Dialect): void {
  dialect = wanted;
}

async function createStore(): Promise<Store> {
  if (dialect === 'SQLite') return createTestStore();
  const { createTestPostgresStore } = await import('./temp-postgres');
  return createTestPostgresStore();
}

/** A whole installation under a fake clock: the real store, core and engine, scripted receivers. */
export async function createWorld(options: WorldOptions = {}) {
  const clock = options.clock ?? createFakeClock();
  const random = createSeededRandom(options.seed ?? 1);
  const underWay = createUnderWay(options.store ?? (await createStore()));
  const { store } = underWay;
  const secretBox = createAesSecretBox([masterKey], random);
  const fake = createFakeDispatcher(clock, options.answer ?? (() => 204));
  const newEngine = (deps: Partial<EngineDeps> = {}) =>
    createEngine({
      store,
      dispatcher: options.dispatcher ?? fake.dispatcher,
      decider,
      signer: createSigner({
        secretBox,
        userAgent: 'Hookladder/1 (+http://localhost)',
        spanId: () => '00f067aa0ba902b7',
      }),
      clock,
      random,
      log: silentLog,
      options: { ...ENGINE_DEFAULTS, leaseMs, ...options.engine },
      ...options.deps,
      ...deps,
    });
  const id = (prefix: string) => makeId(prefix, clock.now(), random.bytes(10));
  const engine = newEngine();
  const app = await addApp(options.policy ?? PRESETS.standard);

  function addApp(policy: Policy): Promise<AppRow> {
    return store.transact((tx) =>
      tx.insertApp({
        publicId: id('app'),
        organizationId: 'org_test',
        name: 'Shop',
        policy,
        eventTypes: [],
        now: clock.now(),
      }),
    );
  }

  async function addEndpoint(
    change: {
      app?: AppRow;
      environment?: Environment;
      url?: string;
      types?: string[];
      concurrency?: number;
    } = {},
  ): Promise<EndpointRow> {
    return store.transact(async (tx) => {
      const environment = change.environment ?? 'test';
      const row = await tx.insertEndpoint({
        publicId: id('ep'),
        scope: { appId: (change.app ?? app).id, environment },
        url: change.url ?? 'https://hooks.example.com/in',
        description: '',
        types: change.types ?? [],
        headerNames: [],
        sealedHeaders: null,
        policyId: null,
        concurrency: change.concurrency ?? null,
        now: clock.now(),
      });
      const identity = { appId: row.appId, endpointId: row.id, version: 1 };
      await tx.insertSecret({
        ...identity,
        environment,
        sealed: secretBox.seal(newSecret(random.bytes(32)), secretIdentity(identity)),
        createdAt: clock.now(),
        expiresAt: null,
      });
      return row;
    });
  }

  async function publish(
    change: {
      app?: AppRow;
      environment?: Environment;
      type?: string;
      data?: string;
      money?: boolean;
      testEndpointId?: number;
    } = {},
  ) {
    const publicId = id('evt');
    const environment = change.environment ?? 'test';
    const type = change.type ?? 'order.created';
    const body = buildEnvelope({
      id: publicId,
      type,
      environment,
      createdAt: clock.now(),
      data: Buffer.from(change.data ?? '{"n":1}'),
    });
    const result = await store.publish({
      records: [
        {
          appId: (change.app ?? app).id,
          environment,
          publicId,
          type,
          body,
          contentType: 'application/json',
          bodySha256: createHash('sha256').update(body).digest('hex'),
          createdAt: clock.now(),
          occurredAt: null,
          money: change.money ?? false,
          amount: null,
          currency: null,
          exponent: null,
          resource: null,
          testEndpointId: change.testEndpointId ?? null,
          actor: null,
        },
      ],
    });
    if (result.kind !== 'published' || !result.events[0]) throw new Error(`not published: ${result.kind}`);
    return result.events[0];
  }

  /** Lets everything that needs no timer happen, what the database still works at too. */
  async function settle() {
    do {
      for (let turn = 0; turn < 6; turn += 1) await clock.settle();
    } while (await underWay.ended());
  }

  /** Moves time from timer to timer, so that what one timer starts is finished before the next fires. */
  async function run(ms: number) {
    const until = clock.now() + ms;
    await settle();
    for (let at = clock.nextTimerAt; at !== null && at <= until; at = clock.nextTimerAt) {
      await clock.runUntil(at);
      await settle();
    }
    await clock.runUntil(until);
    await settle();
  }

  return {
    clock,
    random,
    store,
    secretBox,
    engine,
    newEngine,
    app,
    addApp,
    addEndpoint,
    publish,
    settle,
    run,
    fake,
    sent: fake.sent,
    async delivery(deliveryId: number) {
      const row = await store.read.delivery(deliveryId);
      if (!row) throw new Error(`no delivery ${deliveryId}`);
      return row;
    },
    async close() {
      const stopped = engine.stop();
      // What hangs is waited for in virtual time.
      await run(30_000);
      await stopped;
      await store.close();
    },
  };
}
