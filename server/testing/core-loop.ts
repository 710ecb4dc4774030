import { breakerScopeOf, closedBreaker, leaseProbe, WINDOW_ENTRIES } from '@/server/core/breaker';
import { firstState } from '@/server/core/cycle';
import { decider } from '@/server/core/decide';
import type { DecideContext, DecideEnd, Decision } from '@/server/core/decision';
import { dueAfterClosing, expire } from '@/server/core/delivery-state';
import { chooseProbe, gateOf, mayProbe, probeIsDue } from '@/server/core/gates';
import type {
  AttemptEnd,
  Breaker,
  DeliveryFacts,
  DeliveryState,
  EndpointHealth,
  GateInterval,
  NetworkErrorClass,
  WindowEntry,
} from '@/server/core/model';
import type { LadderPart, Policy } from '@/server/core/policy';

/** An endpoint that nothing has happened to. */
export function freshHealth(change: Partial<EndpointHealth> = {}): EndpointHealth {
  return {
    status: 'active',
    disabledReason: null,
    pausedUntil: null,
    failingSince: null,
    lastFailedAt: null,
    consecutiveFailures: 0,
    lastEndReachable: false,
    unsignedSince: null,
    unsignedRetryAt: null,
    ...change,
  };
}

/** A delivery published at 0 and due at 0, unless changed. */
export function pendingState(
  ladder: Pick<LadderPart, 'maxAgeMs'>,
  change: Partial<DeliveryState> = {},
): DeliveryState {
  return { ...firstState({ now: 0, eventCreatedAt: 0, ladder, trigger: 'first' }), ...change };
}

export function answered(statusCode: number, retryAfter: readonly string[] = []): AttemptEnd {
  return { kind: 'answered', statusCode, retryAfter, location: null };
}

export function failed(errorClass: NetworkErrorClass): AttemptEnd {
  return { kind: 'failed', errorClass, message: `it was ${errorClass}` };
}

/** The end of a delivery's first attempt at 0, with its token and cycle, unless changed. */
export function endOf(end: AttemptEnd, change: Partial<DecideEnd> = {}): DecideEnd {
  return {
    deliveryId: 100,
    token: 'mine',
    cycle: 1,
    number: 1,
    trigger: 'first',
    epoch: 1,
    probe: false,
    end,
    endedAt: 0,
    ...change,
  };
}

/** What the end above finds where nothing came between: its lease, a fresh endpoint, a closed breaker if the policy names one. */
export function contextOf(policy: Policy, change: Partial<DecideContext> = {}): DecideContext {
  return {
    now: 0,
    delivery: { ...pendingState(policy), lease: { token: 'mine' } },
    facts: { eventCreatedAt: 0, money: false, isTest: false },
    endpoint: freshHealth(),
    breaker: policy.breaker === undefined ? null : closedBreaker(),
    policy,
    ladder: policy,
    gates: [],
    window: [],
    ...change,
  };
}

export interface LoopAttempt {
  deliveryId: number;
  endpointId: number;
  number: number;
  at: number;
  probe: boolean;
  decision: Decision;
}

interface LoopEndpoint {
  id: number;
  health: EndpointHealth;
  breaker: 'app' | number;
}

interface LoopDelivery {
  id: number;
  endpointId: number;
  state: DeliveryState;
  facts: DeliveryFacts;
}

interface Counted extends WindowEntry {
  breaker: string;
  epoch: number | null;
}

export interface LoopOptions {
  policy: Policy;
  /** What an attempt that starts at `at` ends with; it ends at once. */
  answer: (attempt: { deliveryId: number; endpointId: number; number: number; at: number }) => AttemptEnd;
  random?: () => number;
}

/**
 * The store in miniature: one app, attempts that end the instant they start, one at a time, and the same pure
 * functions as the real one. For golden tables and properties; it proves nothing about the store.
 */
export class CoreLoop {
  readonly attempts: LoopAttempt[] = [];
  readonly endpoints = new Map<number, LoopEndpoint>();
  readonly deliveries = new Map<number, LoopDelivery>();
  readonly breakers = new Map<string, Breaker>();
  readonly intervals: GateInterval[] = [];
  now = 0;
  private counted: Counted[] = [];
  private readonly options: LoopOptions;

