import { and, asc, eq, inArray, isNull, lt, or, sql } from 'drizzle-orm';
import type { Queries } from '@/server/ports/queries';
import { first, type QueryDeps } from './database';
import { attemptRow } from './rows';

type AttemptQueries = Pick<Queries, 'attempts' | 'attempt' | 'attemptsByIds' | 'gateIntervals'>;

const MOST_ATTEMPTS = 1_000;
const MOST_INTERVALS = 1_000;

export function attemptQueries({ db, schema }: QueryDeps): AttemptQueries {
  const { attempts, gateIntervals } = schema;
  return {
    async attempts(deliveryId) {
      const rows = await db
        .select()
        .from(attempts)
        .where(eq(attempts.deliveryId, deliveryId))
        .orderBy(asc(attempts.number))
        .limit(MOST_ATTEMPTS);
      return rows.map(attemptRow);
    },
    async attempt(id) {
      const row = first(await db.select().from(attempts).where(eq(attempts.id, id)).limit(1));
      return row && attemptRow(row);
    },
    async attemptsByIds(ids) {
      if (ids.length === 0) return [];
      const rows = await db
        .select()
        .from(attempts)
        .where(inArray(attempts.id, [...ids]))
        .orderBy(asc(attempts.id));
      return rows.map(attemptRow);
    },
    async gateIntervals({ scope, endpointId, from, to }) {
      const of = async (owner: 'endpoint' | 'app') =>
        await db
          .select({ kind: gateIntervals.kind, fromAt: gateIntervals.fromAt, toAt: gateIntervals.toAt })
          .from(gateIntervals)
          .where(
            and(
              eq(gateIntervals.appId, scope.appId),
              eq(gateIntervals.environment, scope.environment),
              owner === 'app' ? isNull(gateIntervals.endpointId) : eq(gateIntervals.endpointId, endpointId),
              lt(gateIntervals.fromAt, to),
              or(isNull(gateIntervals.toAt), sql`${gateIntervals.toAt} > ${from}`),
            ),
          )
          .orderBy(asc(gateIntervals.fromAt))
          .limit(MOST_INTERVALS);
      const both = [...(await of('endpoint')), ...(await of('app'))];
      return both.sort((a, b) => a.fromAt - b.fromAt);
    },
  };
}
