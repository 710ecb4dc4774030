import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as realSetImmediate } from 'node:timers';
import { createSqliteStore } from '@/db/sqlite/store';
import { createAesSecretBox } from '@/server/adapters/aes-secret-box';
import { decider } from '@/server/core/decide';
import { leaseMs } from '@/server/core/gates';
import { makeId } from '@/server/core/ids';
import { secretIdentity } from '@/server/core/sealed-identity';
import { newSecret, prepareKey, type SigningKey, verify } from '@/server/core/signature';
import { createEngine } from '@/server/engine/engine';
import type { Engine } from '@/server/engine/options';
import { createSigner } from '@/server/engine/signer';
import type { Dispatch, DispatchEnd, Dispatcher } from '@/server/ports/dispatcher';
import type { AppRow } from '@/server/ports/records';
import type { SecretBox } from '@/server/ports/secret-box';
import type { Claim, Decider, Settled, Store } from '@/server/ports/store';
import type { ServiceDeps } from '@/server/services/deps';
import type { Injection, StoreCall } from '../faulty-store';
import { createTestDatabase } from '../temp-store';
import { createChance } from './chance';
import { type CallFate, Host } from './host';
import { createMerchant, isInjected, LONGEST_PAUSE } from './merchant';
import { type Plan, planOf } from './plan';
import { createReceivers } from './receivers';
import { createSimClock } from './sim-clock';
import { createSnapshots } from './snapshot';
import { type Violation, Watch } from './watch';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const MAX_LEASE_MS = 50_000;
const ENDPOINT_CONCURRENCY = 3;
const GRACE_MS = 12_000;
/** Longer than every wait there is: a day of the ladder with its jitter, two hours of Retry-After, a breaker's pause. */
const ALL_WAITS_MS = 34 * HOUR;
/** What waits for want of an endpoint ends by its age. */
const ALL_AGES_MS = 31 * DAY;

/** Something broken on purpose, to show that the simulation finds it. */
export interface Mutation {
  decider?: (decider: Decider) => Decider;
  /** Of each engine's own store. */
  store?: (store: Store) => Store;
}

export interface SimulationOptions {
  seed: number;
  trace?: (line: string) => void;
  mutation?: Mutation;
}

export interface SimulationResult {
  seed: number;
  plan: Plan;
  violations: readonly Violation[];
  /** The same seed has the same digest. */
  digest: string;
  stats: {
    virtualMs: number;
    steps: number;
    requests: number;
    deliveries: number;
    delivered: number;
    lost: number;
    crashes: number;
    pauses: number;
    clockSteps: number;
    injections: number;
    breakersOpened: number;
  };
}

let template: Promise<string> | null = null;

