import { and, asc, count, eq, gt, isNull, lte, type SQL, sql } from 'drizzle-orm';
import type { Queries } from '@/server/ports/queries';
import { first, only, type QueryDeps } from './database';

/** An endpoint with rows that wait for their turn. */
interface Head {
  appId: number;
  endpointId: number;
}

/**
 * How many deliveries are due, those behind gates among them: a seek for each endpoint with pending rows, and at most
 * `limit` rows counted in all, so that it costs the same with ten rows and with ten million.
 */
export function dueQueries({ db, schema }: QueryDeps): Pick<Queries, 'dueNow'> {
  const { deliveries: t } = schema;
  // Said as it stands in the index's own condition, so that the planner may use it.
  const waits = and(
    sql`${t.status} = 'pending'`,
    isNull(t.leaseUntil),
    sql`${t.unknowns} < 3`,
    sql`${t.endpointId} is not null`,
  );

  const headAfter = async (after: Head): Promise<Head | null> => {
    const seek = async (behind: SQL | undefined) =>
      first(
        await db
          .select({ appId: t.appId, endpointId: t.endpointId })
          .from(t)
          .where(and(waits, behind))
          .orderBy(asc(t.appId), asc(t.endpointId))
          .limit(1),
      );
    const row =
      (await seek(and(eq(t.appId, after.appId), gt(t.endpointId, after.endpointId)))) ??
      (await seek(gt(t.appId, after.appId)));
    return row === null || row.endpointId === null ? null : { appId: row.appId, endpointId: row.endpointId };
  };

  const dueOf = async (head: Head, now: number, limit: number): Promise<number> => {
    const some = db
      .select({ dueAt: t.dueAt })
      .from(t)
      .where(and(waits, eq(t.appId, head.appId), eq(t.endpointId, head.endpointId), lte(t.dueAt, now)))
      .limit(limit)
      .as('some');
    return only(await db.select({ n: count() }).from(some)).n;
  };

  return {
    async dueNow(now, limit) {
      let due = 0;
      let head = await headAfter({ appId: 0, endpointId: 0 });
      while (head !== null && due < limit) {
        due += await dueOf(head, now, limit - due);
        head = await headAfter(head);
      }
      return due;
    },
  };
}
