import { createHash } from 'node:crypto';
import { type BreakerPolicy, ladderAttempts, ladderWait, type Policy } from '@/server/core/policy';
import type { DispatchEnd, DispatchRequest } from '@/server/ports/dispatcher';
import type { Claim, ClaimRequest, Settled } from '@/server/ports/store';
import type { Host } from './host';
import type { SimClock } from './sim-clock';
import type { AttemptView, BreakerView, DeliveryView, EndpointView, Snapshot, Snapshots } from './snapshot';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** R-DEL-11, R-ATT-11, R-RES-1, as literals. */
const UNKNOWN_WAITS = [0, MINUTE, 5 * MINUTE, 30 * MINUTE];
const RETRY_AFTER_MARGIN_MS = 2 * HOUR;
const PERSONS_CYCLE_MS = 48 * HOUR;

/** An invariant that does not hold. */
export interface Violation {
  rule: string;
  what: string;
}

/** A claim and the one request that was made for it. */
export interface Sent {
  host: Host;
  claim: Claim;
  request: DispatchRequest;
  at: number;
  monotonicAt: number;
  breaker: string | null;
  /** What the engine's side of the connection got; null while it is open. */
  end: DispatchEnd | null;
  drained: boolean;
  /** Its settle was committed. */
  settled: boolean;
  /** Why a second one beside it, or after it, would be nobody's fault. */
  excuse: string | null;
}

interface Claimed {
  host: Host;
  claim: Claim;
  /** How often the wall clock had been stepped, and its process stopped. */
  steps: number;
  falls: number;
}

export interface WatchOptions {
  clock: SimClock;
  snapshots: Snapshots;
  /** Of the engines that run now. */
  longestSleepMs: () => number;
  maxLeaseMs: number;
  endpointConcurrency: number;
  /** Of one engine. */
  concurrency: number;
  /** Whether a healthy engine runs and nothing disturbs it. */
  isCalm: () => boolean;
  /** Whether the signature of a request holds for one of the endpoint's secrets. */
  isSigned: (claim: Claim, request: DispatchRequest) => boolean;
}

/**
 * Looks on from outside: at every claim, send and settle as it happens, and at all that is committed after every step.
 * It knows the rules in its own words; of the product it uses only the policies and the waits that stand in them.
 */
export class Watch {
  readonly violations: Violation[] = [];
  readonly sent: Sent[] = [];
  private readonly byNumber = new Map<string, Sent>();
  private readonly byToken = new Map<string, Sent>();
  private readonly claimed = new Map<string, Claimed>();
  private readonly waits = new Map<string, number>();
  private readonly resends = new Map<string, number>();
  private readonly falls = new Map<Host, number>();
  /** When a delivery last moved, and a breaker last closed; monotonic. */
  private readonly movedAt = new Map<number, number>();
  private readonly closedAt = new Map<number, number>();
  private readonly takenCycles = new Map<string, number>();
  private readonly seenEvents = new Set<number>();
  private readonly acknowledged = new Set<string>();
  private last: Snapshot;
  private calmSince = 0;
  steps = 0;

  constructor(private readonly options: WatchOptions) {
    this.last = options.snapshots.now();
  }

  fail(rule: string, what: string): void {
    this.violations.push({ rule, what });
  }

  private must(holds: boolean, rule: string, what: () => string): void {
    if (!holds) this.fail(rule, what());
  }

  /* ---------- what is told ---------- */

  /** R-TIM-1: a step back delays by at most the step. */
  clockStepped(ms: number): void {
    this.steps += 1;
    this.calmSince = Math.max(this.calmSince, this.options.clock.monotonic()) + Math.max(0, -ms);
    this.excuseAll('clock step', () => true);
  }

  hostFell(host: Host, why: string): void {
    this.falls.set(host, this.fallsOf(host) + 1);
    this.excuseAll(why, (sent) => sent.host === host);
  }

  private fallsOf(host: Host): number {
    return this.falls.get(host) ?? 0;
  }

  /** A person's act lets go of a probe that is under way (R-BRK-7). */
  probesLoosed(why: string): void {
    for (const sent of this.sent) if (sent.claim.probe) sent.breaker = `${sent.breaker} loosed by ${why}`;
  }

  resendAsked(eventPublicId: string): void {
    this.resends.set(eventPublicId, (this.resends.get(eventPublicId) ?? 0) + 1);
  }

  eventAcknowledged(publicId: string): void {
    this.acknowledged.add(publicId);
  }

  private excuseAll(why: string, which: (sent: Sent) => boolean): void {
    for (const sent of this.sent) if (!sent.settled && sent.excuse === null && which(sent)) sent.excuse = why;
  }

  /* ---------- claims ---------- */

