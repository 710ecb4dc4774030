// Invariant: a gate is derived from rows as they are; being held writes nothing and spends nothing (R-BRK-5, R-BRK-9).
import type {
  Breaker,
  BreakerScope,
  DeliveryState,
  EndpointHealth,
  HeldReason,
  StoredReason,
  Trigger,
} from './model';

/** What an endpoint's gate needs of its rows. */
export interface GateInput {
  health: Pick<
    EndpointHealth,
    'status' | 'pausedUntil' | 'lastEndReachable' | 'unsignedSince' | 'unsignedRetryAt'
  >;
  /** The breaker that the endpoint's effective policy names, and its scope (R-BRK-11); null where it names none. */
  breaker: Pick<Breaker, 'state' | 'probeAt' | 'probeDeliveryId'> | null;
  scope: BreakerScope | null;
  now: number;
}

export interface Gate {
  kind: HeldReason;
  /** Not before this instant; null where nobody knows. */
  until: number | null;
}

/** R-BRK-3: of so many due deliveries, the longest due, the probe is chosen. */
export const PROBE_CANDIDATES = 200;

const SHORTEST_LEASE_MS = 30_000;
const LEASE_MARGIN_MS = 20_000;

function breakerGate({ health, breaker, scope, now }: GateInput): Gate | null {
  if (breaker === null || scope === null || breaker.state === 'closed') return null;
  // Where several endpoints share a breaker, a dead one must not hold the healthy ones (R-BRK-3).
  if (scope === 'app' && health.lastEndReachable) return null;
  const known = breaker.probeDeliveryId === null && breaker.probeAt !== null && breaker.probeAt > now;
  return { kind: 'held_by_breaker', until: known ? breaker.probeAt : null };
}

/**
 * What lets a due delivery of this endpoint wait, in the precedence of R-DEL-6; null: nothing. An unopened secret holds
 * until its opening is to be tried again (R-ATT-9): then an attempt is let through to try it.
 */
export function gateOf(input: GateInput): Gate | null {
  const { health, now } = input;
  if (health.status !== 'active') return { kind: 'endpoint_disabled', until: null };
  if (health.pausedUntil !== null && health.pausedUntil > now) {
    return { kind: 'held_by_pause', until: health.pausedUntil };
  }
  if (health.unsignedSince !== null && (health.unsignedRetryAt === null || health.unsignedRetryAt > now)) {
    return { kind: 'held_unsigned', until: health.unsignedRetryAt };
  }
  return breakerGate(input);
}

/** R-RES-3: the first attempt of a test send passes every gate but the signature's. */
export function testPasses(nextTrigger: Trigger, kind: HeldReason): boolean {
  return nextTrigger === 'test' && kind !== 'held_unsigned';
}

/** R-BRK-3: whether the breaker lets its one probe through now. */
export function probeIsDue(
  breaker: Pick<Breaker, 'state' | 'probeAt' | 'probeDeliveryId'>,
  now: number,
): boolean {
  if (breaker.state === 'closed' || breaker.probeDeliveryId !== null) return false;
  return breaker.probeAt === null || breaker.probeAt <= now;
}

/** R-BRK-3: whether an endpoint's deliveries are candidates: the breaker holds them, and no other gate does. */
export function mayProbe(input: GateInput): boolean {
  return gateOf(input)?.kind === 'held_by_breaker';
}

export interface ProbeCandidate {
  id: number;
  /** Fast attempts used in this cycle. */
  fast: number;
  dueAt: number;
}

/**
 * R-BRK-3: of the 200 longest due the one with the fewest fast attempts used, the longest due among equals, so that
 * probing rotates and burns nobody; null without candidates.
 */
export function chooseProbe<C extends ProbeCandidate>(candidates: readonly C[]): C | null {
  const longestDue = [...candidates]
    .sort((a, b) => a.dueAt - b.dueAt || a.id - b.id)
    .slice(0, PROBE_CANDIDATES);
  let chosen: C | null = null;
  for (const candidate of longestDue) {
    if (chosen === null || candidate.fast < chosen.fast) chosen = candidate;
  }
  return chosen;
}

/** R-DEL-8: how long an attempt with this total timeout is leased, ms. */
export function leaseMs(timeoutMs: number): number {
  return Math.max(timeoutMs + LEASE_MARGIN_MS, SHORTEST_LEASE_MS);
}

export interface DerivedReason {
  /** The held reason where a gate holds the delivery, else the stored one. */
  reason: StoredReason | HeldReason | null;
  heldBy: HeldReason | null;
  heldUntil: number | null;
}

/** R-DEL-6: the reason as it is read: a delivery that is due, not in flight and behind a gate is held. */
export function derivedReason(
  input: GateInput & {
    state: Pick<DeliveryState, 'status' | 'reason' | 'dueAt' | 'nextTrigger'>;
    inFlight: boolean;
    /** Over the endpoint's rate, and until when (R-DEL-9); the last in precedence. */
    rate?: { until: number | null } | null;
  },
): DerivedReason {
  const { state, inFlight, now, health } = input;
  const stored: DerivedReason = { reason: state.reason, heldBy: null, heldUntil: null };
  if (state.status !== 'pending' || inFlight || state.dueAt === null || state.dueAt > now) return stored;
  // For a reader the outage lasts until the secret opens, between two tries too.
  const shown = { ...health, unsignedRetryAt: null };
  const gate = gateOf({ ...input, health: shown }) ?? rateGate(input.rate ?? null);
  if (gate === null || testPasses(state.nextTrigger, gate.kind)) return stored;
  const until = gate.kind === 'held_unsigned' ? health.unsignedRetryAt : gate.until;
  return { reason: gate.kind, heldBy: gate.kind, heldUntil: until };
}

function rateGate(rate: { until: number | null } | null): Gate | null {
  return rate === null ? null : { kind: 'rate_limited', until: rate.until };
}
