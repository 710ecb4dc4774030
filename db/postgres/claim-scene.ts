import { chooseProbe } from '@/server/core/gates';
import type { ClaimRequest } from '@/server/ports/store';
import type { Candidate } from '../sqlite/claim-statements';
import { deliveryIdOf, type RawDelivery } from '../sqlite/delivery-row';
import { behindApp, createHeads, type Heads, loadFirst, type WalkKind } from './claim-heads';
import { ClaimLocks } from './claim-locks';
import * as sql from './claim-sql';
import { loadExtensions } from './lanes';
import type { Want } from './missing';
import type { Policies } from './policies';
import type { Transaction } from './transactions';

/** Due rows of one lane, all of them held; `complete`: there are no more than these. */
export interface LaneQueue {
  rows: readonly RawDelivery[];
  complete: boolean;
}

type PerWalk<T> = Record<WalkKind, T>;

const perWalk = <T>(make: (kind: WalkKind) => T): PerWalk<T> => ({
  ordinary: make('ordinary'),
  suspect: make('suspect'),
});

/** Lanes held and rows read at once, for each free slot: some lanes turn out to have less than their share. */
const A_SLOT = 2;
const MOST_LANES = 256;

/**
 * What one claim knows, read piece by piece as its plan asks for it, each piece for all lanes that are likely to be
 * asked for next.
 */
export class ClaimScene {
  readonly locks: ClaimLocks;
  readonly heads: PerWalk<Heads> = perWalk(createHeads);
  readonly queues: PerWalk<Map<number, LaneQueue>> = perWalk(() => new Map());
  readonly nextDue: PerWalk<Map<number, number | undefined>> = perWalk(() => new Map());
  readonly candidates: PerWalk<Map<number, readonly Candidate[]>> = perWalk(() => new Map());
  /** Probes to be, held; undefined: another transaction has it. */
  readonly rows = new Map<number, RawDelivery | undefined>();
  tests: readonly RawDelivery[] | undefined;

  constructor(
    private readonly transaction: Transaction,
    private readonly request: ClaimRequest,
    readonly policies: Policies,
  ) {
    this.locks = new ClaimLocks(transaction, request, policies);
  }

  /** What every plan asks for first. */
  async open(suspectAfterAppId: number): Promise<void> {
    const from = { ordinary: behindApp(this.request.afterAppId), suspect: behindApp(suspectAfterAppId) };
    const { tests } = await loadFirst(this.transaction.client, { now: this.request.now, from }, this.heads);
    if (!tests) this.tests = [];
  }

  async load(want: Want): Promise<void> {
    const { client } = this.transaction;
    switch (want.kind) {
      case 'heads':
        return this.heads[want.of].load(client, want.from);
      case 'lane':
        return this.readLanes(want.endpointId);
      case 'tests':
        return this.readTests();
      case 'hold':
        return this.holdLanes(want.endpointId);
      case 'holdBreaker':
        return this.locks.holdBreakers(want.id);
      case 'rows':
        return this.readQueues(want.of, want.endpointId);
      case 'row':
        return this.readRows(want.id);
      case 'nextDue':
        return this.readNextDue(want.of, want.endpointId);
      case 'candidates':
        return this.readCandidates(want.of, want.endpointId);
      case 'extensions':
        return loadExtensions(client, [want.endpointId], this.locks.lanes);
      default: {
        const never: never = want;
        return never;
      }
    }
  }

  private due(kind: WalkKind) {
    return this.heads[kind].dueAt(this.request.now);
  }

  private async readLanes(endpointId: number): Promise<void> {
    const due = [...this.due('ordinary'), ...this.due('suspect')].map((key) => key.endpointId);
    await this.locks.read([endpointId, ...due]);
  }

  private async readTests(): Promise<void> {
    const { client } = this.transaction;
    const found = await sql.dueTests(client, this.request.now);
    this.tests = [];
    if (found.length === 0) return;
    await this.locks.hold(
      found.flatMap(({ endpointId }) => endpointId ?? []),
      'skip',
    );
    const free = found.filter(({ endpointId }) => endpointId === null || !this.locks.isContended(endpointId));
    const ids = free.map(({ id }) => id);
    this.tests = await sql.holdRows(client, ids);
    await this.policies.load(client, this.tests.map(sql.policyIdOfRow));
  }

  private async holdLanes(endpointId: number): Promise<void> {
    const due = [...this.due('suspect'), ...this.due('ordinary')].map((key) => key.endpointId);
    const promising = due.filter((id) => this.locks.isPromising(id));
    const most = Math.min(MOST_LANES, A_SLOT * this.request.slots);
    await this.locks.hold([endpointId, ...promising].slice(0, most), 'skip');
  }

  /** As many rows of each held lane as are its fair share; where that was not enough, twice as many as before. */
  private async readQueues(kind: WalkKind, endpointId: number): Promise<void> {
    await this.transaction.begin();
    const { client } = this.transaction;
    const queues = this.queues[kind];
    const lanes = this.due(kind).filter(
      ({ endpointId: id }) =>
        id === endpointId || (this.locks.holds(id) && queues.get(id)?.complete !== true),
    );
    const share = Math.ceil((A_SLOT * this.request.slots) / Math.max(lanes.length, 1));
    const wanted = lanes.map((key) => {
      const most = Math.max(this.locks.free(key.endpointId), 1);
      const before = queues.get(key.endpointId)?.rows.length ?? 0;
      return { ...key, limit: Math.max(Math.min(most, Math.max(share, 2 * before)), before + 1) };
    });
    const found = await sql.holdDue(client, { kind, lanes: wanted, now: this.request.now });
    queues.set(endpointId, { rows: [], complete: true });
    for (const { endpointId: id, limit } of wanted) {
      const rows = found.get(id) ?? [];
      queues.set(id, { rows, complete: rows.length < limit });
    }
    await this.policies.load(client, [...found.values()].flat().map(sql.policyIdOfRow));
  }

  /** The row asked for, and those that other lanes will choose. */
  private async readRows(id: number): Promise<void> {
    await this.transaction.begin();
    const lists = [...this.candidates.ordinary.values(), ...this.candidates.suspect.values()];
    const others = lists.flatMap((list) => chooseProbe(list)?.id ?? []);
    const ids = [...new Set([id, ...others])].filter((each) => !this.rows.has(each));
    const found = await sql.holdRows(this.transaction.client, ids);
    for (const each of ids) this.rows.set(each, undefined);
    for (const raw of found) this.rows.set(deliveryIdOf(raw), raw);
    await this.policies.load(this.transaction.client, found.map(sql.policyIdOfRow));
  }

  private async readNextDue(kind: WalkKind, endpointId: number): Promise<void> {
    const found = this.nextDue[kind];
    const lanes = this.due(kind).filter(
      ({ endpointId: id }) => id === endpointId || (this.locks.holds(id) && !found.has(id)),
    );
    const next = await sql.nextDue(this.transaction.client, { kind, lanes, now: this.request.now });
    found.set(endpointId, undefined);
    for (const key of lanes) found.set(key.endpointId, next.get(key.endpointId));
  }

  private async readCandidates(kind: WalkKind, endpointId: number): Promise<void> {
    const found = this.candidates[kind];
    const lanes = this.due(kind).filter(
      ({ endpointId: id }) => id === endpointId || (this.locks.mayProbe(id) && !found.has(id)),
    );
    const read = await sql.candidates(this.transaction.client, { kind, lanes, now: this.request.now });
    found.set(endpointId, []);
    for (const key of lanes) found.set(key.endpointId, read.get(key.endpointId) ?? []);
  }
}