  /** `before` is what was committed when the claim's transaction began. */
  claimTaken(host: Host, request: ClaimRequest, claims: readonly Claim[], before: Snapshot): void {
    const taken = new Map<number, number>();
    for (const claim of claims) {
      this.claimed.set(claim.token, { host, claim, steps: this.steps, falls: this.fallsOf(host) });
      const what = `claim of delivery ${claim.deliveryId} #${claim.number}`;
      const row = before.deliveries.get(claim.deliveryId);
      const endpoint = before.endpoints.get(claim.endpointId);
      if (row === undefined || endpoint === undefined) {
        this.fail('claim', `${what}: no such row`);
        continue;
      }
      const { now } = request;
      this.must(row.status === 'pending', 'R-DEL-1', () => `${what}: ${row.status}`);
      this.must(row.leaseToken === null, 'R-DEL-2 P09', () => `${what}: leased already`);
      this.must(
        row.dueAt !== null && row.dueAt <= now,
        'P15',
        () => `${what}: due at ${row.dueAt}, now ${now}`,
      );
      this.must(claim.number === row.attempts + 1, 'R-DEL-2', () => `${what}: after ${row.attempts}`);
      this.must(claim.cycle === row.cycle, 'R-DEL-2', () => `${what}: cycle ${claim.cycle} of ${row.cycle}`);
      this.must(claim.url === endpoint.url, 'R-ATT-6', () => `${what}: ${claim.url}`);
      const { timeoutMs } = claim.policy;
      const leaseMs = Math.max(timeoutMs + 20 * SECOND, 30 * SECOND);
      this.must(claim.leaseUntil === now + leaseMs, 'R-DEL-8', () => `${what}: until ${claim.leaseUntil}`);
      this.must(claim.suspect === row.unknowns >= 3, 'R-DEL-11', () => `${what}: ${row.unknowns} unknowns`);
      const end = this.deadline(row, before, now);
      this.must(now <= end, 'R-BRK-9', () => `${what}: ${now - end} ms after its deadline`);
      this.gateHolds(claim, { row, endpoint, before, now, what });
      const inFlight = [...before.deliveries.values()].filter(
        (other) => other.endpointId === endpoint.id && other.leaseToken !== null,
      ).length;
      const mine = (taken.get(endpoint.id) ?? 0) + 1;
      taken.set(endpoint.id, mine);
      const cap = endpoint.concurrency ?? this.options.endpointConcurrency;
      this.must(inFlight + mine <= cap, 'R-DEL-8', () => `${what}: ${inFlight} + ${mine} of ${cap} slots`);
    }
    const probes = claims.filter(({ probe }) => probe).map((claim) => this.breakerKey(claim, before));
    this.must(new Set(probes).size === probes.length, 'R-BRK-3', () => `two probes in one claim: ${probes}`);
  }

  private gateHolds(
    claim: Claim,
    at: { row: DeliveryView; endpoint: EndpointView; before: Snapshot; now: number; what: string },
  ): void {
    const { row, endpoint, before, now, what } = at;
    const { unsignedSince, unsignedRetryAt, pausedUntil, status } = endpoint;
    const signs = unsignedSince === null || (unsignedRetryAt !== null && unsignedRetryAt <= now);
    this.must(signs, 'R-ATT-9', () => `${what}: its secret is not to be tried before ${unsignedRetryAt}`);
    if (row.nextTrigger === 'test') return;
    this.must(status === 'active', 'R-BRK-9', () => `${what}: the endpoint is ${status}`);
    const paused = pausedUntil !== null && pausedUntil > now;
    this.must(!paused, 'R-FAIL-7', () => `${what}: paused until ${pausedUntil}`);
    const breaker = this.breakerFor(endpoint, before);
    if (breaker === null || breaker.state === 'closed') {
      this.must(!claim.probe, 'R-BRK-3', () => `${what}: a probe of a closed breaker`);
      return;
    }
    if (breaker.endpointId === null && endpoint.lastEndReachable && !claim.probe) return;
    this.must(claim.probe, 'R-BRK-3', () => `${what}: behind breaker ${breaker.id}, and no probe`);
    const holder = before.deliveries.get(breaker.probeDeliveryId ?? -1);
    const orphan = breaker.probeToken !== null && holder?.leaseToken !== breaker.probeToken;
    const free = breaker.probeDeliveryId === null || orphan;
    this.must(free, 'R-BRK-3', () => `${what}: the probe of breaker ${breaker.id} is in flight`);
    const due = orphan || breaker.probeAt === null || breaker.probeAt <= now;
    this.must(
      due,
      'R-BRK-2',
      () => `${what}: the probe of breaker ${breaker.id} is due at ${breaker.probeAt}`,
    );
  }

  /* ---------- sends ---------- */

