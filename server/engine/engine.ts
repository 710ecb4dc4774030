// Invariant: a delivery is attempted under a lease or not at all, every attempt in flight is known here, and what
// became of it reaches the settler exactly once.
import type { Clock } from '@/server/ports/clock';
import type { Claim, Settled, Store } from '@/server/ports/store';
import { type KillPoint, type RunningAttempt, startAttempt } from './attempt';
import { logAttempt } from './attempt-log';
import { createLanes } from './lanes';
import type { Engine, EngineDeps, EngineStatus } from './options';
import { createSettler, type Settler } from './settler';
import type { Header, Prepared } from './signer';
import { createSweeps, type Sweeps } from './sweeps';
import { createWakeups, type Wakeups } from './wakeups';

const UNSIGNED_RETRY_MS = 60_000;
const COLLECT_EVERY_MS = 1_000;
const COLLECT_ROWS = 200;

export function createEngine(deps: EngineDeps): Engine {
  return new DeliveryEngine(deps);
}

class DeliveryEngine implements Engine {
  private readonly lanes = createLanes();
  /** By lease token, until the end is written. */
  private readonly attempts = new Map<string, RunningAttempt>();
  private readonly collecting = new Set<string>();
  private readonly sweeps: Sweeps;
  private readonly settler: Settler;
  private readonly wakeups: Wakeups;
  private readonly unsubscribe: () => void;
  private afterAppId = 0;
  private suspects = 0;
  private lastTurnAt: number | null = null;
  private lastCollectAt = Number.NEGATIVE_INFINITY;
  private started = false;
  private stopping: Promise<void> | null = null;

  constructor(private readonly deps: EngineDeps) {
    const { store, clock, log, announce, random, decider, options } = deps;
    this.sweeps = createSweeps({ store, clock, log });
    this.settler = createSettler({
      store: announce ? announcing(store, announce) : store,
      decider,
      clock,
      random: () => random.next(),
      log,
      onSettled: (settled) => this.settled(settled),
    });
    this.wakeups = createWakeups({
      clock,
      longestSleepMs: options.longestSleepMs,
      turn: () => this.guardedTurn(),
    });
    this.unsubscribe = store.onChange(() => {
      if (this.started) this.wakeups.kick();
    });
  }

  start(): void {
    if (this.started) return;
    this.started = true;
    const { store, clock, log, options } = this.deps;
    log.info('engine_started', { concurrency: options.concurrency });
    void store
      .retryUnsigned(clock.now())
      .catch((error) => log.error('retry_unsigned_failed', { error: String(error) }))
      .then(() => this.wakeups.kick());
  }

  kick(): void {
    if (this.started) this.wakeups.kick();
  }

  status(): EngineStatus {
    return {
      running: this.started && !this.stopping,
      inFlight: this.lanes.inFlight,
      suspects: this.suspects,
      unsettled: this.settler.waiting,
      lastTurnAt: this.lastTurnAt,
    };
  }

  stop(): Promise<void> {
    this.stopping ??= this.windDown();
    return this.stopping;
  }

  private async guardedTurn(): Promise<number | null> {
    if (this.stopping) return null;
    try {
      return await this.turn();
    } catch (error) {
      this.deps.log.error('turn_failed', { error: String(error) });
      return null;
    }
  }

  private async turn(): Promise<number | null> {
    this.lastTurnAt = this.deps.clock.now();
    if (this.settler.blocked) return null;
    await this.collect();
    await this.sweeps.expiry();
    return this.claimAll();
  }

  private async collect(): Promise<void> {
    const { store, clock, options } = this.deps;
    if (clock.monotonic() - this.lastCollectAt < COLLECT_EVERY_MS) return;
    this.lastCollectAt = clock.monotonic();
    await this.sweeps.drain();
    const lost = await store.expiredLeases({
      now: clock.now(),
      maxLeaseMs: options.maxLeaseMs,
      limit: COLLECT_ROWS,
    });
    for (const end of lost) {
      if (this.attempts.has(end.token) || this.collecting.has(end.token)) continue;
      this.collecting.add(end.token);
      this.settler.add(end);
    }
  }

