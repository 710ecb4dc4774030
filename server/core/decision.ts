// Invariant: the store's settle hands over at least this, and writes no more than this; the shapes are those of
// the port's `SettleEnd`, `SettleContext` and `Decision`, seen from inside.
import type {
  AttemptEnd,
  Breaker,
  BreakerEventKind,
  DeliveryFacts,
  DeliveryState,
  EndpointHealth,
  ErrorClass,
  GateInterval,
  LadderName,
  Outcome,
  Trigger,
  WindowEntry,
} from './model';
import type { LadderPart, Policy } from './policy';

/** One end, with what its claim fixed. */
export interface DecideEnd {
  deliveryId: number;
  token: string;
  cycle: number;
  number: number;
  trigger: Trigger;
  epoch: number | null;
  probe: boolean;
  end: AttemptEnd;
  endedAt: number;
}

/** The rows that the end touches, as they are inside the settling transaction. */
export interface DecideContext {
  now: number;
  delivery: (DeliveryState & { lease: { token: string } | null }) | null;
  facts: DeliveryFacts;
  endpoint: EndpointHealth | null;
  breaker: Breaker | null;
  policy: Pick<Policy, 'breaker'> | null;
  ladder: LadderPart | null;
  gates: readonly GateInterval[];
  /** Newest first, without this end; empty unless `needsWindow` said so. */
  window: readonly WindowEntry[];
}

export interface Decision {
  /** Next state; null: the delivery does not move. */
  delivery: DeliveryState | null;
  releaseLease: boolean;
  record: 'insert' | 'complete' | 'none';
  outcome: Outcome;
  statusCode: number | null;
  errorClass: ErrorClass | null;
  message: string | null;
  ladder: LadderName | null;
  step: number | null;
  counted: 'reachable' | 'failure' | null;
  health: EndpointHealth | null;
  breaker: Breaker | null;
  breakerEvents: readonly BreakerEventKind[];
  dropped: 'no_row' | 'lease_lost' | null;
}

export interface CoreDecider {
  /** Whether `decide` reads the breaker's window for this end (R-BRK-1). */
  needsWindow(end: DecideEnd, context: DecideContext): boolean;
  decide(end: DecideEnd, context: DecideContext, random: () => number): Decision;
}