  requestSent(host: Host, claim: Claim, request: DispatchRequest): Sent {
    const { clock, snapshots } = this.options;
    const now = clock.now();
    const what = `delivery ${claim.deliveryId} #${claim.number} by ${host.name}`;
    const sent: Sent = {
      host,
      claim,
      request,
      at: now,
      monotonicAt: clock.monotonic(),
      breaker: this.breakerKey(claim, snapshots.now()),
      end: null,
      drained: false,
      settled: false,
      excuse: null,
    };
    const claimed = this.claimed.get(claim.token);
    this.must(claimed !== undefined, 'R-DEL-2', () => `${what}: sent without a claim`);
    if (claimed !== undefined && claimed.steps !== this.steps) sent.excuse = 'clock step';
    if (claimed !== undefined && claimed.falls !== this.fallsOf(host)) sent.excuse = 'pause';
    const covered = now < claim.leaseUntil;
    this.must(covered, 'P08', () => `${what}: ${claim.leaseUntil - now} ms of its lease are left`);
    this.must(this.options.isSigned(claim, request), 'R-ATT-9', () => `${what}: not signed`);
    const event = snapshots.now().events.get(claim.eventId);
    const hash = createHash('sha256').update(request.body).digest('hex');
    this.must(event === undefined || event.bodySha256 === hash, 'P06', () => `${what}: other bytes`);
    const id = `${claim.deliveryId}#${claim.number}`;
    this.must(!this.byNumber.has(id), 'R-DEL-2 O06', () => `${what}: a second request under this number`);
    this.noneBeside(sent, what);
    const mine = this.sent.filter((one) => one.host === host && !one.drained);
    this.must(
      mine.length < this.options.concurrency,
      'R-DEL-8',
      () => `${what}: beside ${mine.length} others`,
    );
    const suspects = mine.filter((one) => one.claim.suspect && one.end === null);
    this.must(!claim.suspect || suspects.length === 0, 'R-DEL-11', () => `${what}: a second suspect`);
    this.byNumber.set(id, sent);
    this.byToken.set(claim.token, sent);
    this.sent.push(sent);
    return sent;
  }

  /** P04, P09, R-RES-2, R-BRK-3: against every request before it that a healthy engine made. */
  private noneBeside(sent: Sent, what: string): void {
    const now = this.options.clock.now();
    for (const other of this.sent) {
      if (other.excuse !== null || other.settled || other.host.state !== 'running') continue;
      const held = now < other.claim.leaseUntil;
      if (held && other.claim.deliveryId === sent.claim.deliveryId) {
        this.fail('P09', `${what}: #${other.claim.number} by ${other.host.name} is in flight`);
      }
      const probes = sent.claim.probe && other.claim.probe && sent.breaker === other.breaker;
      if (held && probes && sent.breaker !== null) {
        this.fail('R-BRK-3', `${what}: a second probe of ${sent.breaker} beside ${other.claim.deliveryId}`);
      }
    }
    const { deliveryId, cycle } = sent.claim;
    const before = this.sent.filter(
      (one) => one.claim.deliveryId === deliveryId && one.claim.cycle === cycle,
    );
    const took = before.find((one) => isSuccess(one.end) && (one.excuse === null || one.settled));
    if (took !== undefined && sent.excuse === null)
      this.fail('P04', `${what}: #${took.claim.number} was delivered`);
  }

  /* ---------- settles ---------- */

  settledNow(settled: readonly Settled[]): void {
    const wall = this.options.clock.now();
    for (const { end, decision } of settled) {
      const sent = this.byToken.get(end.token);
      if (end.end.kind !== 'lost') {
        if (sent !== undefined) sent.settled = true;
        continue;
      }
      const claimed = this.claimed.get(end.token);
      if (claimed === undefined) {
        this.fail('R-DEL-11', `a lease was collected that nobody claimed: delivery ${end.deliveryId}`);
        continue;
      }
      if (decision.dropped !== null || claimed.steps !== this.steps) continue;
      const { leaseUntil } = claimed.claim;
      const over = leaseUntil <= wall || leaseUntil > wall + this.options.maxLeaseMs;
      const cut = sent !== undefined && sent.excuse === 'stopping';
      this.must(
        over || cut,
        'P11',
        () => `the lease of delivery ${end.deliveryId} was collected before its time`,
      );
    }
  }

  /* ---------- what is committed ---------- */

  /** After every step of the world. */
  check(): void {
    const { clock, snapshots, isCalm } = this.options;
    if (!isCalm()) this.calmSince = Math.max(this.calmSince, clock.monotonic());
    const now = snapshots.now();
    const before = this.last;
    if (now !== before) {
      this.last = now;
      this.conserved(before, now);
      for (const row of now.deliveries.values()) {
        const old = before.deliveries.get(row.id);
        if (old === undefined || differs(old, row)) this.moved(old, row, { before, now });
      }
      for (const breaker of now.breakers) {
        const old = before.breakers.find(({ id }) => id === breaker.id);
        if (old !== undefined) this.breakerMoved(old, breaker, now);
      }
      for (const endpoint of now.endpoints.values()) {
        const failing = endpoint.failingSince !== null;
        this.must(failing === endpoint.consecutiveFailures > 0, 'R-FAIL-1', () => `endpoint ${endpoint.id}`);
      }
    }
    this.nothingIsStuck(now);
  }

