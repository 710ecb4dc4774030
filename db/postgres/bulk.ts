import { getTableColumns, getTableName } from 'drizzle-orm';
import { schema } from '../schema/postgres';
import type { Schema } from '../schema/tables';
import { cleanText } from './clean';
import { type Client, execute, select } from './connect';

/** What a column of the hot path is given; booleans as 0 and 1 too, jsonb as its text. */
export type Value = string | number | boolean | Uint8Array | null;

type Table = 'events' | 'deliveries' | 'attempts' | 'endpoints' | 'breakers' | 'breakerEvents';

interface Shape {
  name: string;
  /** Type of each column, by its name in the database. */
  types: ReadonlyMap<string, string>;
}

function shapeOf(table: Schema[Table]): Shape {
  const columns = Object.values(getTableColumns(table));
  const types = columns.map(
    (column) => [column.name, (column.getSQLType() as string).split(' ')[0] ?? ''] as const,
  );
  return { name: getTableName(table), types: new Map(types) };
}

const shapes: Readonly<Record<Table, Shape>> = {
  events: shapeOf(schema.events),
  deliveries: shapeOf(schema.deliveries),
  attempts: shapeOf(schema.attempts),
  endpoints: shapeOf(schema.endpoints),
  breakers: shapeOf(schema.breakers),
  breakerEvents: shapeOf(schema.breakerEvents),
};

const quoted = (columns: readonly string[]) => columns.map((column) => `"${column}"`).join(', ');

/** `$1::bigint[], $2::text[]`, one array for each column. */
function arrays({ types }: Shape, columns: readonly string[]): string {
  return columns.map((column, place) => `$${place + 1}::${types.get(column)}[]`).join(', ');
}

function turned(columns: readonly string[], rows: readonly (readonly Value[])[]): Value[][] {
  return columns.map((_, place) =>
    rows.map((row) => {
      const value = row[place] ?? null;
      return typeof value === 'string' ? cleanText(value) : value;
    }),
  );
}

/** A text is made once for each of its few shapes: a table and the columns written together. */
function remembered(make: (table: Table, columns: readonly string[], more: string) => string) {
  const texts = new Map<string, string>();
  return (table: Table, columns: readonly string[], more = ''): string => {
    const key = `${table} ${columns.join()} ${more}`;
    const known = texts.get(key);
    if (known !== undefined) return known;
    const text = make(table, columns, more);
    texts.set(key, text);
    return text;
  };
}

const insertText = remembered((table, columns, more) => {
  const shape = shapes[table];
  return `INSERT INTO "${shape.name}" (${quoted(columns)})
    SELECT ${quoted(columns)} FROM unnest(${arrays(shape, columns)}) AS x(${quoted(columns)}) ${more}`;
});

const updateText = remembered((table, columns) => {
  const shape = shapes[table];
  const set = columns.map((column) => `"${column}" = x."${column}"`).join(', ');
  return `UPDATE "${shape.name}" AS t SET ${set}
    FROM unnest(${arrays(shape, ['id', ...columns])}) AS x(${quoted(['id', ...columns])}) WHERE t.id = x.id`;
});

export interface Rows {
  table: Table;
  columns: readonly string[];
  /** Each in the order of `columns`. */
  rows: readonly (readonly Value[])[];
}

/** Writes rows in one statement, in their order. `more`: ON CONFLICT, RETURNING. */
export async function insertRows<R = object>(
  client: Client,
  { table, columns, rows }: Rows,
  more = '',
): Promise<R[]> {
  if (rows.length === 0) return [];
  return select<R>(client, insertText(table, columns, more), turned(columns, rows));
}

/** Sets the same columns of many rows; each row begins with its id. */
export async function updateRows(client: Client, { table, columns, rows }: Rows): Promise<void> {
  if (rows.length === 0) return;
  await execute(client, updateText(table, columns), turned(['id', ...columns], rows));
}
