import { giveBackTurn, leaseProbe, probeIsOrphan } from '@/server/core/breaker';
import { deadlineOf } from '@/server/core/deadline';
import { expire } from '@/server/core/delivery-state';
import type { Gate } from '@/server/core/gates';
import type { Breaker, BreakerEventKind, Trigger } from '@/server/core/model';
import type { Policy } from '@/server/core/policy';
import type { DeliveryRow, Lease, SecretRow } from '@/server/ports/records';
import type { Change, Claim, ClaimRequest } from '@/server/ports/store';
import type { ClaimStatements } from './claim-statements';
import { deliveryIdOf, deliveryOf, eventPartOf, type RawDelivery } from './delivery-row';
import { type BreakerHolder, type Lane, type LaneBook, type LaneReader, laneGate } from './lane';
import { CorruptRow } from './rows';
import type { Writes } from './writes';

/** How many rows one claim may end (too old, unreadable) before it leaves the rest to the next. */
const ENDINGS = 200;

export interface ClaimDeps {
  statements: ClaimStatements;
  lanes: LaneReader;
  writes: Writes;
  note: (change: Change) => void;
}

/** A lane with what this claim may still take of it. */
export interface ClaimLane {
  lane: Lane;
  gate: Gate | null;
  /** Slots left to it, see `freeOf`; null until asked for, since most lanes behind gates never are. */
  free: number | null;
  cap: number;
  secrets: readonly SecretRow[] | null;
}

/** One claim's transaction, as it goes. */
export interface ClaimRun {
  deps: ClaimDeps;
  request: ClaimRequest;
  book: LaneBook;
  slots: number;
  endings: number;
  claims: Claim[];
  setAside: { deliveryId: number; why: string }[];
  nextDueAt: number | null;
  lanes: Map<number, ClaimLane | string>;
  /** Breakers whose probe was looked for already. */
  probed: Set<BreakerHolder>;
}

export function openRun(deps: ClaimDeps, request: ClaimRequest): ClaimRun {
  return {
    deps,
    request,
    book: deps.lanes.open(request.now),
    slots: request.slots,
    endings: ENDINGS,
    claims: [],
    setAside: [],
    nextDueAt: null,
    lanes: new Map(),
    probed: new Set(),
  };
}

/** There may be something to claim at `at`. */
export function noteDue(run: ClaimRun, at: number | null | undefined): void {
  if (at === null || at === undefined) return;
  run.nextDueAt = run.nextDueAt === null ? at : Math.min(run.nextDueAt, at);
}

export function setAside(run: ClaimRun, deliveryId: number, why: string): void {
  run.deps.writes.setAside(deliveryId, run.request.now);
  run.setAside.push({ deliveryId, why });
  run.endings -= 1;
}

/** A probe in flight that has lost its row or its lease gives its turn back (R-BRK-7). */
function recallOrphan(run: ClaimRun, holder: BreakerHolder): void {
  const { probeDeliveryId } = holder.row;
  if (probeDeliveryId === null) return;
  if (!probeIsOrphan(holder.row, run.deps.statements.leaseToken(probeDeliveryId))) return;
  moveBreaker(run, holder, giveBackTurn(holder.row, run.request.now));
}

function moveBreaker(
  run: ClaimRun,
  holder: BreakerHolder,
  move: { breaker: Breaker; events: readonly BreakerEventKind[] },
): void {
  const { appId, environment } = holder.row;
  run.deps.writes.breaker(holder, move.breaker, { events: move.events, now: run.request.now });
  run.deps.note({ appId, environment, kind: 'breaker' });
}

function readLane(run: ClaimRun, endpointId: number): ClaimLane | string {
  const { request, book } = run;
  try {
    const lane = book.lane(endpointId);
    if (lane === null) return 'endpoint missing';
    if (lane.breaker !== null) recallOrphan(run, lane.breaker);
    const cap = lane.endpoint.concurrency ?? request.endpointConcurrency;
    return { lane, gate: laneGate(lane, request.now), free: null, cap, secrets: null };
  } catch (error) {
    if (error instanceof CorruptRow) return error.message;
    throw error;
  }
}

/** A lane, or why it cannot be read: then none of its rows can be sent. */
export function laneOf(run: ClaimRun, endpointId: number): ClaimLane | string {
  const known = run.lanes.get(endpointId);
  if (known !== undefined) return known;
  const lane = readLane(run, endpointId);
  run.lanes.set(endpointId, lane);
  return lane;
}

/** Free slots: its cap over all engines and this engine's own grant, whichever is less (R-DEL-8). */
export function freeOf(run: ClaimRun, claimLane: ClaimLane): number {
  if (claimLane.free === null) {
    const { id } = claimLane.lane.endpoint;
    const overAll = claimLane.cap - run.deps.statements.running(id);
    claimLane.free = Math.min(overAll, run.request.endpointSlots(id));
  }
  return claimLane.free;
}