  /** P07 */
  private conserved(before: Snapshot, now: Snapshot): void {
    for (const [id, row] of before.deliveries) {
      if (now.deliveries.has(id)) continue;
      const gone = row.endpointId !== null && !now.endpoints.has(row.endpointId);
      const event = now.events.get(row.eventId);
      const replaced = row.endpointId === null && event !== undefined && this.resends.has(event.publicId);
      this.must(gone || replaced, 'P07', () => `delivery ${id} (${row.status}) is gone`);
    }
    const perEvent = new Map<number, Set<number | null>>();
    for (const row of now.deliveries.values()) {
      const endpoints = perEvent.get(row.eventId) ?? new Set();
      this.must(
        !endpoints.has(row.endpointId),
        'P07',
        () => `event ${row.eventId} goes twice to ${row.endpointId}`,
      );
      perEvent.set(row.eventId, endpoints.add(row.endpointId));
    }
    for (const event of now.events.values()) {
      if (this.seenEvents.has(event.id)) continue;
      this.seenEvents.add(event.id);
      const count = perEvent.get(event.id)?.size ?? 0;
      // Between the publish and this look an endpoint may have been deleted with its deliveries.
      const expected = Math.max(1, event.matchedAtPublish);
      const lost = before.endpoints.size > now.endpoints.size;
      this.must(
        count === expected || lost,
        'P07',
        () => `event ${event.id}: ${count} of ${expected} deliveries`,
      );
    }
  }

  private moved(
    old: DeliveryView | undefined,
    row: DeliveryView,
    { before, now }: { before: Snapshot; now: Snapshot },
  ): void {
    this.movedAt.set(row.id, this.options.clock.monotonic());
    const what = `delivery ${row.id} (${old?.status ?? 'new'} → ${row.status} ${row.reason ?? ''})`;
    const policy = this.options.snapshots.policy(row.policyId);
    this.stateIsSound(row, policy, what);
    if (old !== undefined) this.moveIsSound(old, row, { now, what });
    if (old === undefined || row.attempts !== old.attempts || row.lastEndedAt !== old.lastEndedAt) {
      this.recordsAreSound(row, what);
    }
    const settled = old !== undefined && row.attempts > old.attempts && row.cycle === old.cycle;
    if (settled && row.status === 'pending') this.waitIsRight(row, policy, what);
    if (row.status !== old?.status) this.endIsRight(row, { policy, before, now, what });
  }

  private stateIsSound(row: DeliveryView, policy: Policy, what: string): void {
    const fast = ladderAttempts(policy.ladder);
    const slow = policy.slowLadder === undefined ? 0 : ladderAttempts(policy.slowLadder);
    const ends = row.status === 'pending' ? 1 : 0;
    this.must(row.fast <= fast - ends, 'R-LAD-2', () => `${what}: ${row.fast} of ${fast} fast attempts`);
    this.must(
      row.slow <= Math.max(0, slow - ends),
      'R-LAD-2',
      () => `${what}: ${row.slow} of ${slow} slow ones`,
    );
    const waits = row.status === 'pending' && row.reason !== 'no_endpoint';
    this.must((row.dueAt !== null) === waits, 'O01', () => `${what}: due at ${row.dueAt}`);
    this.must(
      (row.endedAt === null) === (row.status === 'pending'),
      'R-DEL-1',
      () => `${what}: ${row.endedAt}`,
    );
    if (row.leaseToken !== null) {
      this.must(this.claimed.has(row.leaseToken), 'R-DEL-2', () => `${what}: a lease that nobody claimed`);
    }
  }

  private moveIsSound(old: DeliveryView, row: DeliveryView, at: { now: Snapshot; what: string }): void {
    const { now, what } = at;
    this.must(row.cycle >= old.cycle, 'R-RES-1', () => `${what}: back from cycle ${old.cycle}`);
    this.must(row.attempts >= old.attempts, 'R-ATT-12', () => `${what}: back from #${old.attempts}`);
    if (old.firstDeliveredAt !== null) {
      const kept = row.firstDeliveredAt === old.firstDeliveredAt;
      this.must(kept, 'R-RES-8', () => `${what}: ${old.firstDeliveredAt} became ${row.firstDeliveredAt}`);
    }
    if (row.cycle > old.cycle) {
      const event = now.events.get(row.eventId)?.publicId ?? '';
      const key = `${row.id}/${event}`;
      const taken = (this.takenCycles.get(key) ?? 0) + row.cycle - old.cycle;
      this.takenCycles.set(key, taken);
      this.must(
        taken <= (this.resends.get(event) ?? 0),
        'R-DEL-1',
        () => `${what}: nobody asked for a resend`,
      );
      return;
    }
    const moves = old.status === row.status || old.status === 'pending';
    this.must(moves, 'R-DEL-1', () => `${what}: an end moved by itself`);
    const kept = row.fast >= old.fast && row.slow >= old.slow;
    this.must(kept, 'R-LAD-2', () => `${what}: ${old.fast}/${old.slow} became ${row.fast}/${row.slow}`);
    const spent = row.fast - old.fast + row.slow - old.slow;
    this.must(spent <= row.attempts - old.attempts, 'R-LAD-2', () => `${what}: ${spent} steps spent`);
  }

