import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeHead, needsMore } from './merge';

const rows = (...ids: string[]) => ids.map((id) => ({ id, status: 'pending' }));
const part = { headIsAll: false, shownIsAll: false };
const all = { headIsAll: true, shownIsAll: true };
const ids = (list: readonly { id: string }[]) => list.map((row) => row.id).join(' ');

describe('mergeHead', () => {
  it('new rows wait: what is shown keeps its rows and takes their new state', () => {
    const head = [
      { id: 'd', status: 'pending' },
      { id: 'c', status: 'delivered' },
    ];
    const merge = mergeHead(rows('c', 'b', 'a'), head, part);
    expect(merge.kept).toEqual([
      { id: 'c', status: 'delivered' },
      { id: 'b', status: 'pending' },
      { id: 'a', status: 'pending' },
    ]);
    expect([...merge.newer]).toEqual(['d']);
    expect(ids(merge.accepted)).toBe('d c b a');
    expect(merge.gap).toBe(false);
  });

  it('a row that matches the filter only now is put where it belongs, when accepted', () => {
    const merge = mergeHead(rows('d', 'a'), rows('d', 'c', 'a'), all);
    expect(ids(merge.kept)).toBe('d a');
    expect(ids(merge.accepted)).toBe('d c a');
  });

  it('a row that no longer matches goes, but only where the head reaches', () => {
    const merge = mergeHead(rows('d', 'c', 'b', 'a'), rows('d', 'b'), part);
    expect(ids(merge.kept)).toBe('d b a');
    expect(ids(mergeHead(rows('d', 'c', 'b', 'a'), rows('d'), all).kept)).toBe('d');
  });

  it('when more came than was fetched, accepting starts afresh instead of hiding a hole', () => {
    const merge = mergeHead(rows('c', 'b', 'a'), rows('z', 'y'), part);
    expect(merge.gap).toBe(true);
    expect(ids(merge.kept)).toBe('c b a');
    expect(ids(merge.accepted)).toBe('z y');
  });

  it('what the head has below the last row shown is old: neither new nor put in', () => {
    const merge = mergeHead(rows('d', 'c'), rows('e', 'd', 'c', 'b', 'a'), part);
    expect([...merge.newer]).toEqual(['e']);
    expect(ids(merge.accepted)).toBe('e d c');
    const reached = { headIsAll: true, shownIsAll: false };
    expect(ids(mergeHead(rows('d', 'c'), rows('e', 'd', 'c', 'b'), reached).accepted)).toBe('e d c');
  });

  it('an empty list takes everything as new; an emptied one is empty', () => {
    expect(mergeHead([], rows('b', 'a'), part)).toMatchObject({ afresh: true, gap: false });
    expect(ids(mergeHead([], rows('b', 'a'), all).accepted)).toBe('b a');
    expect(mergeHead(rows('a'), [], all).kept).toEqual([]);
  });

  it('never doubles a row and never reorders one, whatever arrives', () => {
    const list = fc.uniqueArray(fc.integer({ min: 0, max: 60 }), { maxLength: 30 });
    fc.assert(
      fc.property(list, list, fc.boolean(), fc.boolean(), (a, b, headIsAll, shownIsAll) => {
        const make = (xs: number[]) =>
          [...xs].sort((x, y) => y - x).map((n) => ({ id: String(n).padStart(3, '0') }));
        const head = make(b);
        const { kept, accepted, newer } = mergeHead(make(a), head, { headIsAll, shownIsAll });
        for (const list of [kept, accepted]) {
          expect(new Set(list.map((r) => r.id)).size).toBe(list.length);
        }
        const sorted = [...kept]
          .map((r) => r.id)
          .sort()
          .reverse();
        expect(kept.map((r) => r.id)).toEqual(sorted);
        expect(kept.some((r) => newer.has(r.id))).toBe(false);
      }),
    );
  });
});

it('another page is asked for only while an unfinished row lies beyond', () => {
  const shown = [
    { id: 'b', status: 'delivered' },
    { id: 'a', status: 'pending' },
  ];
  expect(needsMore(shown, [])).toBe(true);
  expect(needsMore(shown, [{ id: 'a', status: 'pending' }])).toBe(false);
  expect(needsMore([{ id: 'b', status: 'failed' }], [])).toBe(false);
});
