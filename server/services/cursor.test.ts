import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pageThrough, readCursor, writeCursor } from './cursor';

const owner = { list: 'events', appId: 1, environment: 'test', type: 'a.b' };

describe('cursors', () => {
  it('API-LISTS a cursor comes back as it was written, for its owner alone', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), (seq) => {
        const cursor = writeCursor(owner, seq);
        expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
        expect(readCursor(owner, cursor)).toBe(seq);
        for (const other of [
          { ...owner, type: 'a.c' },
          { ...owner, appId: 2 },
          { ...owner, status: 'failed' },
        ]) {
          expect(() => readCursor(other, cursor)).toThrow(
            expect.objectContaining({ code: 'cursor_mismatch' }),
          );
        }
      }),
    );
  });

  it('API-LISTS whatever else is sent as a cursor is refused', () => {
    expect(readCursor(owner, undefined)).toBeNull();
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(() => readCursor(owner, text)).toThrow(expect.objectContaining({ code: 'cursor_mismatch' }));
      }),
    );
  });

  it('API-LISTS the order of the fields, and fields left out, are the same filter', () => {
    const cursor = writeCursor({ a: 1, b: undefined, c: null, d: 'x' }, 5);
    expect(readCursor({ d: 'x', a: 1 }, cursor)).toBe(5);
  });

  it('API-LISTS pages through a bounded list without gap or overlap', () => {
    const rows = Array.from({ length: 7 }, (_, n) => n);
    const seen: number[] = [];
    let cursor: string | undefined;
    do {
      const page = pageThrough(rows, owner, { limit: 3, cursor });
      seen.push(...page.data);
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
    expect(seen).toEqual(rows);
  });
});
