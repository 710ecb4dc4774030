import type { Database as Connection } from 'better-sqlite3';
import type { DeliveryFacts, WindowEntry } from '@/server/core/model';
import type { LadderPart } from '@/server/core/policy';
import type { DeliveryRow } from '@/server/ports/records';
import type { Decider, SettleContext, SettleEnd } from '@/server/ports/store';
import { DELIVERY_COLUMNS, deliveryOf, type RawDelivery } from './delivery-row';
import type { BreakerHolder, Lane, LaneBook, LaneReader } from './lane';
import { CorruptRow } from './rows';
import type { Writes } from './writes';

/** R-BRK-1: of more ends in the window the newest this many decide. */
const WINDOW = 1_000;

const NO_FACTS: DeliveryFacts = { eventCreatedAt: 0, money: false, isTest: false };

/** What one end finds, with the places where its decision is written. */
export interface Found {
  context: SettleContext;
  breaker: BreakerHolder | null;
  lane: Lane | null;
}

export interface SettleReader {
  find(end: SettleEnd, book: LaneBook): Found;
  /** The ends that count now, newest first; read only where the decision asks for them. */
  window(found: Found): readonly WindowEntry[];
}

export function windowNeeded(decider: Decider, end: SettleEnd, { context }: Found): boolean {
  return context.breaker !== null && context.breaker.id !== 0 && decider.needsWindow(end, context);
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

export function createSettleReader(
  db: Connection,
  { lanes, writes }: { lanes: LaneReader; writes: Writes },
): SettleReader {
  const deliveryById = db
    .prepare<[number], RawDelivery>(`SELECT ${DELIVERY_COLUMNS} FROM deliveries d WHERE d.id = ?`)
    .raw();
  const windowOf = db.prepare<
    [number, number, number, number],
    { attemptId: number; deliveryId: number; endedAt: number; counted: string }
  >(
    `SELECT id AS attemptId, delivery_id AS deliveryId, ended_at AS endedAt, counted
     FROM attempts INDEXED BY attempts_window
     WHERE breaker_id = ? AND epoch = ? AND ended_at >= ? ORDER BY ended_at DESC, id DESC LIMIT +?`,
  );

  const delivery = (end: SettleEnd): DeliveryRow | null => {
    const raw = deliveryById.get(end.deliveryId);
    if (raw === undefined) return null;
    const row = readable(() => deliveryOf(raw));
    if (row === null) writes.setAside(end.deliveryId, end.endedAt);
    return row;
  };

  /** The breaker of the lane; of a probe whose endpoint is gone, the one that still waits for it. */
  const breakerOf = (end: SettleEnd, book: LaneBook, lane: Lane | null): BreakerHolder | null => {
    if (lane !== null || !end.probe) return lane?.breaker ?? null;
    return readable(() => book.breakerOfProbe(end));
  };

  return {
    find(end, book) {
      const row = delivery(end);
      const lane = readable(() => book.lane(end.endpointId));
      const breaker = breakerOf(end, book, lane);
      const ladder: LadderPart | null = row === null ? null : readable(() => book.policy(row.policyId));
      const context: SettleContext = {
        now: end.endedAt,
        delivery: row,
        facts: row ?? NO_FACTS,
        endpoint: lane?.endpoint ?? null,
        breaker: breaker?.row ?? null,
        policy: lane?.policy ?? null,
        ladder,
        // Read when the decision looks at them: only a slow ladder does.
        get gates() {
          return row === null || row.slowStartedAt === null
            ? []
            : lanes.extensions(end.endpointId, row.slowStartedAt);
        },
        window: [],
      };
      return { context, breaker, lane };
    },
    window({ context: { breaker, policy, now } }) {
      if (breaker === null || policy?.breaker === undefined) return [];
      return windowOf
        .all(breaker.id, breaker.epoch, now - policy.breaker.windowMs, WINDOW)
        .map(({ counted, ...entry }) => ({ ...entry, failure: counted === 'failure' }));
    },
  };
}
