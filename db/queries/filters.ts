import { type Column, eq, is, type SQL, sql } from 'drizzle-orm';
import { PgColumn } from 'drizzle-orm/pg-core';

/**
 * How far two instants may lie apart against the order of their rows, ms: a clock that was set back. An id bound found
 * by an instant keeps this distance, so that no row of the range lies outside it.
 */
const CLOCK_STEP_MS = 3_600_000;

/**
 * A condition that only filters and never chooses the index: each list names one condition that does, and SQLite's
 * planner has no statistics to choose better. PostgreSQL's has, and takes a condition that it cannot estimate for one
 * that leaves hardly a row.
 */
export function beside(column: Column, value: string | number): SQL {
  if (is(column, PgColumn)) return eq(column, value);
  return typeof value === 'number' ? sql`${column} + 0 = ${value}` : sql`${column} || '' = ${value}`;
}

/**
 * What an index's own condition says besides, word for word, so that SQLite's planner may use the index. PostgreSQL's
 * sees by itself that it follows, and would count it twice.
 */
export function inIndex(column: Column, condition: SQL): SQL[] {
  return is(column, PgColumn) ? [] : [condition];
}

export interface Range {
  createdAfter?: number;
  createdBefore?: number;
}

/**
 * Rows created in [createdAfter, createdBefore]: bounded by id first, from one seek each in the index by instant, since
 * the list runs by id and would walk to its end otherwise.
 */
export function createdIn(
  table: 'deliveries' | 'events',
  columns: { id: Column; createdAt: Column },
  { createdAfter, createdBefore }: Range,
): SQL[] {
  const { id, createdAt } = columns;
  const from = sql.raw(`"${table}" "b"`);
  const conditions: SQL[] = [];
  if (createdAfter !== undefined) {
    const before = createdAfter - CLOCK_STEP_MS;
    conditions.push(
      sql`${id} > coalesce((select "b"."id" from ${from} where "b"."created_at" < ${before}
        order by "b"."created_at" desc limit 1), 0)`,
      sql`${createdAt} + 0 >= ${createdAfter}`,
    );
  }
  if (createdBefore !== undefined) {
    const after = createdBefore + CLOCK_STEP_MS;
    conditions.push(
      sql`${id} < coalesce((select "b"."id" from ${from} where "b"."created_at" > ${after}
        order by "b"."created_at" limit 1), ${Number.MAX_SAFE_INTEGER})`,
      sql`${createdAt} + 0 <= ${createdBefore}`,
    );
  }
  return conditions;
}
