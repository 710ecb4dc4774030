// The one file in which PostgreSQL's drizzle handle is cast to the builder that queries are written against.
import { DrizzleQueryError } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import type pg from 'pg';
import type { Queries } from '@/server/ports/queries';
import type { Db } from '../queries/database';
import { toStoreError } from './errors';

export function handleOf(connection: pg.Pool | pg.PoolClient): Db {
  return drizzle(connection) as unknown as Db;
}

/**
 * What the driver threw: drizzle wraps it into an error whose message repeats the statement's values, and those may be
 * secret.
 */
export function plainError(error: unknown): unknown {
  return error instanceof DrizzleQueryError && error.cause !== undefined ? error.cause : error;
}

/** Reads whose faults are the store's. */
export function guarded(queries: Queries): Queries {
  const entries = Object.entries(queries).map(([name, query]) => [
    name,
    async (...args: unknown[]) => {
      try {
        return await query(...args);
      } catch (error) {
        throw toStoreError(plainError(error));
      }
    },
  ]);
  return Object.fromEntries(entries) as Queries;
}
