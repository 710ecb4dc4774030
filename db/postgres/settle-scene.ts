import { stateOf } from '@/server/core/decide';
import type { DeliveryFacts, WindowEntry } from '@/server/core/model';
import type { LadderPart } from '@/server/core/policy';
import type { DeliveryRow } from '@/server/ports/records';
import type { Decision, SettleContext, SettleEnd } from '@/server/ports/store';
import { DELIVERY_COLUMNS, deliveryIdOf, deliveryOf, type RawDelivery } from '../sqlite/delivery-row';
import type { BreakerHolder, Lane } from '../sqlite/lane';
import { CorruptRow, type Raw } from '../sqlite/rows';
import { type Client, select, selectArrays } from './connect';
import { Outrun } from './errors';
import {
  createLaneCache,
  emptyLaneRows,
  extensionsSince,
  type LaneCache,
  type LaneRows,
  loadExtensions,
  loadLanes,
  lockBreakers,
  lockEndpoints,
} from './lanes';
import type { Policies } from './policies';
import { createWindows, type Windows } from './windows';

const MOST_ROUNDS = 5;

const NO_FACTS: DeliveryFacts = { eventCreatedAt: 0, money: false, isTest: false };

/** What one end finds, with the places where its decision is written. */
export interface Found {
  context: SettleContext;
  breaker: BreakerHolder | null;
  lane: Lane | null;
}

/** Null where it cannot be read: then nothing of it can be decided. */
function readable<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof CorruptRow) return null;
    throw error;
  }
}

/** Whether the end leaves its endpoint and breaker as they are for certain, so that their rows need not be held. */
function leavesAsIs(end: SettleEnd, lane: Lane | null): boolean {
  if (lane === null) return true;
  const { endpoint, breaker } = lane;
  const delivered = end.end.kind === 'answered' && end.end.statusCode >= 200 && end.end.statusCode < 300;
  const sound =
    endpoint.failingSince === null && endpoint.consecutiveFailures === 0 && endpoint.lastEndReachable;
  const still = breaker === null || (breaker.row.state === 'closed' && breaker.row.id !== 0);
  return delivered && sound && still && !end.probe;
}

/**
 * All that a group of ends touches, held in the order that everyone keeps: deliveries, endpoints, breakers. What only
 * succeeds at an endpoint that is well holds its delivery alone.
 */
export class SettleScene {
  readonly windows: Windows;
  private readonly deliveries = new Map<number, DeliveryRow>();
  private readonly lanes: LaneRows = emptyLaneRows();
  private readonly heldEndpoints = new Set<number>();
  private readonly heldBreakers = new Set<number>();
  private readonly probes = new Map<string, Raw>();
  private cache: LaneCache;
  /** Deliveries that cannot be read, with their ends. */
  readonly unreadable: SettleEnd[] = [];

  constructor(
    private readonly client: Client,
    private readonly ends: readonly SettleEnd[],
    private readonly policies: Policies,
  ) {
    this.windows = createWindows(client);
    this.cache = createLaneCache(this.lanes, policies, 0);
  }

  holdsEndpoint(id: number): boolean {
    return this.heldEndpoints.has(id);
  }

  holdsBreaker(id: number): boolean {
    return this.heldBreakers.has(id);
  }

  /** Lanes whose breaker has no row yet. */
  countUnmade(): number {
    const ids = [...this.heldEndpoints];
    return ids.filter((id) => readable(() => this.cache.lane(id))?.breaker?.row.id === 0).length;
  }

  /** `everything`: also what is thought to stay as it is. */
  async open(everything: boolean): Promise<void> {
    await this.holdDeliveries();
    const ids = [...new Set(this.ends.map(({ endpointId }) => endpointId))];
    await this.readLanes(ids);
    const moving = this.ends.filter(
      (end) =>
        everything ||
        !leavesAsIs(
          end,
          readable(() => this.cache.lane(end.endpointId)),
        ),
    );
    if (moving.length > 0) await this.holdLanes([...new Set(moving.map(({ endpointId }) => endpointId))]);
    await this.holdProbes();
    const slow = [...this.deliveries.values()].filter(({ slowStartedAt }) => slowStartedAt !== null);
    if (slow.length > 0)
      await loadExtensions(
        this.client,
        slow.flatMap((row) => row.endpointId ?? []),
        this.lanes,
      );
  }