  constructor(options: LoopOptions) {
    this.options = options;
  }

  endpoint(id: number, change: Partial<EndpointHealth> = {}): void {
    this.endpoints.set(id, { id, health: freshHealth(change), breaker: 'app' });
  }

  publish(delivery: { id: number; endpointId: number; at?: number; money?: boolean }): void {
    const at = delivery.at ?? this.now;
    const facts = { eventCreatedAt: at, money: delivery.money ?? false, isTest: false };
    const state = firstState({ now: at, eventCreatedAt: at, ladder: this.options.policy, trigger: 'first' });
    this.deliveries.set(delivery.id, { id: delivery.id, endpointId: delivery.endpointId, state, facts });
  }

  breakerKey(endpointId: number): string | null {
    const scope = breakerScopeOf(this.options.policy);
    if (scope === null) return null;
    return scope === 'app' ? 'app' : `endpoint ${endpointId}`;
  }

  breakerOf(endpointId: number): Breaker | null {
    const key = this.breakerKey(endpointId);
    return key === null ? null : (this.breakers.get(key) ?? closedBreaker());
  }

  private gateInput(endpointId: number, now: number) {
    const endpoint = this.endpoints.get(endpointId);
    if (endpoint === undefined) throw new Error(`no endpoint ${endpointId}`);
    return {
      health: endpoint.health,
      breaker: this.breakerOf(endpointId),
      scope: breakerScopeOf(this.options.policy),
      now,
    };
  }

  private pending(): LoopDelivery[] {
    return [...this.deliveries.values()].filter(
      ({ state }) => state.status === 'pending' && state.dueAt !== null,
    );
  }

  /** The next instant at which something may start. */
  private nextAt(): number | null {
    const instants = this.pending().map(({ state, endpointId }) => {
      const dueAt = Math.max(state.dueAt ?? 0, this.now);
      const gate = gateOf(this.gateInput(endpointId, dueAt));
      return gate === null ? dueAt : gate.until === null ? dueAt : Math.max(dueAt, gate.until);
    });
    return instants.length === 0 ? null : Math.min(...instants);
  }

  private attempt(delivery: LoopDelivery, claim: { probe: boolean }): void {
    const { policy, answer } = this.options;
    const key = this.breakerKey(delivery.endpointId);
    const endpoint = this.endpoints.get(delivery.endpointId);
    if (endpoint === undefined) throw new Error('no endpoint');
    const number = delivery.state.attempts + 1;
    const token = `${delivery.id}/${number}`;
    if (claim.probe && key !== null) {
      const leased = leaseProbe(this.breakers.get(key) ?? closedBreaker(), {
        deliveryId: delivery.id,
        token,
      });
      this.breakers.set(key, leased.breaker);
    }
    const breaker = key === null ? null : (this.breakers.get(key) ?? closedBreaker());
    const at = this.now;
    const end: DecideEnd = {
      deliveryId: delivery.id,
      token,
      cycle: delivery.state.cycle,
      number,
      trigger: claim.probe ? 'probe' : delivery.state.nextTrigger,
      epoch: breaker?.epoch ?? null,
      probe: claim.probe,
      end: answer({ deliveryId: delivery.id, endpointId: delivery.endpointId, number, at }),
      endedAt: at,
    };
    const context: DecideContext = {
      now: at,
      delivery: { ...delivery.state, lease: { token } },
      facts: delivery.facts,
      endpoint: endpoint.health,
      breaker,
      policy,
      ladder: policy,
      gates: this.intervals,
      window: [],
    };
    const window = decider.needsWindow(end, context)
      ? this.counted
          .filter((entry) => entry.breaker === key && entry.epoch === breaker?.epoch)
          .slice(-WINDOW_ENTRIES)
          .reverse()
      : [];
    const decision = decider.decide(end, { ...context, window }, this.options.random ?? (() => 0));
    this.attempts.push({
      deliveryId: delivery.id,
      endpointId: delivery.endpointId,
      number,
      at,
      probe: claim.probe,
      decision,
    });
    if (decision.delivery !== null) delivery.state = decision.delivery;
    if (decision.health !== null) endpoint.health = decision.health;
    if (decision.counted !== null && key !== null) {
      this.counted.push({
        attemptId: this.attempts.length,
        deliveryId: delivery.id,
        endedAt: at,
        failure: decision.counted === 'failure',
        breaker: key,
        epoch: end.epoch,
      });
    }
    if (decision.breaker !== null && key !== null) {
      this.breakers.set(key, decision.breaker);
      if (decision.breaker.state === 'closed') this.drain(key, at);
    }
  }