function secretsOf(run: ClaimRun, claimLane: ClaimLane): readonly SecretRow[] {
  if (claimLane.secrets !== null) return claimLane.secrets;
  try {
    claimLane.secrets = run.deps.lanes.secrets(claimLane.lane.endpoint.id, run.request.now);
  } catch (error) {
    // A secret that cannot be read cannot be opened: its endpoint is gated, its deliveries wait (R-ATT-9).
    if (!(error instanceof CorruptRow)) throw error;
    claimLane.secrets = [];
  }
  return claimLane.secrets;
}

/** No attempt starts after a deadline (R-BRK-9). True: the row has ended, and is written. */
function endedByDeadline(run: ClaimRun, { lane }: ClaimLane, row: DeliveryRow): boolean {
  const { now } = run.request;
  if (row.deadlineAt >= now) return false;
  const { slowStartedAt } = row;
  const gates = slowStartedAt === null ? [] : run.deps.lanes.extensions(lane.endpoint.id, slowStartedAt);
  const input = { state: row, facts: row, ladder: run.book.policy(row.policyId), gates, now };
  const ended = expire({ ...input, endpointStatus: lane.endpoint.status });
  if (ended === null) {
    run.deps.writes.deadline(row.id, deadlineOf(input).at);
    return false;
  }
  run.deps.writes.state(row.id, ended);
  run.deps.note({ appId: row.appId, environment: row.environment, kind: 'delivery' });
  run.endings -= 1;
  return true;
}

/** R-ATT-12: who, where a person caused this very attempt. */
function actorOf(row: DeliveryRow): string | null {
  const trigger: Trigger = row.nextTrigger;
  return trigger === 'resend' || trigger === 'replay' || trigger === 'test' ? row.actor : null;
}

/** The epoch that the claim notes (R-BRK-7); a probe's lease is noted on the breaker's row first. */
function epochOf(
  run: ClaimRun,
  lane: Lane,
  at: { row: DeliveryRow; token: string; probe: boolean },
): number | null {
  if (lane.breaker === null || at.row.nextTrigger === 'test') return null;
  if (at.probe) {
    moveBreaker(run, lane.breaker, leaseProbe(lane.breaker.row, { deliveryId: at.row.id, token: at.token }));
  }
  return lane.breaker.row.epoch;
}

function leaseFor(run: ClaimRun, lane: Lane, at: { row: DeliveryRow; probe: boolean }): Lease {
  const { request } = run;
  const { row, probe } = at;
  const token = request.token();
  return {
    token,
    until: request.now + request.leaseMs(lane.policy.timeoutMs),
    number: row.attempts + 1,
    cycle: row.cycle,
    trigger: probe ? 'probe' : row.nextTrigger,
    actor: actorOf(row),
    epoch: epochOf(run, lane, { row, token, probe }),
    probe,
    startedAt: request.now,
  };
}

interface TakenAs {
  suspect: boolean;
  probe: boolean;
}

interface Readable {
  row: DeliveryRow;
  event: ReturnType<typeof eventPartOf>;
  ladder: Policy;
}

function lease(run: ClaimRun, claimLane: ClaimLane, read: Readable & TakenAs): void {
  const { lane } = claimLane;
  const { row, event, ladder, suspect, probe } = read;
  const { endpoint } = lane;
  claimLane.free = freeOf(run, claimLane) - 1;
  const leased = leaseFor(run, lane, { row, probe });
  run.deps.writes.lease(row.id, leased);
  run.slots -= 1;
  run.claims.push({
    deliveryId: row.id,
    deliveryCreatedAt: row.createdAt,
    eventId: row.eventId,
    eventPublicId: event.publicId,
    appId: row.appId,
    appPublicId: lane.appPublicId,
    environment: row.environment,
    endpointId: endpoint.id,
    endpointPublicId: endpoint.publicId,
    token: leased.token,
    leaseUntil: leased.until,
    number: leased.number,
    cycle: leased.cycle,
    trigger: leased.trigger,
    actor: leased.actor,
    epoch: leased.epoch,
    probe,
    suspect,
    unsigned: endpoint.unsignedSince !== null,
    facts: { eventCreatedAt: row.eventCreatedAt, money: row.money, isTest: row.isTest },
    type: row.type,
    body: event.body,
    contentType: event.contentType,
    url: endpoint.url,
    concurrency: claimLane.cap,
    sealedHeaders: endpoint.sealedHeaders,
    secrets: secretsOf(run, claimLane),
    policy: lane.policy,
    ladder,
  });
}

/** Takes one due row. False: it ended instead, of its age or because it cannot be read. */
export function takeRow(run: ClaimRun, claimLane: ClaimLane, taken: TakenAs & { raw: RawDelivery }): boolean {
  const { raw, suspect, probe } = taken;
  let read: Readable;
  try {
    const row = deliveryOf(raw);
    read = { row, event: eventPartOf(raw), ladder: run.book.policy(row.policyId) };
  } catch (error) {
    if (!(error instanceof CorruptRow)) throw error;
    setAside(run, deliveryIdOf(raw), error.message);
    return false;
  }
  const { row, event, ladder } = read;
  if (endedByDeadline(run, claimLane, row)) return false;
  lease(run, claimLane, { row, event, ladder, suspect, probe });
  return true;
}
