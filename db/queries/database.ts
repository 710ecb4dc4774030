import type { BaseSQLiteDatabase } from 'drizzle-orm/sqlite-core';
import type { Change } from '@/server/ports/store';
import type { Schema } from '../schema/tables';

/**
 * The handle that queries are written against: the async SQLite builder. Both drivers are cast to it, each in one
 * file; a query is only ever awaited.
 */
export type Db = BaseSQLiteDatabase<'async', unknown>;

export interface QueryDeps {
  db: Db;
  schema: Schema;
}

export interface WriteDeps extends QueryDeps {
  /** To be told once the transaction is committed. */
  note: (change: Change) => void;
  /** A new public id with this prefix. */
  newId: (prefix: string) => string;
}

/** The first row, or null. */
export function first<T>(rows: readonly T[]): T | null {
  return rows[0] ?? null;
}

/** The row that a statement with `returning` must have given. */
export function only<T>(rows: readonly T[]): T {
  const [row] = rows;
  if (row === undefined) throw new Error('The row to write is gone.');
  return row;
}