  /** R-ATT-12: one record for every attempt, and in it what the receiver said and nothing else. */
  private recordsAreSound(row: DeliveryView, what: string): void {
    const records = this.options.snapshots.attempts(row.id);
    const numbers = records.map(({ number }) => number);
    const whole = numbers.every((number, index) => number === index + 1) && numbers.length === row.attempts;
    this.must(whole, 'R-ATT-12 O02 O07', () => `${what}: records ${numbers} of ${row.attempts}`);
    for (const ladder of ['fast', 'slow'] as const) {
      const steps = records
        .filter((record) => record.cycle === row.cycle && record.ladder === ladder)
        .map(({ step }) => step);
      const right = steps.length === row[ladder] && steps.every((step, index) => step === index + 1);
      this.must(right, 'R-LAD-2', () => `${what}: ${ladder} is ${row[ladder]}, recorded ${steps}`);
    }
    for (const record of records) this.recordIsTrue(record, what);
  }

  private recordIsTrue(record: AttemptView, what: string): void {
    const sent = this.byNumber.get(`${record.deliveryId}#${record.number}`);
    const at = () => `${what}: record #${record.number} ${record.outcome}/${record.errorClass ?? ''}`;
    if (record.errorClass === 'lost') {
      const known = sent?.settled && sent.end !== null && sent.excuse !== 'stopping';
      this.must(!known, 'R-DEL-2', () => `${at()}, and its end is known`);
      this.must(record.outcome === 'unknown' && record.counted === null, 'R-DEL-11', at);
      return;
    }
    if (sent === undefined || sent.end === null) return this.fail('R-ATT-12', `${at()} of no request`);
    const { end, claim } = sent;
    const same =
      end.kind === 'answered' ? record.statusCode === end.statusCode : record.errorClass === end.errorClass;
    this.must(same, 'R-ATT-12', () => `${at()}, but ${JSON.stringify(end)}`);
    this.must(record.url === claim.url, 'R-ATT-6', () => `${at()} at ${record.url}`);
    this.must((record.outcome === 'delivered') === isSuccess(end), 'R-ATT-3', at);
    if (record.errorClass === 'internal') this.must(record.outcome === 'unknown', 'O17', at);
  }

  /** P15: never before its own wait, and never later than jitter and Retry-After allow. */
  private waitIsRight(row: DeliveryView, policy: Policy, what: string): void {
    if (row.dueAt === null || row.lastEndedAt === null || row.waitCause === null) return;
    const waited = row.dueAt - row.lastEndedAt;
    const onSlow = row.lastOutcome === 'rejected' && row.slow > 0 && usesSlow(policy, row);
    const ladder = onSlow && policy.slowLadder !== undefined ? policy.slowLadder : policy.ladder;
    const wait = ladderWait(ladder, onSlow ? row.slow : row.fast) ?? Number.NaN;
    const most = wait + Math.floor(wait * ladder.jitter);
    const say = (right: string) => () => `${what}: waits ${waited} ms (${row.waitCause}), not ${right}`;
    switch (row.waitCause) {
      case 'fast':
      case 'slow':
        this.must((row.waitCause === 'slow') === onSlow, 'R-LAD-2', say('on this ladder'));
        this.must(waited >= wait && waited <= most, 'P15', say(`${wait} to ${most}`));
        break;
      case 'retry_after': {
        const asked = row.lastStatusCode === 429 || row.lastStatusCode === 503;
        this.must(asked && policy.honourRetryAfter, 'R-ATT-11', say('as it was asked'));
        this.must(waited >= wait && waited <= most + RETRY_AFTER_MARGIN_MS, 'R-ATT-11', say(`${wait} + 2 h`));
        break;
      }
      case 'unknown': {
        const right = UNKNOWN_WAITS[Math.min(row.unknowns, UNKNOWN_WAITS.length) - 1];
        this.must(waited === right, 'R-DEL-11', say(`${right}`));
        break;
      }
      default:
        row.waitCause satisfies never;
    }
  }

