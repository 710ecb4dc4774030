import type { ClaimRequest } from '@/server/ports/store';
import type { Raw } from '../sqlite/rows';
import { SHORT_WAIT } from './claim-sql';
import { emptyLaneRows, type LaneRows, loadLanes, loadSecrets, lockBreakers, lockEndpoints } from './lanes';
import type { Policies } from './policies';
import type { Transaction } from './transactions';

/**
 * The lanes of one claim, and which of them it holds.
 *
 * How a cap holds over many engines: leases of an endpoint are given under the lock of its row alone, and its running
 * leases are counted by a statement that begins after the lock is held, so that it sees those of every claim before. A
 * lease may end without the lock, which makes the count too high, never too low. How a probe is one over many engines:
 * it is leased under the lock of its breaker's row, which is read again after the lock is held.
 *
 * A lock that another transaction holds is not waited for, since one that hangs would hold up every other lane: its
 * lane is passed over and said to be contended. Only a claim that holds nothing waits (`waitFor`).
 */
export class ClaimLocks {
  readonly lanes: LaneRows = emptyLaneRows();
  readonly contended = new Set<number>();
  private readonly lanesRead = new Set<number>();
  private readonly held = new Set<number>();
  private readonly heldBreakers = new Set<number>();
  private readonly busyBreakers = new Set<number>();

  constructor(
    private readonly transaction: Transaction,
    private readonly request: ClaimRequest,
    private readonly policies: Policies,
  ) {}

  isRead(endpointId: number): boolean {
    return this.lanesRead.has(endpointId);
  }

  holds(endpointId: number): boolean {
    return this.held.has(endpointId);
  }

  holdsBreaker(id: number): boolean {
    return this.heldBreakers.has(id);
  }

  isBusyBreaker(id: unknown): boolean {
    return this.busyBreakers.has(Number(id));
  }

  isContended(endpointId: number): boolean {
    return (
      this.contended.has(endpointId) || this.breakersOf(endpointId).some(({ id }) => this.isBusyBreaker(id))
    );
  }

  get anyContended(): boolean {
    return this.contended.size > 0 || this.busyBreakers.size > 0;
  }

  /** Running leases, exact where the lane is held; one that is contended counts as full. */
  running(endpointId: number): number {
    if (this.isContended(endpointId)) return Number.MAX_SAFE_INTEGER;
    return Number(this.lanes.endpoints.get(endpointId)?.['running'] ?? 0);
  }

  /** Slots that the lane has left, as far as is known without holding it. */
  free(endpointId: number): number {
    const cap = this.lanes.endpoints.get(endpointId)?.['concurrency'] ?? this.request.endpointConcurrency;
    return Math.min(Number(cap) - this.running(endpointId), this.request.endpointSlots(endpointId));
  }

  /** By what is known without holding it: that it has slots left, and that nothing holds it back. */
  isPromising(endpointId: number): boolean {
    const raw = this.lanes.endpoints.get(endpointId);
    if (raw === undefined || this.held.has(endpointId) || raw['status'] !== 'active') return false;
    if (Number(raw['paused_until'] ?? 0) > this.request.now || this.free(endpointId) <= 0) return false;
    const holding = this.breakersOf(endpointId).filter(({ state }) => state !== 'closed');
    return holding.every((breaker) => this.isDue(breaker)) || raw['last_end_reachable'] === 1;
  }

  /** Whether one of its rows may be the probe of a breaker. */
  mayProbe(endpointId: number): boolean {
    return this.held.has(endpointId) && this.breakersOf(endpointId).some((breaker) => this.isDue(breaker));
  }

  breakerOfProbe(deliveryId: number): Raw | undefined {
    for (const raw of this.lanes.breakers.values()) if (raw['probe_delivery_id'] === deliveryId) return raw;
    return undefined;
  }

  async read(ids: readonly number[]): Promise<void> {
    const unread = [...new Set(ids)].filter((id) => !this.lanesRead.has(id));
    for (const id of unread) this.lanesRead.add(id);
    await this.reload(unread);
  }

  /** Waits for lanes that others held. Only for a transaction that holds nothing. */
  async waitFor(ids: readonly number[]): Promise<void> {
    await this.transaction.begin();
    await this.transaction.client.query(SHORT_WAIT);
    await this.hold(ids, 'wait');
  }

  async hold(ids: readonly number[], how: 'wait' | 'skip'): Promise<void> {
    await this.transaction.begin();
    const { client } = this.transaction;
    const wanted = [...new Set(ids)].filter((id) => !this.held.has(id));
    const got = await lockEndpoints(client, wanted, how);
    for (const id of wanted) this.lanesRead.add(id);
    for (const id of got) this.held.add(id);
    await this.reload(wanted);
    // One that is gone is nobody's: the plan finds that it is.
    for (const id of wanted) if (!this.held.has(id) && this.lanes.endpoints.has(id)) this.contended.add(id);
    await loadSecrets(client, { ids: got, now: this.request.now }, this.lanes);
  }

  /** Holds the breaker asked for, and with it those whose probe is due. */
  async holdBreakers(id: number): Promise<void> {
    await this.transaction.begin();
    const { client } = this.transaction;
    const due = [...this.held]
      .flatMap((endpointId) => this.breakersOf(endpointId))
      .filter((raw) => this.isDue(raw));
    const ids = [...new Set([id, ...due.map((raw) => Number(raw['id']))])];
    const wanted = ids.filter((each) => !this.heldBreakers.has(each) && !this.busyBreakers.has(each));
    const got = new Set(await lockBreakers(client, wanted, 'skip'));
    for (const each of wanted) (got.has(each) ? this.heldBreakers : this.busyBreakers).add(each);
    await this.reload([...this.lanesRead]);
  }

  private reload(ids: readonly number[]): Promise<void> {
    return loadLanes(this.transaction.client, ids, { rows: this.lanes, policies: this.policies });
  }

  private breakersOf(endpointId: number): Raw[] {
    const endpoint = this.lanes.endpoints.get(endpointId);
    const keys = [`${endpointId}`, `${endpoint?.['app_id']}/${endpoint?.['environment']}`];
    return keys.flatMap((key): Raw[] => {
      const raw = this.lanes.breakers.get(key);
      return raw === undefined ? [] : [raw];
    });
  }

  /** R-BRK-3 */
  private isDue(breaker: Raw): boolean {
    const inFlight = breaker['probe_delivery_id'] !== null;
    return breaker['state'] !== 'closed' && !inFlight && Number(breaker['probe_at'] ?? 0) <= this.request.now;
  }
}
