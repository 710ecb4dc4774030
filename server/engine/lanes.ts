// Invariant: an endpoint never holds more of this engine's slots than its slow start allows, and at least one.

const IDLE_MS = 60_000;
const SLOW_END_MS = 2_000;

interface Lane {
  inFlight: number;
  allowed: number;
  lastEndAt: number | null;
}

export interface Lanes {
  /** Attempts in flight of this engine, drains included. */
  readonly inFlight: number;
  /** Slots the endpoint may take now, its own attempts in flight taken off. */
  slots(endpointId: number, now: number): number;
  started(endpointId: number, now: number): void;
  /** An attempt ended: a failure or a slow end halves the endpoint's slots, any other doubles them up to its cap. */
  ended(endpointId: number, end: { failure: boolean; durationMs: number; cap: number; now: number }): void;
  /** The drain is over: the slot may be used again (R-ATT-2). */
  freed(endpointId: number): void;
}

/** Slow start per endpoint (R-DEL-8), so that endpoints which hang hold one slot each and not all of them. */
export function createLanes(): Lanes {
  const lanes = new Map<number, Lane>();
  let total = 0;

  const laneOf = (endpointId: number): Lane => {
    const known = lanes.get(endpointId);
    if (known) return known;
    const lane: Lane = { inFlight: 0, allowed: 1, lastEndAt: null };
    lanes.set(endpointId, lane);
    return lane;
  };
  const isIdle = (lane: Lane, now: number) => lane.lastEndAt === null || now - lane.lastEndAt >= IDLE_MS;

  return {
    get inFlight() {
      return total;
    },
    slots(endpointId, now) {
      const lane = lanes.get(endpointId);
      if (!lane) return 1;
      const allowed = isIdle(lane, now) ? 1 : lane.allowed;
      return Math.max(0, allowed - lane.inFlight);
    },
    started(endpointId, now) {
      const lane = laneOf(endpointId);
      if (isIdle(lane, now)) lane.allowed = 1;
      lane.inFlight += 1;
      total += 1;
    },
    ended(endpointId, { failure, durationMs, cap, now }) {
      const lane = laneOf(endpointId);
      const setBack = failure || durationMs > SLOW_END_MS;
      lane.allowed = setBack ? Math.max(1, Math.floor(lane.allowed / 2)) : Math.min(cap, lane.allowed * 2);
      lane.lastEndAt = now;
    },
    freed(endpointId) {
      const lane = lanes.get(endpointId);
      if (!lane) return;
      lane.inFlight -= 1;
      total -= 1;
      // One that failed when it was last seen starts with one slot again: forgetting it changes nothing.
      if (lane.inFlight === 0 && lane.allowed === 1) lanes.delete(endpointId);
    },
  };
}
