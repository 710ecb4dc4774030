import type { Database as Connection } from 'better-sqlite3';
import type { Breaker } from '@/server/core/model';
import type { Change, Decider, Decision, SettleContext, Settled, SettleEnd } from '@/server/ports/store';
import { bit, places, type Value } from './columns';
import type { LaneReader } from './lane';
import { createSettleReader, type Found, windowNeeded } from './settle-context';
import type { Writes } from './writes';

const ATTEMPT_COLUMNS = [
  'delivery_id',
  'app_id',
  'environment',
  'endpoint_id',
  'number',
  'cycle',
  'trigger',
  'actor',
  'started_at',
  'ended_at',
  'duration_ms',
  'dns_ms',
  'connect_ms',
  'tls_ms',
  'first_byte_ms',
  'outcome',
  'status_code',
  'error_class',
  'message',
  'url',
  'address',
  'ladder',
  'step',
  'probe',
  'counted',
  'epoch',
  'breaker_id',
  'retried_stale',
];

/** What a late end knows better than the `unknown` record of its number (R-DEL-2). */
const COMPLETED_COLUMNS = ATTEMPT_COLUMNS.slice(ATTEMPT_COLUMNS.indexOf('started_at'));

function attemptValues(end: SettleEnd, decision: Decision, breakerId: number | null): Value[] {
  return [
    end.deliveryId,
    end.appId,
    end.environment,
    end.endpointId,
    end.number,
    end.cycle,
    end.trigger,
    end.actor,
    end.startedAt,
    end.endedAt,
    end.durationMs,
    end.timing.dnsMs,
    end.timing.connectMs,
    end.timing.tlsMs,
    end.timing.firstByteMs,
    decision.outcome,
    decision.statusCode,
    decision.errorClass,
    decision.message,
    end.url,
    end.address,
    decision.ladder,
    decision.step,
    bit(end.probe),
    decision.counted,
    end.epoch,
    breakerId,
    bit(end.retriedStale),
  ];
}

/** The attempt that opened the breaker is one of those that did; its id is known only now that it is written. */
function withOpener({ breaker, breakerEvents }: Decision, attemptId: number | null): Breaker | null {
  if (breaker === null || attemptId === null || !breakerEvents.includes('opened')) return null;
  return { ...breaker, openedBy: [attemptId, ...breaker.openedBy] };
}

export interface SettleDeps {
  lanes: LaneReader;
  writes: Writes;
  note: (change: Change) => void;
}

function createDecisionWriter(db: Connection, { writes, note }: SettleDeps) {
  const record = db.prepare(
    `INSERT INTO attempts (${ATTEMPT_COLUMNS.join(', ')}) VALUES (${places(ATTEMPT_COLUMNS)})
     ON CONFLICT (delivery_id, number) DO UPDATE SET
     ${COMPLETED_COLUMNS.map((column) => `${column} = excluded.${column}`).join(', ')}
     WHERE attempts.outcome = 'unknown'`,
  );

  /** An end counts in the window of the breaker that it was claimed under (R-BRK-7, R-BRK-11). */
  const breakerIdOf = (end: SettleEnd, decision: Decision, { breaker }: Found): number | null =>
    decision.counted === null || end.epoch === null || breaker === null
      ? null
      : writes.ensureBreaker(breaker).id;

  const writeDelivery = (end: SettleEnd, decision: Decision, { context }: Found) => {
    const measured = end.end.kind === 'lost' || decision.record === 'none' ? null : end.durationMs;
    const owns = decision.releaseLease && context.delivery?.lease?.token === end.token;
    if (decision.delivery === null) {
      if (owns) writes.releaseLease(end.deliveryId, end.token);
      return;
    }
    if (owns) return writes.stateAndRelease(end.deliveryId, decision.delivery, measured);
    writes.state(end.deliveryId, decision.delivery);
    if (measured !== null) writes.lastDuration(end.deliveryId, measured);
  };

  return (end: SettleEnd, decision: Decision, found: Found) => {
    const { context, breaker, lane } = found;
    let recorded: number | null = null;
    if (context.delivery !== null && decision.record !== 'none') {
      const values = attemptValues(end, decision, breakerIdOf(end, decision, found));
      recorded = Number(record.run(...values).lastInsertRowid);
    }
    if (context.delivery !== null) writeDelivery(end, decision, found);
    if (lane !== null && decision.health !== null) {
      Object.assign(lane.endpoint, decision.health);
      writes.health(end.endpointId, decision.health);
    }
    if (breaker !== null && decision.breaker !== null) {
      const next = withOpener(decision, recorded) ?? decision.breaker;
      writes.breaker(breaker, next, { events: decision.breakerEvents, now: context.now });
      note({ appId: end.appId, environment: end.environment, kind: 'breaker' });
    }
    note({ appId: end.appId, environment: end.environment, kind: 'settled' });
  };
}

/**
 * Settles ends one after the other inside the writer's transaction: reads what each touches, lets `decider` decide,
 * writes what it says. A later end sees what the earlier ones did.
 */
export function createSettle(db: Connection, deps: SettleDeps) {
  const reader = createSettleReader(db, deps);
  const write = createDecisionWriter(db, deps);

  return (ends: readonly SettleEnd[], decider: Decider, random: () => number): readonly Settled[] => {
    const book = deps.lanes.open(ends[0]?.endedAt ?? 0);
    return ends.map((end) => {
      const found = reader.find(end, book);
      const context: SettleContext = windowNeeded(decider, end, found)
        ? Object.assign(found.context, { window: reader.window(found) })
        : found.context;
      const decision = decider.decide(end, context, random);
      write(end, decision, found);
      return { end, decision };
    });
  };
}