  private endIsRight(
    row: DeliveryView,
    at: { policy: Policy; before: Snapshot; now: Snapshot; what: string },
  ): void {
    const { policy, before, now, what } = at;
    switch (row.reason) {
      case 'exhausted': {
        const slow = policy.slowLadder === undefined ? 0 : ladderAttempts(policy.slowLadder);
        const used = row.fast === ladderAttempts(policy.ladder) || (slow > 0 && row.slow === slow);
        return this.must(used, 'R-LAD-2', () => `${what}: ${row.fast} fast, ${row.slow} slow`);
      }
      case 'rejected': {
        const rule = row.money ? policy.rejected.money : policy.rejected.other;
        return this.must(rule === 'fail', 'R-LAD-2', () => `${what}: the policy says ${rule}`);
      }
      case 'endpoint_disabled': {
        const status = now.endpoints.get(row.endpointId ?? -1)?.status;
        const old = before.endpoints.get(row.endpointId ?? -1)?.status;
        return this.must(status !== 'active' || old !== 'active', 'R-FAIL-4', () => what);
      }
      case 'corrupt':
        return this.fail('corrupt', what);
      case null: {
        const took = this.sent.some((one) => one.claim.deliveryId === row.id && isSuccess(one.end));
        return this.must(took && row.status === 'delivered', 'R-ATT-3', () => `${what}: no receiver took it`);
      }
      default:
        return;
    }
  }

  /* ---------- breakers ---------- */

  private breakerMoved(old: BreakerView, breaker: BreakerView, now: Snapshot): void {
    const what = `breaker ${breaker.id} (${old.state} → ${breaker.state})`;
    this.must(breaker.epoch >= old.epoch, 'R-BRK-7', () => `${what}: epoch ${old.epoch} → ${breaker.epoch}`);
    const moved = old.state !== breaker.state || old.probeToken !== breaker.probeToken;
    this.must(!moved || breaker.epoch > old.epoch, 'R-BRK-7', () => `${what}: the same epoch ${old.epoch}`);
    if (old.state !== 'closed' && breaker.state === 'closed') {
      this.closedAt.set(breaker.id, this.options.clock.monotonic());
    }
    if (breaker.state !== 'closed') {
      const next = breaker.probeAt !== null || breaker.probeDeliveryId !== null;
      this.must(next, 'R-BRK-3', () => `${what}: no probe will ever come`);
    }
    const policies = this.policiesOf(breaker, now);
    if (policies.length === 0) return;
    if (old.state === 'closed' && breaker.state !== 'closed' && breaker.openedAt !== null) {
      const { openedAt } = breaker;
      const by: number[] = JSON.parse(String(breaker.openedBy));
      const ends = this.options.snapshots
        .counting(breaker.id, old.epoch)
        .filter(({ id }) => id <= Math.max(...by));
      const failures = new Set(ends.filter(({ failure }) => failure).map(({ id }) => id));
      this.must(
        by.every((id) => failures.has(id)),
        'R-BRK-8',
        () => `${what}: opened by ${by} of ${JSON.stringify(ends)}`,
      );
      const right = policies.some(({ windowMs, minAttempts, failureRatio }) => {
        const inWindow = ends.filter(({ endedAt }) => openedAt - endedAt <= windowMs);
        const share = inWindow.filter(({ failure }) => failure).length / inWindow.length;
        return inWindow.length >= minAttempts && share >= failureRatio;
      });
      this.must(right, 'R-BRK-1', () => `${what} at ${openedAt}: after ${JSON.stringify(ends)}`);
      const first = policies.map(({ pauseMs, maxPauseMs }) => Math.min(pauseMs, maxPauseMs));
      if (breaker.epoch === old.epoch + 1) {
        this.must(
          first.includes(breaker.pauseMs ?? -1),
          'R-BRK-2',
          () => `${what}: pauses ${breaker.pauseMs}`,
        );
      }
    }
    if (old.state !== 'closed' && breaker.state !== 'closed' && breaker.epoch <= old.epoch + 2) {
      const doubled = policies.map(({ maxPauseMs }) => Math.min((old.pauseMs ?? 0) * 2, maxPauseMs));
      const right = breaker.pauseMs === old.pauseMs || doubled.includes(breaker.pauseMs ?? -1);
      this.must(right, 'R-BRK-2', () => `${what}: pause ${old.pauseMs} → ${breaker.pauseMs}`);
    }
  }

  /** What the policies of all endpoints that obey the breaker say of it. */
  private policiesOf(breaker: BreakerView, now: Snapshot): BreakerPolicy[] {
    const scope = breaker.endpointId === null ? 'app' : 'endpoint';
    return [...now.endpoints.values()].flatMap((endpoint) => {
      if (endpoint.appId !== breaker.appId || endpoint.environment !== breaker.environment) return [];
      if (breaker.endpointId !== null && endpoint.id !== breaker.endpointId) return [];
      const policy = this.policyFor(endpoint, now).breaker;
      return policy?.scope === scope ? [policy] : [];
    });
  }

