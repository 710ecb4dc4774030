import { and, asc, desc, eq, gte, isNotNull, isNull, sql } from 'drizzle-orm';
import type { WindowEntry } from '@/server/core/model';
import type { Queries, WriteQueries } from '@/server/ports/queries';
import type { BreakerRow } from '@/server/ports/records';
import { first, type QueryDeps, type WriteDeps } from './database';

type BreakerQueries = Pick<
  Queries,
  'breakers' | 'breaker' | 'breakerFor' | 'breakerEvents' | 'breakerWindow'
>;

const MOST_BREAKERS = 1_000;
const WINDOW = 1_000;

export function breakerQueries({ db, schema }: QueryDeps): BreakerQueries {
  const { breakers, breakerEvents, attempts } = schema;
  return {
    async breakers(scope) {
      const where =
        scope === 'not_closed'
          ? sql`${breakers.state} <> 'closed'`
          : and(eq(breakers.appId, scope.appId), eq(breakers.environment, scope.environment));
      return await db.select().from(breakers).where(where).orderBy(asc(breakers.id)).limit(MOST_BREAKERS);
    },
    breaker: async (publicId) =>
      first(await db.select().from(breakers).where(eq(breakers.publicId, publicId)).limit(1)),
    async breakerFor({ id, appId, environment }, policy) {
      if (policy.breaker === undefined) return null;
      const where =
        policy.breaker.scope === 'endpoint'
          ? eq(breakers.endpointId, id)
          : and(
              eq(breakers.appId, appId),
              eq(breakers.environment, environment),
              isNull(breakers.endpointId),
            );
      return first(await db.select().from(breakers).where(where).limit(1));
    },
    breakerEvents: async (breakerId, limit) =>
      await db
        .select({
          id: breakerEvents.id,
          breakerId: breakerEvents.breakerId,
          at: breakerEvents.at,
          kind: breakerEvents.kind,
          epoch: breakerEvents.epoch,
          pauseMs: breakerEvents.pauseMs,
          probeAt: breakerEvents.probeAt,
          actor: breakerEvents.actor,
          reason: breakerEvents.reason,
        })
        .from(breakerEvents)
        .where(eq(breakerEvents.breakerId, breakerId))
        .orderBy(desc(breakerEvents.id))
        .limit(limit),
    async breakerWindow(breaker, since) {
      const rows = await db
        .select({
          attemptId: attempts.id,
          deliveryId: attempts.deliveryId,
          endedAt: attempts.endedAt,
          counted: attempts.counted,
        })
        .from(attempts)
        .where(
          and(
            isNotNull(attempts.breakerId),
            eq(attempts.breakerId, breaker.id),
            eq(attempts.epoch, breaker.epoch),
            gte(attempts.endedAt, since),
          ),
        )
        .orderBy(desc(attempts.endedAt), desc(attempts.id))
        .limit(WINDOW);
      return rows.map(({ counted, ...entry }): WindowEntry => ({ ...entry, failure: counted === 'failure' }));
    },
  };
}

export function breakerWrites({ db, schema, note }: WriteDeps): Pick<WriteQueries, 'saveBreaker'> {
  const { breakers, breakerEvents, gateIntervals } = schema;

  const writeGate = async (breaker: BreakerRow, kind: string, now: number) => {
    const { appId, environment, endpointId } = breaker;
    if (kind === 'opened') {
      await db.insert(gateIntervals).values({ appId, environment, endpointId, kind: 'breaker', fromAt: now });
    }
    if (kind !== 'closed' && kind !== 'reset') return;
    await db
      .update(gateIntervals)
      .set({ toAt: now })
      .where(
        and(
          eq(gateIntervals.appId, appId),
          eq(gateIntervals.environment, environment),
          endpointId === null ? isNull(gateIntervals.endpointId) : eq(gateIntervals.endpointId, endpointId),
          eq(gateIntervals.kind, 'breaker'),
          isNull(gateIntervals.toAt),
        ),
      );
  };

  return {
    async saveBreaker(...args) {
      const [breaker, next, events, now] = args;
      const { id, appId, environment } = breaker;
      const closes = breaker.state !== 'closed' && next.state === 'closed';
      await db
        .update(breakers)
        .set({
          state: next.state,
          epoch: next.epoch,
          openedAt: next.openedAt,
          pauseMs: next.pauseMs,
          probeAt: next.probeAt,
          probeDeliveryId: next.probeDeliveryId,
          probeToken: next.probeToken,
          closedAt: next.closedAt,
          drainCursor: closes ? (next.drainCursor ?? 0) : next.drainCursor,
          openedBy: next.openedBy,
        })
        .where(eq(breakers.id, id));
      for (const event of events) {
        const { epoch, pauseMs, probeAt } = next;
        await db
          .insert(breakerEvents)
          .values({ ...event, breakerId: id, appId, environment, at: now, epoch, pauseMs, probeAt });
        await writeGate(breaker, event.kind, now);
      }
      note({ appId, environment, kind: 'breaker' });
    },
  };
}
