// Cursors are opaque and bound to the list and filter that they came from (api.md, "Lists").
import { hashKey } from '@/server/core/api-key';
import { ServiceError } from './service-error';

/** What a cursor belongs to: the verb, the scope and every filter field; not the page's size. */
export type CursorOwner = Record<string, string | number | boolean | null | undefined>;

const CURSOR = /^[A-Za-z0-9_-]{12}([0-9a-z]{1,11})$/;
const HASH_BYTES = 9;

/** The cursor that goes on below (or, ascending, above) the row with this number. */
export function writeCursor(owner: CursorOwner, seq: number): string {
  return `${ownerHash(owner)}${seq.toString(36)}`;
}

/** @throws ServiceError cursor_mismatch when it is none, or another list's or filter's */
export function readCursor(owner: CursorOwner, cursor: string | undefined): number | null {
  if (cursor === undefined) return null;
  const seq = Number.parseInt(CURSOR.exec(cursor)?.[1] ?? '', 36);
  if (!Number.isSafeInteger(seq) || writeCursor(owner, seq) !== cursor) {
    throw new ServiceError(
      'cursor_mismatch',
      'This cursor belongs to another list or filter. Begin again without a cursor.',
    );
  }
  return seq;
}

function ownerHash(owner: CursorOwner): string {
  const fields = Object.entries(owner)
    .filter(([, value]) => value !== undefined && value !== null)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return Buffer.from(hashKey(JSON.stringify(fields)), 'hex')
    .subarray(0, HASH_BYTES)
    .toString('base64url');
}

/** Pages through a bounded list that only grows at its end. @throws ServiceError cursor_mismatch */
export function pageThrough<T>(
  rows: readonly T[],
  owner: CursorOwner,
  page: { limit: number; cursor?: string | undefined },
): { data: T[]; next_cursor: string | null } {
  const from = readCursor(owner, page.cursor) ?? 0;
  const to = from + page.limit;
  return {
    data: rows.slice(from, to),
    next_cursor: to < rows.length ? writeCursor(owner, to) : null,
  };
}