  private policyFor(endpoint: EndpointView, at: Snapshot): Policy {
    const { appId, environment, policyId } = endpoint;
    return this.options.snapshots.policy(policyId ?? at.policyIds.get(`${appId}/${environment}`) ?? 0);
  }

  /** R-BRK-11 */
  private breakerFor(endpoint: EndpointView, at: Snapshot): BreakerView | null {
    const scope = this.policyFor(endpoint, at).breaker?.scope;
    if (scope === undefined) return null;
    const mine = at.breakers.find((breaker) =>
      scope === 'endpoint'
        ? breaker.endpointId === endpoint.id
        : breaker.endpointId === null &&
          breaker.appId === endpoint.appId &&
          breaker.environment === endpoint.environment,
    );
    return mine ?? null;
  }

  private breakerKey(claim: Claim, at: Snapshot): string | null {
    const endpoint = at.endpoints.get(claim.endpointId);
    const breaker = endpoint === undefined ? null : this.breakerFor(endpoint, at);
    return breaker === null ? null : `breaker ${breaker.id}`;
  }

  /* ---------- what must not last ---------- */

  private nothingIsStuck(now: Snapshot): void {
    const { clock } = this.options;
    const longestSleepMs = this.options.longestSleepMs();
    const wall = clock.now();
    const live = new Set<string>();
    const lasts = (key: string, boundMs: number, rule: string) => {
      live.add(key);
      const since = this.waits.get(key) ?? clock.monotonic();
      this.waits.set(key, since);
      const lasted = clock.monotonic() - Math.max(since, this.calmSince);
      this.must(lasted <= boundMs, rule, () => `${key}: for ${Math.round(lasted / SECOND)} s`);
    };
    const patience = 2 * longestSleepMs + 30 * MINUTE;
    for (const row of now.deliveries.values()) {
      const key = `delivery ${row.id} cycle ${row.cycle} after #${row.attempts}`;
      if (row.leaseUntil !== null) {
        const over = row.leaseUntil <= wall || row.leaseUntil > wall + this.options.maxLeaseMs;
        if (over) lasts(`the lease of ${key} is over`, 2 * longestSleepMs + 2 * MINUTE, 'P11 O12');
        continue;
      }
      if (row.status !== 'pending') continue;
      if (wall > this.deadline(row, now, wall))
        lasts(`${key} is past its deadline`, patience + HOUR, 'R-LAD-4');
      const endpoint = now.endpoints.get(row.endpointId ?? -1);
      if (endpoint === undefined) continue;
      const due = row.dueAt !== null && row.dueAt <= wall;
      const test = row.nextTrigger === 'test';
      const ends = endpoint.status === 'auto_disabled' || (endpoint.status === 'disabled' && due);
      if (ends && !test) lasts(`${key} waits behind a disabled endpoint`, patience + HOUR, 'R-FAIL-4');
      if (this.isUndrained(row, endpoint, now, wall)) {
        lasts(`${key} was not let go when its breaker closed`, 2 * longestSleepMs + 2 * MINUTE, 'R-BRK-4');
      }
      if (due && this.isFree(row, endpoint, now, wall)) lasts(`${key} is due and free`, patience, 'O01');
    }
    for (const breaker of now.breakers) {
      if (breaker.state === 'closed') continue;
      const due = breaker.probeDeliveryId !== null || breaker.probeAt === null || breaker.probeAt <= wall;
      if (!due || !this.hasCandidate(breaker, now, wall)) continue;
      lasts(`breaker ${breaker.id} has stood at epoch ${breaker.epoch}`, patience, 'P17');
    }
    for (const key of this.waits.keys()) if (!live.has(key)) this.waits.delete(key);
  }

  /** R-BRK-4: a closing makes due what its last end left waiting. */
  private isUndrained(row: DeliveryView, endpoint: EndpointView, now: Snapshot, wall: number): boolean {
    const breaker = this.breakerFor(endpoint, now);
    if (breaker === null || breaker.state !== 'closed' || breaker.closedAt === null) return false;
    if (row.waitCause !== 'fast' || row.lastOutcome !== 'unavailable' || (row.dueAt ?? 0) <= wall)
      return false;
    const before = row.lastEndedAt !== null && row.lastEndedAt <= breaker.closedAt;
    return before && (this.movedAt.get(row.id) ?? 0) < (this.closedAt.get(breaker.id) ?? 0);
  }

  private hasCandidate(breaker: BreakerView, now: Snapshot, wall: number): boolean {
    for (const row of now.deliveries.values()) {
      const endpoint = now.endpoints.get(row.endpointId ?? -1);
      if (endpoint === undefined || row.status !== 'pending' || row.nextTrigger === 'test') continue;
      if (row.leaseToken !== null || row.dueAt === null || row.dueAt > wall) continue;
      const mine = this.breakerFor(endpoint, now)?.id === breaker.id;
      const passes = breaker.endpointId === null && Boolean(endpoint.lastEndReachable);
      if (mine && !passes && isOpenOtherwise(endpoint, wall)) return true;
    }
    return false;
  }

