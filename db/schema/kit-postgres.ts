import {
  bigint,
  boolean,
  customType,
  foreignKey,
  index,
  pgTable,
  primaryKey,
  timestamp,
  unique,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { cleanJson, cleanText } from '../postgres/clean';
import type { Kit } from './kit';

/** Compared byte by byte, as SQLite does, whatever the database's own collation (ids, cursors, types). */
const pgText = customType<{ data: string; driverData: string }>({
  dataType: () => 'text COLLATE "C"',
  toDriver: cleanText,
});

/** Never for anything whose byte order matters: jsonb keeps neither the order of keys nor repeated ones. */
const pgJson = customType<{ data: unknown; driverData: string }>({
  dataType: () => 'jsonb',
  toDriver: (value) => cleanJson(JSON.stringify(value)),
  // The driver parses jsonb unless it was told to leave it as text.
  fromDriver: (value) => (typeof value === 'string' ? JSON.parse(value) : value),
});

const pgBytes = customType<{ data: Uint8Array; driverData: Buffer }>({
  dataType: () => 'bytea',
  toDriver: (value) => Buffer.from(value.buffer, value.byteOffset, value.byteLength),
});

/** Epoch milliseconds and sequences do not fit into 32 bits. */
const int = (name: string) => bigint(name, { mode: 'number' });

const kit = {
  table: pgTable,
  /** Given by a sequence, which never gives a number twice, rolled back or not. */
  id: (name: string) => int(name).primaryKey().generatedByDefaultAsIdentity(),
  text: (name: string) => pgText(name),
  int,
  ts: int,
  bool: (name: string) => boolean(name),
  json: (name: string) => pgJson(name),
  bytes: (name: string) => pgBytes(name),
  date: (name: string) => timestamp(name, { withTimezone: true, mode: 'date', precision: 3 }),
  index,
  uniqueIndex,
  unique,
  foreignKey,
  primaryKey,
};

/** The column kit on PostgreSQL: the same entries, whose types are SQLite's (see `Kit`). */
export const postgresKit = kit as unknown as Kit;
