import { createHash } from 'node:crypto';
import { decider as coreDecider } from '@/server/core/decide';
import { leaseMs } from '@/server/core/gates';
import { makeId } from '@/server/core/ids';
import type { AttemptEnd, Environment } from '@/server/core/model';
import { type Policy, PRESETS } from '@/server/core/policy';
import type { AppRow, EndpointRow } from '@/server/ports/records';
import type {
  Claim,
  ClaimRequest,
  PublishedEvent,
  PublishRecord,
  Settled,
  SettleEnd,
  Store,
} from '@/server/ports/store';
import { createSeededRandom } from '@/server/testing/seeded-random';

/** What a dialect gives the specification: a fresh store, others on the same data, and raw SQL beside them. */
export interface StoreHarness {
  store: Store;
  /** Another store on the same data, as another process has. */
  another(): Promise<Store>;
  /** Runs SQL past the store, foreign keys unchecked: how a damaged row comes about. */
  damage(sql: string, ...values: unknown[]): Promise<void>;
  /** Runs SQL past the store with foreign keys checked. */
  exec(sql: string, ...values: unknown[]): Promise<void>;
  rows(sql: string): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

export type MakeStore = () => Promise<StoreHarness>;

export const T0 = Date.UTC(2026, 0, 1);
export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export const ANSWER = (statusCode: number): AttemptEnd => ({
  kind: 'answered',
  statusCode,
  retryAfter: [],
  location: null,
});
export const DOWN: AttemptEnd = { kind: 'failed', errorClass: 'connect_refused', message: 'refused' };
export const LOST: AttemptEnd = { kind: 'lost' };

export const NO_BREAKER: Policy = {
  ...PRESETS.standard,
  breaker: undefined,
  ladder: { ...PRESETS.standard.ladder, jitter: 0 },
};
export const WITH_BREAKER: Policy = {
  ...PRESETS.standard,
  ladder: { ...PRESETS.standard.ladder, jitter: 0 },
};
export const TWO_LADDER: Policy = PRESETS['two-ladder'];

interface EndpointChange {
  app?: AppRow;
  environment?: Environment;
  types?: string[];
  concurrency?: number;
  policy?: Policy;
}

interface RecordChange extends Partial<Omit<PublishRecord, 'appId'>> {
  app?: AppRow;
}

/** A store with an app in it, and short words for what tests do to it. */
export async function createBed(harness: StoreHarness, policy: Policy = NO_BREAKER) {
  const random = createSeededRandom(11);
  const id = (prefix: string) => makeId(prefix, T0, random.bytes(10));
  const { store } = harness;
  let tokens = 0;

  const addApp = (appPolicy: Policy = policy) =>
    store.transact((tx) =>
      tx.insertApp({
        publicId: id('app'),
        organizationId: 'org_1',
        name: 'Shop',
        policy: appPolicy,
        eventTypes: [],
        now: T0,
      }),
    );
  const app = await addApp();

  const addEndpoint = (change: EndpointChange = {}): Promise<EndpointRow> =>
    store.transact(async (tx) => {
      const scope = { appId: (change.app ?? app).id, environment: change.environment ?? ('test' as const) };
      const own = change.policy === undefined ? null : await tx.insertPolicy(scope, change.policy, T0);
      return tx.insertEndpoint({
        publicId: id('ep'),
        scope,
        url: 'https://hooks.example.com/in',
        description: '',
        types: change.types ?? [],
        headerNames: [],
        sealedHeaders: null,
        policyId: own?.id ?? null,
        concurrency: change.concurrency ?? null,
        now: T0,
      });
    });

  const record = ({ app: of, ...change }: RecordChange = {}): PublishRecord => {
    const body = change.body ?? Buffer.from('{"n":1}');
    return {
      appId: (of ?? app).id,
      environment: 'test',
      publicId: id('evt'),
      type: 'order.created',
      body,
      contentType: 'application/json',
      bodySha256: createHash('sha256').update(body).digest('hex'),
      createdAt: T0,
      occurredAt: null,
      money: false,
      amount: null,
      currency: null,
      exponent: null,
      resource: null,
      testEndpointId: null,
      actor: null,
      ...change,
    };
  };

  const publish = async (change: RecordChange = {}): Promise<PublishedEvent> => {
    const result = await store.publish({ records: [record(change)] });
    const [event] = result.kind === 'published' ? result.events : [];
    if (event === undefined) throw new Error(`not published: ${result.kind}`);
    return event;
  };

  const request = (change: Partial<ClaimRequest> = {}): ClaimRequest => ({
    now: T0,
    slots: 100,
    endpointSlots: () => 100,
    endpointConcurrency: 100,
    leaseMs,
    token: () => {
      tokens += 1;
      return `token-${tokens}`;
    },
    suspects: 1,
    afterAppId: 0,
    ...change,
  });
  const claim = async (change: Partial<ClaimRequest> = {}, of: Store = store): Promise<readonly Claim[]> =>
    (await of.claim(request(change))).claims;

  /** How a claim ended, at an instant. */
  const endOf = (claimed: Claim, end: AttemptEnd, endedAt: number): SettleEnd => ({
    deliveryId: claimed.deliveryId,
    endpointId: claimed.endpointId,
    appId: claimed.appId,
    environment: claimed.environment,
    token: claimed.token,
    cycle: claimed.cycle,
    number: claimed.number,
    trigger: claimed.trigger,
    actor: claimed.actor,
    epoch: claimed.epoch,
    probe: claimed.probe,
    end,
    startedAt: endedAt - 5,
    endedAt,
    durationMs: 5,
    timing: { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: 4 },
    url: claimed.url,
    address: '203.0.113.7',
    retriedStale: false,
  });
  const settle = (ends: readonly SettleEnd[], of: Store = store): Promise<readonly Settled[]> =>
    of.settle(ends, coreDecider, () => 0);
  const finish = async (claimed: Claim, end: AttemptEnd, endedAt: number) =>
    (await settle([endOf(claimed, end, endedAt)]))[0] as Settled;

  const delivery = async (deliveryId: number) => {
    const row = await store.read.delivery(deliveryId);
    if (row === null) throw new Error(`no delivery ${deliveryId}`);
    return row;
  };
  const one = <V>(values: readonly V[]): V => {
    if (values.length !== 1) throw new Error(`expected one, got ${values.length}`);
    return values[0] as V;
  };

  return {
    ...harness,
    id,
    app,
    addApp,
    addEndpoint,
    record,
    publish,
    /** The delivery's id of an event with exactly one. */
    async publishOne(change: RecordChange = {}): Promise<number> {
      return one((await publish(change)).deliveries).id;
    },
    request,
    claim,
    claimOne: async (change: Partial<ClaimRequest> = {}, of: Store = store) => one(await claim(change, of)),
    endOf,
    settle,
    finish,
    delivery,
    async endpoint(endpointId: number) {
      const row = await store.read.endpointById(endpointId);
      if (row === null) throw new Error(`no endpoint ${endpointId}`);
      return row;
    },
    update: (
      endpointId: number,
      change: Parameters<Parameters<Parameters<Store['transact']>[0]>[0]['updateEndpoint']>[1],
    ) => store.transact((tx) => tx.updateEndpoint(endpointId, change, T0)),
  };
}

export type Bed = Awaited<ReturnType<typeof createBed>>;

/** Runs a test on a fresh store with an app of that policy, and closes the store whatever comes. */
export type WithBed = (work: (bed: Bed) => Promise<void>, policy?: Policy) => Promise<void>;

export function withBedOf(makeStore: MakeStore): WithBed {
  return async (work, policy) => {
    const harness = await makeStore();
    try {
      await work(await createBed(harness, policy));
    } finally {
      await harness.close();
    }
  };
}