  private isFree(row: DeliveryView, endpoint: EndpointView, now: Snapshot, wall: number): boolean {
    const { unsignedSince, unsignedRetryAt } = endpoint;
    if (row.nextTrigger === 'test') {
      return unsignedSince === null || (unsignedRetryAt !== null && unsignedRetryAt <= wall);
    }
    if (!isOpenOtherwise(endpoint, wall)) return false;
    const breaker = this.breakerFor(endpoint, now);
    if (breaker === null || breaker.state === 'closed') return true;
    return breaker.endpointId === null && Boolean(endpoint.lastEndReachable);
  }

  /** R-LAD-3, R-LAD-4, R-RES-1, R-FAIL-8 in other words: the last instant at which an attempt may start. */
  private deadline(row: DeliveryView, at: Snapshot, wall: number): number {
    const policy = this.options.snapshots.policy(row.policyId);
    const byAge = row.eventCreatedAt + policy.maxAgeMs;
    const age = row.cycleByPerson ? Math.max(byAge, row.cycleStartedAt + PERSONS_CYCLE_MS) : byAge;
    if (row.slowStartedAt === null || policy.slowWindowMs === undefined) return age;
    const start = row.slowStartedAt;
    const gates = at.gates.get(row.endpointId ?? -1) ?? [];
    // The window runs while no gate holds: walk from edge to edge until it is used up.
    const edges = gates.flatMap(({ fromAt, toAt }) => [fromAt, toAt ?? wall]).filter((edge) => edge > start);
    let left = policy.slowWindowMs;
    let from = start;
    for (const edge of [...new Set(edges)].sort((a, b) => a - b)) {
      const middle = (from + edge) / 2;
      const held = gates.some(({ fromAt, toAt }) => fromAt <= middle && middle < (toAt ?? wall));
      if (!held && edge - from > left) break;
      if (!held) left -= edge - from;
      from = edge;
    }
    return Math.min(age, from + left);
  }

  /* ---------- at the end ---------- */

  /** P17: with live receivers and something to take for each, nobody is held any more. */
  breakersClosed(): void {
    const now = this.options.snapshots.now();
    for (const breaker of now.breakers) {
      if (breaker.state === 'closed') continue;
      const held = [...now.endpoints.values()].find(
        (endpoint) =>
          endpoint.status === 'active' &&
          this.breakerFor(endpoint, now)?.id === breaker.id &&
          (breaker.endpointId !== null || !endpoint.lastEndReachable),
      );
      if (held !== undefined) this.fail('P17', `breaker ${breaker.id} still holds endpoint ${held.id}`);
    }
  }

  /** Everything has ended, and nothing that a living engine brought back is missing. */
  finish(): void {
    const { snapshots } = this.options;
    const now = snapshots.now();
    for (const row of now.deliveries.values()) {
      const what = `at the end delivery ${row.id}`;
      this.must(
        row.status !== 'pending',
        'P07',
        () => `${what} is pending (${row.reason}), due at ${row.dueAt}`,
      );
      this.must(row.leaseToken === null, 'P11', () => `${what} is leased`);
      this.recordsAreSound(row, what);
    }
    for (const sent of this.sent) {
      const row = now.deliveries.get(sent.claim.deliveryId);
      if (row === undefined || !sent.settled || !isSuccess(sent.end)) continue;
      const known = row.firstDeliveredAt !== null;
      this.must(known, 'P03', () => `delivery ${row.id} #${sent.claim.number} was taken, and nobody knows`);
    }
    const known = new Set([...now.events.values()].map(({ publicId }) => publicId));
    for (const publicId of this.acknowledged) {
      this.must(known.has(publicId), 'P01', () => `${publicId} was acknowledged and is not there`);
    }
  }
}

/** Whether nothing but a breaker holds the endpoint's deliveries. */
function isOpenOtherwise(endpoint: EndpointView, wall: number): boolean {
  const { status, pausedUntil, unsignedSince, unsignedRetryAt } = endpoint;
  if (status !== 'active' || (pausedUntil !== null && pausedUntil > wall)) return false;
  return unsignedSince === null || (unsignedRetryAt !== null && unsignedRetryAt <= wall);
}

function isSuccess(end: DispatchEnd | null): boolean {
  return end?.kind === 'answered' && end.statusCode >= 200 && end.statusCode < 300;
}

function usesSlow(policy: Policy, row: DeliveryView): boolean {
  return (row.money ? policy.rejected.money : policy.rejected.other) === 'slow';
}

function differs(a: DeliveryView, b: DeliveryView): boolean {
  if (a === b) return false;
  for (const key in b) {
    if (a[key as keyof DeliveryView] !== b[key as keyof DeliveryView]) return true;
  }
  return false;
}