  private async holdDeliveries(): Promise<void> {
    const rows = await selectArrays(
      this.client,
      `SELECT ${DELIVERY_COLUMNS} FROM deliveries d WHERE d.id = ANY($1::bigint[]) ORDER BY d.id FOR NO KEY UPDATE`,
      [[...new Set(this.ends.map(({ deliveryId }) => deliveryId))]],
    );
    for (const raw of rows) this.keep(raw);
    await this.policies.load(
      this.client,
      [...this.deliveries.values()].map(({ policyId }) => policyId),
    );
  }

  private keep(raw: RawDelivery): void {
    const id = deliveryIdOf(raw);
    const row = readable(() => deliveryOf(raw));
    if (row !== null) this.deliveries.set(id, row);
    else this.unreadable.push(...this.ends.filter(({ deliveryId }) => deliveryId === id).slice(0, 1));
  }

  private async readLanes(ids: readonly number[]): Promise<void> {
    await loadLanes(this.client, ids, { rows: this.lanes, policies: this.policies });
    this.cache = createLaneCache(this.lanes, this.policies, this.ends[0]?.endedAt ?? 0);
  }

  /** Held first, and read again: what was read before may have moved meanwhile, and a breaker may have been made. */
  private async holdLanes(ids: readonly number[]): Promise<void> {
    for (const id of await lockEndpoints(this.client, ids, 'wait')) this.heldEndpoints.add(id);
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      const found = ids.flatMap((id) => readable(() => this.cache.lane(id))?.breaker?.row.id ?? []);
      const unheld = [...new Set(found)].filter((id) => id !== 0 && !this.heldBreakers.has(id));
      if (round > 0 && unheld.length === 0) return;
      for (const id of await lockBreakers(this.client, unheld, 'wait')) this.heldBreakers.add(id);
      await this.readLanes([...new Set(this.ends.map(({ endpointId }) => endpointId))]);
    }
    throw new Outrun('Breakers change as fast as they are read.');
  }

  /** Of a probe whose endpoint is gone, the breaker that still waits for it. */
  private async holdProbes(): Promise<void> {
    const orphans = this.ends.filter((end) => end.probe && !this.lanes.endpoints.has(end.endpointId));
    for (const { appId, environment, token } of orphans) {
      const [raw] = await select<Raw>(
        this.client,
        `SELECT * FROM breakers WHERE app_id = $1 AND environment = $2 AND probe_token = $3 FOR NO KEY UPDATE`,
        [appId, environment, token],
      );
      if (raw === undefined) continue;
      this.probes.set(token, raw);
      this.heldBreakers.add(Number(raw['id']));
    }
  }

  private breakerOf(end: SettleEnd, lane: Lane | null): BreakerHolder | null {
    if (lane !== null || !end.probe) return lane?.breaker ?? null;
    const raw = this.probes.get(end.token);
    return raw === undefined ? null : readable(() => this.cache.hold(raw));
  }

  async find(end: SettleEnd): Promise<Found> {
    const row = this.deliveries.get(end.deliveryId) ?? null;
    const lane = readable(() => this.cache.lane(end.endpointId));
    const breaker = this.breakerOf(end, lane);
    const ladder: LadderPart | null = row === null ? null : readable(() => this.policies.of(row.policyId));
    const since = row?.slowStartedAt ?? null;
    if (since !== null && !this.lanes.extensions.has(end.endpointId)) {
      await loadExtensions(this.client, [end.endpointId], this.lanes);
    }
    const context: SettleContext = {
      now: end.endedAt,
      delivery: row,
      facts: row ?? NO_FACTS,
      endpoint: lane?.endpoint ?? null,
      breaker: breaker?.row ?? null,
      policy: lane?.policy ?? null,
      ladder,
      gates: since === null ? [] : extensionsSince(this.lanes, end.endpointId, since),
      window: [],
    };
    return { context, breaker, lane };
  }

  /** The ends that count now, newest first. */
  async window({ context: { breaker, policy, now } }: Found): Promise<readonly WindowEntry[]> {
    if (breaker === null || policy?.breaker === undefined) return [];
    return this.windows.of(breaker, now - policy.breaker.windowMs);
  }

  /** What a later end of the same delivery finds. */
  moved(end: SettleEnd, decision: Decision, measured: number | null): void {
    const row = this.deliveries.get(end.deliveryId);
    if (row === undefined) return;
    const owns = decision.releaseLease && row.lease?.token === end.token;
    this.deliveries.set(end.deliveryId, {
      ...row,
      ...(decision.delivery === null ? {} : stateOf(decision.delivery)),
      lastDurationMs: decision.delivery === null ? row.lastDurationMs : (measured ?? row.lastDurationMs),
      lease: owns ? null : row.lease,
    });
  }
}
