import {
  foreignKey,
  index,
  integer,
  primaryKey,
  blob as sqliteBlob,
  sqliteTable,
  text as sqliteText,
  unique,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core';

const int = (name: string) => integer(name);

/** The column kit on SQLite. */
export const sqliteKit = {
  table: sqliteTable,
  /** An integer key that only rises and is never given twice. */
  id: (name: string) => integer(name).primaryKey({ autoIncrement: true }),
  text: <T extends string = string>(name: string) => sqliteText(name).$type<T>(),
  int,
  /** An instant, epoch ms. */
  ts: int,
  bool: (name: string) => integer(name, { mode: 'boolean' }),
  json: <T>(name: string) => sqliteText(name, { mode: 'json' }).$type<T>(),
  bytes: (name: string) => sqliteBlob(name, { mode: 'buffer' }).$type<Uint8Array>(),
  /** For Better Auth's tables alone. */
  date: (name: string) => integer(name, { mode: 'timestamp_ms' }),
  index,
  uniqueIndex,
  /** What a foreign key may point at. */
  unique,
  foreignKey,
  primaryKey,
};