  private async claimAll(): Promise<number | null> {
    const { store, clock, log, options, random, announce } = this.deps;
    while (!this.stopping && !this.settler.blocked) {
      const slots = options.concurrency - this.lanes.inFlight;
      if (slots <= 0) return null;
      const now = clock.now();
      const batch = await store.claim({
        now,
        slots,
        endpointSlots: (endpointId) => this.lanes.slots(endpointId, now),
        endpointConcurrency: options.endpointConcurrency,
        leaseMs: options.leaseMs,
        token: () => Buffer.from(random.bytes(12)).toString('base64url'),
        suspects: this.suspects === 0 ? 1 : 0,
        afterAppId: this.afterAppId,
      });
      this.afterAppId = batch.afterAppId;
      for (const { deliveryId, why } of batch.setAside) log.error('set_aside', { delivery: deliveryId, why });
      if (batch.claims.length > 0) await announce?.('after_claim');
      await this.launchAll(batch.claims);
      if (batch.claims.length === 0 || !batch.more) return batch.nextDueAt;
    }
    return null;
  }

  /** Everything that can be sent is on its way before anything is awaited. */
  private async launchAll(claims: readonly Claim[]): Promise<void> {
    const { store, clock } = this.deps;
    const unsent: Claim[] = [];
    const unsigned: { claim: Claim; why: string }[] = [];
    const opened: Claim[] = [];
    for (const claim of claims) {
      // A process that was stopped in between sends nothing whose lease is over (P08).
      const isOver = clock.now() >= claim.leaseUntil;
      const prepared = this.stopping || isOver ? null : this.prepare(claim);
      if (!prepared) unsent.push(claim);
      else if (!prepared.ok) unsigned.push({ claim, why: prepared.why });
      else {
        this.launch(claim, prepared.headers);
        if (claim.unsigned) opened.push(claim);
      }
    }
    if (unsent.length > 0) await store.release(unsent, clock.now());
    for (const { claim, why } of unsigned) await this.gateUnsigned(claim, why);
    for (const claim of opened) await store.setUnsigned(claim.endpointId, null);
  }

  private prepare(claim: Claim): Prepared {
    try {
      return this.deps.signer.prepare(claim, this.deps.clock.now());
    } catch (error) {
      return { ok: false, why: `preparing it failed: ${String(error)}` };
    }
  }

  private launch(claim: Claim, headers: readonly Header[]): void {
    const { clock, dispatcher, announce } = this.deps;
    const attempt = startAttempt({ clock, dispatcher, announce: announce ?? null }, claim, headers);
    this.attempts.set(claim.token, attempt);
    this.lanes.started(claim.endpointId, clock.now());
    if (claim.suspect) this.suspects += 1;
    void attempt.end.then((end) => {
      this.lanes.ended(claim.endpointId, {
        failure: !(end.end.kind === 'answered' && end.end.statusCode < 500),
        durationMs: end.durationMs,
        cap: claim.concurrency,
        now: clock.now(),
      });
      if (claim.suspect) this.suspects -= 1;
      this.settler.add(end);
    });
    void attempt.drained.then(() => {
      this.lanes.freed(claim.endpointId);
      this.wakeups.kick();
    });
  }

  private settled(settled: readonly Settled[]): void {
    const { log, onSettled } = this.deps;
    for (const { end, decision } of settled) {
      this.attempts.delete(end.token);
      this.collecting.delete(end.token);
      logAttempt(log, end, decision);
    }
    onSettled?.(settled);
    // A breaker that closed has moved waits of its scope to now: the drain comes before the next claim.
    if (settled.some(({ decision }) => decision.breakerEvents.includes('closed'))) {
      this.lastCollectAt = Number.NEGATIVE_INFINITY;
    }
    this.wakeups.kick();
  }

  private async gateUnsigned(claim: Claim, why: string): Promise<void> {
    const { store, clock, log } = this.deps;
    const now = clock.now();
    log.error('unsigned', { endpoint: claim.endpointPublicId, why, again_in_ms: UNSIGNED_RETRY_MS });
    await store.setUnsigned(claim.endpointId, { since: now, retryAt: now + UNSIGNED_RETRY_MS });
    await store.release([claim], now);
  }

  private async windDown(): Promise<void> {
    const { clock, options, log } = this.deps;
    this.unsubscribe();
    await this.wakeups.stop();
    const running = [...this.attempts.values()];
    const ended = Promise.all(running.map((attempt) => attempt.end));
    if (running.length > 0) await Promise.race([ended, after(clock, options.graceMs)]);
    for (const attempt of running) attempt.cut();
    await ended;
    await Promise.race([this.settler.flushed(), after(clock, options.graceMs)]);
    log.info('engine_stopped', { unsettled: this.settler.waiting });
  }
}

function announcing(store: Store, announce: (point: KillPoint) => Promise<void>): Pick<Store, 'settle'> {
  return {
    async settle(ends, decider, random) {
      await announce('before_settle');
      const settled = await store.settle(ends, decider, random);
      await announce('after_settle');
      return settled;
    },
  };
}

function after(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => clock.setTimer(clock.now() + ms, resolve));
}