  private drain(key: string, closedAt: number): void {
    for (const delivery of this.deliveries.values()) {
      if (this.breakerKey(delivery.endpointId) !== key) continue;
      delivery.state = dueAfterClosing(delivery.state, { closedAt, now: this.now }) ?? delivery.state;
    }
  }

  private probeOf(key: string, due: readonly LoopDelivery[]): LoopDelivery | null {
    const breaker = this.breakers.get(key);
    if (breaker === undefined || !probeIsDue(breaker, this.now)) return null;
    const candidates = due
      .filter(
        (it) => this.breakerKey(it.endpointId) === key && mayProbe(this.gateInput(it.endpointId, this.now)),
      )
      .map((it) => ({ id: it.id, fast: it.state.fast, dueAt: it.state.dueAt ?? 0 }));
    const chosen = chooseProbe(candidates);
    return chosen === null ? null : (due.find((it) => it.id === chosen.id) ?? null);
  }

  /** One attempt, or one expiry, or false where nothing is to be done until `until`. */
  private turn(until: number): boolean {
    const at = this.nextAt();
    if (at === null || at > until) return false;
    this.now = Math.max(this.now, at);
    for (const delivery of this.pending()) {
      const over = expire({
        state: delivery.state,
        facts: delivery.facts,
        ladder: this.options.policy,
        gates: this.intervals,
        endpointStatus: this.endpoints.get(delivery.endpointId)?.health.status ?? null,
        now: this.now,
      });
      if (over !== null) delivery.state = over;
    }
    const due = this.pending()
      .filter(({ state }) => (state.dueAt ?? 0) <= this.now)
      .sort((a, b) => (a.state.dueAt ?? 0) - (b.state.dueAt ?? 0) || a.id - b.id);
    for (const key of this.breakers.keys()) {
      const probe = this.probeOf(key, due);
      if (probe !== null) {
        this.attempt(probe, { probe: true });
        return true;
      }
    }
    const free = due.find((it) => gateOf(this.gateInput(it.endpointId, this.now)) === null);
    if (free === undefined) return due.length === 0 || this.skipGate(until);
    this.attempt(free, { probe: false });
    return true;
  }

  /** Everything due is held: on to the end of a gate, or nothing more to do. */
  private skipGate(until: number): boolean {
    const ends = this.pending()
      .map(
        (it) => gateOf(this.gateInput(it.endpointId, Math.max(this.now, it.state.dueAt ?? 0)))?.until ?? null,
      )
      .filter((end) => end !== null)
      .filter((end) => end > this.now && end <= until);
    if (ends.length === 0) return false;
    this.now = Math.min(...ends);
    return true;
  }

  /** Runs until nothing is left to do before `until`. */
  run(until: number): void {
    while (this.turn(until)) {
      if (this.attempts.length > 200_000) throw new Error('it does not end');
    }
    this.now = Math.max(this.now, until);
  }

  /** When a delivery's attempts started. */
  instants(deliveryId: number): readonly number[] {
    return this.attempts.filter((it) => it.deliveryId === deliveryId).map(({ at }) => at);
  }

  stateOf(deliveryId: number): DeliveryState {
    const delivery = this.deliveries.get(deliveryId);
    if (delivery === undefined) throw new Error(`no delivery ${deliveryId}`);
    return delivery.state;
  }
}