/** A fresh database on a file system in memory, where the machine has one. */
async function freshDatabase(): Promise<{ path: string; remove: () => void }> {
  template ??= createTestDatabase();
  const from = await template;
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'hookladder-sim-'));
  const path = join(folder, 'hookladder.db');
  copyFileSync(from, path);
  return { path, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Runs the world of one seed to its end, or to the first violation. */
export async function simulate(options: SimulationOptions): Promise<SimulationResult> {
  const database = await freshDatabase();
  const world = new World(options, database.path);
  try {
    return await world.run();
  } finally {
    await world.close();
    database.remove();
  }
}

interface Process {
  host: Host;
  engine: Engine;
  store: Store;
  signer: ReturnType<typeof createSigner>;
}

class World {
  private readonly plan: Plan;
  private readonly clock = createSimClock();
  private readonly stores: Store[] = [];
  private readonly processes: Process[] = [];
  private readonly merchants: Host;
  private readonly hash = createHash('sha256');
  private readonly faults;
  private readonly network;
  private readonly receivers;
  private readonly secretBox: SecretBox;
  private readonly webStore: Store;
  private readonly snapshots;
  private readonly watch: Watch;
  private readonly signingKeys = new Map<string, SigningKey>();
  private readonly armed: (() => void)[] = [];
  private readonly secretsOut = new Set<number>();
  private readonly doomed = new Map<Host, { call: StoreCall; when: 'before' | 'after' }>();
  private readonly cutting = new Set<Host>();
  private readonly counts = { crashes: 0, pauses: 0, clockSteps: 0, injections: 0, breakersOpened: 0 };
  private storeFaults: { until: number; odds: number } | null = null;
  private healed = false;
  private sleepMs: number;
  private underWay = 0;
  private stirred = 0;
  private steps = 0;
  private names = 0;
  private merchant: ReturnType<typeof createMerchant> | null = null;

  constructor(
    private readonly options: SimulationOptions,
    private readonly path: string,
  ) {
    const { seed } = options;
    this.plan = planOf(seed);
    this.sleepMs = this.plan.longestSleepMs;
    this.faults = createChance(seed, 'faults');
    this.network = createChance(seed, 'network');
    this.receivers = createReceivers(this.plan.receivers, createChance(seed, 'receivers'));
    const box = createAesSecretBox(
      [{ id: 'k1', key: Buffer.alloc(32, 7) }],
      createChance(seed, 'secrets').random,
    );
    this.secretBox = {
      ...box,
      open: (sealed, identity) =>
        this.secretsOut.has(Number(identity.split('/')[2]))
          ? { ok: false, why: 'unknown_key' }
          : box.open(sealed, identity),
    };
    this.webStore = this.openStore();
    this.snapshots = createSnapshots(this.webStore);
    this.watch = new Watch({
      clock: this.clock,
      snapshots: this.snapshots,
      longestSleepMs: () => this.sleepMs,
      maxLeaseMs: MAX_LEASE_MS,
      endpointConcurrency: ENDPOINT_CONCURRENCY,
      concurrency: this.plan.concurrency,
      isCalm: () =>
        (this.storeFaults === null || this.storeFaults.until <= this.clock.monotonic()) &&
        this.processes.some(({ host, engine }) => host.state === 'running' && engine.status().running),
      isSigned: (claim, request) => this.isSigned(claim, request.headers, request.body),
    });
    this.merchants = this.newHost('web');
  }

  /* ---------- parts ---------- */

  private openStore(): Store {
    const { random } = createChance(this.options.seed, `store ${this.stores.length}`);
    const store = createSqliteStore({
      path: this.path,
      newId: (prefix) => makeId(prefix, this.clock.now(), random.bytes(10)),
      sleep: () => new Promise((resolve) => realSetImmediate(resolve)),
    });
    this.stores.push(store);
    return store;
  }

  private newHost(name: string): Host {
    return new Host(name, {
      clock: this.clock,
      fate: (host, call) => this.fateOf(host, call),
      busy: (by) => {
        this.underWay += by;
        this.stirred += 1;
      },
      stir: () => {
        this.stirred += 1;
      },
      onDeath: (host) => this.watch.hostFell(host, 'crash'),
    });
  }

  private startProcess(): Process {
    this.names += 1;
    const name = `engine ${this.names}`;
    const host = this.newHost(name);
    const free = this.stores.find(
      (store) =>
        store !== this.webStore &&
        !this.processes.some((other) => other.store === store && other.host.state !== 'dead'),
    );
    const store = this.plan.sharedStore ? this.webStore : (free ?? this.openStore());
    const { random } = createChance(this.options.seed, name);
    const { mutation } = this.options;
    const clock = host.clock();
    const signer = createSigner({
      secretBox: this.secretBox,
      userAgent: 'Hookladder/1',
      spanId: () => '00f067aa0ba902b7',
    });
    let signed: Claim | null = null;
    const watched = this.watchedStore(host, mutation?.store?.(store) ?? store);
    const engine = createEngine({
      store: watched,
      dispatcher: this.dispatcherOf(host, () => {
        const claim = signed;
        signed = null;
        return claim;
      }),
      decider: mutation?.decider?.(decider) ?? decider,
      signer: {
        ...signer,
        prepare: (claim, now) => {
          const prepared = signer.prepare(claim, now);
          signed = prepared.ok ? claim : null;
          return prepared;
        },
      },
      clock,
      random,
      log: {
        info: () => undefined,
        warn: (event, fields) => this.trace(`${name}: ${event} ${JSON.stringify(fields)}`),
        error: (event, fields) => this.engineError(name, event, fields),
      },
      options: {
        concurrency: this.plan.concurrency,
        endpointConcurrency: ENDPOINT_CONCURRENCY,
        leaseMs,
        maxLeaseMs: MAX_LEASE_MS,
        longestSleepMs: this.sleepMs,
        graceMs: GRACE_MS,
      },
    });
    const process = { host, engine, store, signer };
    this.processes.push(process);
    engine.start();
    this.trace(`${name} starts`);
    return process;
  }

  private engineError(name: string, event: string, fields: object | undefined): void {
    const said = JSON.stringify(fields ?? {});
    this.trace(`${name}: ${event} ${said}`);
    if (event === 'attempt' || event === 'unsigned') return;
    if (this.counts.injections > 0 && (event === 'settle_failed' || /StoreUnavailable|AnswerLost/.test(said)))
      return;
    this.watch.fail('P30', `${name}: ${event} ${said}`);
  }

  /** The store of an engine, with the watch looking on from inside its transactions. */
  private watchedStore(host: Host, store: Store): Store {
    const seen = {
      ...store,
      claim: async (request: Parameters<Store['claim']>[0]) => {
        let before = null as ReturnType<typeof this.snapshots.now> | null;
        const token = () => {
          before ??= this.snapshots.now();
          return request.token();
        };
        const batch = await store.claim({ ...request, token });
        if (before !== null) this.watch.claimTaken(host, request, batch.claims, before);
        for (const claim of batch.claims) {
          this.trace(
            `${host.name}: claims ${claim.deliveryId} #${claim.number} (${claim.trigger}${claim.probe ? ', probe' : ''})`,
          );
        }
        for (const { deliveryId, why } of batch.setAside) {
          this.watch.fail('corrupt', `delivery ${deliveryId} was set aside: ${why}`);
        }
        return batch;
      },
      settle: async (...args: Parameters<Store['settle']>) => {
        const settled = await store.settle(...args);
        this.traceSettled(host, settled);
        this.watch.settledNow(settled);
        return settled;
      },
    };
    return host.store(seen, () => this.moment());
  }

  private traceSettled(host: Host, settled: readonly Settled[]): void {
    for (const { end, decision } of settled) {
      if (decision.breakerEvents.includes('opened')) this.counts.breakersOpened += 1;
      const { delivery, outcome, breakerEvents, dropped } = decision;
      const next = delivery === null ? 'unmoved' : `${delivery.status} due ${delivery.dueAt}`;
      this.trace(
        `${host.name}: settles ${end.deliveryId} #${end.number} ${outcome} → ${next} ${breakerEvents} ${dropped ?? ''}`,
      );
    }
  }

  private dispatcherOf(host: Host, signed: () => Claim | null): Dispatcher {
    return {
      close: async () => undefined,
      send: (request): Dispatch => {
        const claim = signed();
        if (claim === null) {
          this.watch.fail('R-ATT-9', `${host.name} sends without signing`);
          throw new Error('sent without signing');
        }
        const sent = this.watch.requestSent(host, claim, request);
        const { end: scripted, afterMs, drainMs } = this.receivers.answer(request.url, request.timeoutMs);
        this.trace(`${host.name}: sends ${claim.deliveryId} #${claim.number} to ${request.url}`);
        let tell: (end: DispatchEnd) => void = () => undefined;
        const end = new Promise<DispatchEnd>((resolve) => {
          tell = resolve;
        });
        let drainedNow: () => void = () => undefined;
        const drained = new Promise<void>((resolve) => {
          drainedNow = resolve;
        });
        const finish = (got: DispatchEnd) =>
          host.enter(() => {
            if (sent.end !== null) return;
            sent.end = got;
            tell(got);
            this.clock.setTimer(this.clock.now() + drainMs, () =>
              host.enter(() => {
                sent.drained = true;
                drainedNow();
              }),
            );
          });
        if (afterMs === 0) finish(scripted);
        else this.clock.setTimer(this.clock.now() + afterMs, () => finish(scripted));
        this.moment();
        return {
          end,
          drained,
          body: () => null,
          abort: () => {
            if (sent.end !== null) return;
            sent.excuse = 'stopping';
            finish({
              kind: 'failed',
              errorClass: 'internal',
              message: 'cut off',
              timing: {},
              durationMs: 0,
              address: null,
              retriedStale: false,
            });
          },
        };
      },
    };
  }

  private isSigned(claim: Claim, headers: readonly (readonly [string, string])[], body: Uint8Array): boolean {
    const { scheme } = claim.policy.signature;
    const keys = claim.secrets.flatMap((secret) => {
      const id = `${secret.endpointId}/${secret.version}/${scheme}`;
      const known = this.signingKeys.get(id);
      if (known !== undefined) return [known];
      const opened = createAesSecretBox([{ id: 'k1', key: Buffer.alloc(32, 7) }], this.network.random).open(
        secret.sealed,
        secretIdentity(secret),
      );
      const key = opened.ok ? prepareKey(scheme, opened.plain) : null;
      if (key === null) return [];
      this.signingKeys.set(id, key);
      return [key];
    });
    const header = (name: string) =>
      headers.find(([own]) => own.toLowerCase() === name.toLowerCase())?.[1] ?? null;
    const nowSec = Math.floor(this.clock.now() / SECOND);
    return verify({ settings: claim.policy.signature, header, body, keys, nowSec, toleranceSec: 5 }).ok;
  }

  /* ---------- what goes wrong ---------- */

  private fateOf(host: Host, call: StoreCall): CallFate {
    const { faults } = this.plan;
    const doom = this.doomed.get(host);
    const dies = doom?.call === call ? doom.when : null;
    if (dies !== null) {
      this.doomed.delete(host);
      this.counts.crashes += 1;
      this.trace(`${host.name} is killed ${dies} ${call}`);
      this.restartLater();
    }
    const slow = () => {
      if (this.healed || !faults.latency || !this.faults.odds(0.15)) return 0;
      return this.faults.odds(0.1) ? this.faults.int(1, 4 * SECOND) : this.faults.int(1, 300);
    };
    return {
      dies,
      injection: dies === null ? this.injectionFor(host, call) : null,
      delayBeforeMs: slow(),
      delayAfterMs: slow(),
    };
  }

  private injectionFor(host: Host, call: StoreCall): Injection | null {
    const { storeFaults } = this;
    if (storeFaults === null || storeFaults.until <= this.clock.monotonic()) return null;
    if (!this.faults.odds(storeFaults.odds)) return null;
    this.counts.injections += 1;
    const injection: Injection = {
      when: this.faults.odds(0.6) ? 'before' : 'after',
      fault: this.faults.pick(['busy', 'full', 'io']),
    };
    this.trace(`${host.name}: ${call} fails ${injection.when} (${injection.fault})`);
    return injection;
  }

  /** The worst moments: something has just been claimed, sent or settled. */
  private moment(): void {
    const next = this.armed.shift();
    if (next !== undefined) queueMicrotask(next);
  }

  private atSomeMoment(fn: () => void): void {
    if (this.faults.odds(0.6)) this.armed.push(fn);
    else fn();
  }

  private restartLater(): void {
    const after = this.faults.int(SECOND, Math.max(5 * MINUTE, this.plan.longestSleepMs));
    this.clock.setTimer(this.clock.now() + after, () => {
      if (!this.healed) this.startProcess();
    });
  }

  private strike(): void {
    const { faults } = this.plan;
    const kinds = (Object.keys(faults) as (keyof typeof faults)[]).filter(
      (kind) => faults[kind] && kind !== 'latency',
    );
    if (kinds.length === 0) return;
    const running = this.processes.filter(
      ({ host, engine }) => host.state === 'running' && engine.status().running,
    );
    const kind = this.faults.pick(kinds);
    switch (kind) {
      case 'crash':
        if (running.length > 0) this.crash(this.faults.pick(running));
        return;
      case 'pause':
        if (running.length > 0) this.stopAndGo(this.faults.pick(running));
        return;
      case 'clock':
        return this.stepClock();
      case 'store':
        this.storeFaults = {
          until: this.clock.monotonic() + this.faults.int(SECOND, 3 * MINUTE),
          odds: this.faults.pick([0.1, 0.5, 1]),
        };
        return this.trace('the store fails for a while');
      case 'secret':
        return this.loseSecret();
      case 'latency':
        return;
    }
  }

  private crash(process: Process): void {
    const { host } = process;
    const how = this.faults.weighted({ now: 2, call: 4, stop: 2 });
    if (how === 'call') {
      const call = this.faults.weighted<StoreCall>({
        claim: 4,
        settle: 4,
        release: 1,
        expiredLeases: 1,
        sweep: 1,
        drain: 1,
        setUnsigned: 1,
        publish: 0,
        transact: 0,
        retryUnsigned: 0,
      });
      this.doomed.set(host, { call, when: this.faults.pick(['before', 'after']) });
      return this.trace(`${host.name} is to be killed at a ${call}`);
    }
    this.atSomeMoment(() => {
      if (host.state !== 'running') return;
      this.restartLater();
      if (how === 'stop') return void this.stop(process);
      this.counts.crashes += 1;
      this.trace(`${host.name} is killed`);
      host.kill();
    });
  }

  /** SIGTERM: within twice its grace it has stopped, and no lease of its own is left but by a fault of the store. */
  private async stop({ host, engine }: Process): Promise<void> {
    this.trace(`${host.name} is asked to stop`);
    this.cutting.add(host);
    let stopped = false;
    this.clock.setTimer(this.clock.now() + 2 * GRACE_MS + 30 * SECOND, () => {
      const held = host.state !== 'running' || !this.healed;
      if (!stopped && !held) this.watch.fail('P12', `${host.name} does not stop`);
    });
    await engine.stop();
    stopped = true;
    this.trace(`${host.name} has stopped`);
    host.kill();
  }

  private stopAndGo({ host }: Process): void {
    const longest = this.faults.pick([
      10 * SECOND,
      2 * MINUTE,
      Math.max(2 * MINUTE, this.plan.longestSleepMs),
    ]);
    const ms = this.faults.int(SECOND, longest);
    this.atSomeMoment(() => {
      if (host.state !== 'running') return;
      this.counts.pauses += 1;
      this.trace(`${host.name} is stopped for ${ms} ms`);
      this.watch.hostFell(host, 'pause');
      host.pause();
      this.clock.setTimer(this.clock.now() + ms, () => {
        this.trace(`${host.name} goes on`);
        host.resume();
      });
    });
  }

  private stepClock(): void {
    const most = this.faults.pick([5 * SECOND, MINUTE, 2 * HOUR, DAY]);
    const ms = this.faults.int(-most, most);
    this.counts.clockSteps += 1;
    this.trace(`the clock steps by ${ms} ms`);
    this.clock.stepWall(ms);
    this.watch.clockStepped(ms);
  }

  private loseSecret(): void {
    const ids = [...this.snapshots.now().endpoints.keys()];
    if (ids.length === 0) return;
    const id = this.faults.pick(ids);
    const ms = this.faults.int(SECOND, Math.max(10 * MINUTE, this.plan.longestSleepMs * 2));
    this.trace(`the secret of endpoint ${id} does not open for ${ms} ms`);
    this.secretsOut.add(id);
    this.forgetKeys();
    this.clock.setTimer(this.clock.now() + ms, () => this.findSecret(id));
  }

  private findSecret(id: number): void {
    if (!this.secretsOut.delete(id)) return;
    this.trace(`the secret of endpoint ${id} opens again`);
    this.forgetKeys();
  }

  private forgetKeys(): void {
    for (const { signer } of this.processes) signer.forget();
  }

  /* ---------- time ---------- */

  private trace(line: string): void {
    const at = `${new Date(this.clock.now()).toISOString().slice(5, -1)} ${line}`;
    this.hash.update(at);
    this.options.trace?.(at);
  }

  /** Until nothing is under way that needs no timer. */
  private async rest(): Promise<void> {
    let seen = -1;
    for (let quiet = 0, turns = 0; quiet < 3; turns += 1) {
      await new Promise<void>((resolve) => realSetImmediate(resolve));
      quiet = this.underWay === 0 && seen === this.stirred ? quiet + 1 : 0;
      seen = this.stirred;
      if (turns > 20_000) {
        this.watch.fail('liveness', 'it does not come to rest while time stands still');
        return;
      }
    }
  }

  private async look(): Promise<void> {
    await this.rest();
    this.steps += 1;
    this.watch.check();
  }

  /** Moves time, timer by timer. False: something does not hold. */
  private async runFor(ms: number): Promise<boolean> {
    const until = this.clock.monotonic() + ms;
    await this.look();
    while (this.watch.violations.length === 0) {
      const nextInMs = this.clock.nextInMs;
      if (nextInMs === null || this.clock.monotonic() + nextInMs > until) break;
      this.clock.fireNext();
      await this.look();
    }
    this.clock.moveBy(until - this.clock.monotonic());
    return this.watch.violations.length === 0;
  }

  private every(meanMs: number, chance: { gapMs(mean: number): number }, fn: () => void): void {
    const again = () =>
      this.clock.setTimer(this.clock.now() + chance.gapMs(meanMs), () => {
        if (this.healed) return;
        fn();
        again();
      });
    again();
  }

  /* ---------- its life ---------- */

  async run(): Promise<SimulationResult> {
    const { plan } = this;
    this.trace(JSON.stringify({ ...plan, policy: plan.policy.name, endpoints: plan.endpoints.length }));
    const app = await this.setUp();
    const merchant = this.openForBusiness(app);
    this.merchant = merchant;
    for (let n = 0; n < plan.engines; n += 1) this.startProcess();
    const lived = (await this.runFor(plan.spanMs)) && (await this.heal());
    if (lived) this.watch.finish();
    const now = this.snapshots.now();
    const rows = [...now.deliveries.values()];
    return {
      seed: plan.seed,
      plan,
      violations: this.watch.violations,
      digest: this.hash.digest('hex').slice(0, 16),
      stats: {
        virtualMs: this.clock.monotonic(),
        steps: this.steps,
        requests: this.watch.sent.length,
        deliveries: rows.length,
        delivered: rows.filter(({ status }) => status === 'delivered').length,
        lost: this.watch.sent.filter(({ settled }) => !settled).length,
        ...this.counts,
      },
    };
  }

  private async setUp(): Promise<AppRow> {
    const { plan, clock, webStore } = this;
    const { random } = createChance(plan.seed, 'set-up');
    const app = await webStore.transact((tx) =>
      tx.insertApp({
        publicId: makeId('app', clock.now(), random.bytes(10)),
        organizationId: 'org_test',
        name: 'Shop',
        policy: plan.policy,
        eventTypes: [
          { type: 'order.created', description: '', money: null, example: null },
          {
            type: 'payment.status_changed',
            description: '',
            money: { money: { pointer: '/status', values: ['paid'] } },
            example: null,
          },
          { type: 'refund.completed', description: '', money: { money: 'always' }, example: null },
        ],
        now: clock.now(),
      }),
    );
    for (const planned of plan.endpoints) {
      await webStore.transact(async (tx) => {
        const scope = { appId: app.id, environment: planned.environment };
        const own = planned.own === null ? null : await tx.insertPolicy(scope, planned.own, clock.now());
        const row = await tx.insertEndpoint({
          publicId: makeId('ep', clock.now(), random.bytes(10)),
          scope,
          url: this.receivers.url(),
          description: '',
          types: planned.types,
          headerNames: [],
          sealedHeaders: null,
          policyId: own?.id ?? null,
          concurrency: planned.concurrency,
          now: clock.now(),
        });
        const identity = { appId: app.id, endpointId: row.id, version: 1 };
        await tx.insertSecret({
          ...identity,
          environment: planned.environment,
          sealed: this.secretBox.seal(newSecret(random.bytes(32)), secretIdentity(identity)),
          createdAt: clock.now(),
          expiresAt: null,
        });
      });
    }
    return app;
  }

  private openForBusiness(app: AppRow): ReturnType<typeof createMerchant> {
    const { plan, clock } = this;
    const chance = createChance(plan.seed, 'merchant');
    const store = this.merchants.store(this.webStore, () => undefined);
    const quiet = () => undefined;
    const services: ServiceDeps = {
      store,
      clock,
      random: createChance(plan.seed, 'services').random,
      secretBox: this.secretBox,
      log: { info: quiet, warn: quiet, error: quiet },
      guard: { allowNetworks: [], ownHosts: [] },
      engine: {
        kick: () => {
          if (!plan.sharedStore) return;
          for (const { host, engine } of this.processes) host.enter(() => engine.kick());
        },
        status: () => ({ running: true, inFlight: 0, due: 0 }),
      },
      changes: { subscribe: (listener) => store.onChange(listener) },
      directory: { user: async () => null, organizations: async () => [] },
      publicUrl: 'https://hooks.local.example',
      demo: false,
    };
    const merchant = createMerchant({
      services,
      app,
      clock,
      chance,
      snapshots: this.snapshots,
      watch: this.watch,
      url: this.receivers.url,
      trace: (line) => this.trace(line),
      unexpected: (what) => this.watch.fail('P30', what),
      longestPauseMs: LONGEST_PAUSE[plan.scale],
    });
    const moods = createChance(plan.seed, 'moods');
    this.every(plan.moodMs, moods, () => this.trace(this.receivers.change()));
    this.every(plan.actEveryMs, moods, () => this.atSomeMoment(() => void merchant.act()));
    this.every(plan.faultEveryMs, this.faults, () => this.strike());
    this.every(plan.publishEveryMs, moods, () => {
      for (let n = moods.int(1, 5); n > 0; n -= 1) {
        if (this.snapshots.now().deliveries.size >= plan.mostDeliveries) return;
        void merchant.publish(moods.odds(0.85) ? 'test' : 'live');
      }
    });
    return merchant;
  }

  /** The world is well again: from here on everything must come to its end. */
  private async heal(): Promise<boolean> {
    this.trace('the world is healed');
    this.healed = true;
    this.storeFaults = null;
    this.armed.length = 0;
    this.doomed.clear();
    this.receivers.heal();
    for (const id of [...this.secretsOut]) this.findSecret(id);
    for (const { host } of this.processes) host.resume();
    if (!(await this.runFor(MINUTE))) return false;
    for (const process of this.processes) if (process.host.state === 'running') void this.stop(process);
    if (!(await this.runFor(2 * MINUTE))) return false;
    this.sleepMs = 6 * HOUR;
    const last = this.startProcess();
    const { merchant } = this;
    await merchant?.resumeAll();
    if (!(await this.runFor(ALL_WAITS_MS))) return false;
    this.everythingEnded();
    await merchant?.lastWord();
    await this.rest();
    last.engine.kick();
    if (!(await this.runFor(35 * MINUTE))) return false;
    this.everythingEnded();
    this.watch.breakersClosed();
    const waits = [...this.snapshots.now().deliveries.values()].some(({ status }) => status === 'pending');
    if (waits && !(await this.runFor(ALL_AGES_MS))) return false;
    if (!last.engine.status().running) this.watch.fail('liveness', 'the last engine has stopped');
    await this.stop(last);
    return this.watch.violations.length === 0;
  }

  private everythingEnded(): void {
    for (const row of this.snapshots.now().deliveries.values()) {
      if (row.status !== 'pending' || row.reason === 'no_endpoint') continue;
      this.watch.fail('liveness', `delivery ${row.id} has not ended: due ${row.dueAt}, ${row.reason}`);
    }
  }

  async close(): Promise<void> {
    for (const { host } of this.processes) host.kill();
    for (const store of this.stores) await store.close();
  }
}

void isInjected;
