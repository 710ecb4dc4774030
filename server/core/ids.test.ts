import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deriveId, makeId, parseId, readDerivedId } from '@/server/core/ids';

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';
const prefix = fc.constantFrom('org', 'app', 'ep', 'evt', 'dlv', 'att', 'pi', 'key', 'rpl', 'inc', 'brk');
const instant = fc.integer({ min: 0, max: 2 ** 48 - 1 });
const seq = fc.oneof(fc.nat(), fc.maxSafeNat());
const tenBytes = fc.uint8Array({ minLength: 10, maxLength: 10 });

describe('ids with chance', () => {
  it('API-1 the TypeID form: the vector of its specification', () => {
    expect(parseId('prefix_01h455vb4pex5vsknk084sn02q')).toEqual({
      prefix: 'prefix',
      uuid: '01890a5d-ac96-774b-bcce-b302099a8057',
    });
    const random = Buffer.from('074b3cceb302099a8057', 'hex');
    expect(makeId('prefix', 0x01890a5dac96, random)).toBe('prefix_01h455vb4pex5vsknk084sn02q');
  });

  it('API-1 an id keeps its prefix, its instant and all 74 random bits, as UUID version 7', () => {
    fc.assert(
      fc.property(prefix, instant, tenBytes, (name, at, random) => {
        const id = makeId(name, at, random);
        expect(id).toMatch(/^[a-z]+_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
        const parsed = parseId(id);
        const hex = (parsed?.uuid ?? '').replaceAll('-', '');
        expect(parsed?.prefix).toBe(name);
        expect(parseInt(hex.slice(0, 12), 16)).toBe(at);
        const given = Buffer.from(random);
        given[0] = 0x70 | ((given[0] ?? 0) & 0x0f);
        given[2] = 0x80 | ((given[2] ?? 0) & 0x3f);
        expect(hex.slice(12)).toBe(given.toString('hex'));
      }),
    );
  });

  it('API-1 ids sort by time as text', () => {
    fc.assert(
      fc.property(instant, instant, tenBytes, tenBytes, (a, b, first, second) => {
        fc.pre(a !== b);
        expect(makeId('evt', a, first) < makeId('evt', b, second)).toBe(a < b);
      }),
    );
  });

  it.each([
    '',
    'evt',
    'evt_',
    '01h455vb4pex5vsknk084sn02q',
    '_01h455vb4pex5vsknk084sn02q',
    'evt_81h455vb4pex5vsknk084sn02q',
    'evt_01h455vb4pex5vsknk084sn02',
    'evt_01h455vb4pex5vsknk084sn02qq',
    'evt_01H455VB4PEX5VSKNK084SN02Q',
    'EVT_01h455vb4pex5vsknk084sn02q',
    'evt_01h455vb4pex5vsknk084sn02u',
    'evt_01h455vb4pex5vsknk084sn0il',
    'evt-01h455vb4pex5vsknk084sn02q',
    'evt_01h455vb4pex5vsknk084sn02q ',
    'evt_01h455vb4p4x5vsknk084sn02q',
    'evt_00000000000000000000000000',
    '__01h455vb4pex5vsknk084sn02q',
    `${'a'.repeat(64)}_01h455vb4pex5vsknk084sn02q`,
  ])('API-1 D02 %j is no id', (text) => {
    expect(parseId(text)).toBeNull();
  });

  it('API-1 no text makes parsing throw', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => {
        expect(parseId(text)).toBeNull();
        expect(readDerivedId(text, 'evt')).toBeNull();
      }),
    );
  });

  it('API-1 a bad prefix, instant or too little chance is a mistake of ours', () => {
    for (const bad of ['', 'Evt', 'a1', '_a', 'a_'])
      expect(() => makeId(bad, 0, new Uint8Array(10))).toThrow(RangeError);
    for (const bad of [-1, 2 ** 48, 0.5, Number.NaN])
      expect(() => makeId('a', bad, new Uint8Array(10))).toThrow(RangeError);
    expect(() => makeId('a', 0, new Uint8Array(9))).toThrow(RangeError);
    for (const bad of [-1, 0.5, 2 ** 53]) expect(() => deriveId('a', 0, bad)).toThrow(RangeError);
  });
});

describe('ids of integer rows', () => {
  it('API-1 a derived id is an id of the same form that gives instant and number back', () => {
    fc.assert(
      fc.property(prefix, instant, seq, (name, createdAt, number) => {
        const id = deriveId(name, createdAt, number);
        expect(readDerivedId(id, name)).toEqual({ createdAt, seq: number });
        expect(parseId(id)?.prefix).toBe(name);
      }),
    );
  });

  it('API-1 derived ids sort by instant, then by number, as text', () => {
    const row = fc.tuple(fc.integer({ min: 0, max: 3 }), fc.oneof(fc.nat({ max: 70_000 }), fc.maxSafeNat()));
    fc.assert(
      fc.property(row, row, ([atA, seqA], [atB, seqB]) => {
        const order = Math.sign(atA - atB || seqA - seqB);
        const [a, b] = [deriveId('dlv', atA, seqA), deriveId('dlv', atB, seqB)];
        expect(a < b ? -1 : a > b ? 1 : 0).toBe(order);
      }),
    );
  });

  it('API-1 D02 every one wrong digit, every swapped pair and every other prefix is refused', () => {
    fc.assert(
      fc.property(instant, seq, (createdAt, number) => {
        const id = deriveId('dlv', createdAt, number);
        for (let at = 4; at < id.length; at += 1) {
          for (const digit of DIGITS) {
            if (digit === id[at]) continue;
            expect(readDerivedId(id.slice(0, at) + digit + id.slice(at + 1), 'dlv')).toBeNull();
          }
          const swapped = `${id.slice(0, at)}${id[at + 1] ?? ''}${id[at] ?? ''}${id.slice(at + 2)}`;
          if (swapped !== id) expect(readDerivedId(swapped, 'dlv')).toBeNull();
        }
        expect(readDerivedId(id, 'att')).toBeNull();
        expect(readDerivedId(id.replace('dlv', 'att'), 'att')).toBeNull();
      }),
      { numRuns: 30 },
    );
  });

  it('API-1 an id made by chance is no derived id', () => {
    let taken = 0;
    for (let i = 0; i < 2000; i += 1) {
      const random = new Uint8Array(10).map((_, at) => (i * 7919 * (at + 1)) % 251);
      if (readDerivedId(makeId('dlv', 1_767_225_600_000 + i, random), 'dlv') !== null) taken += 1;
    }
    expect(taken).toBeLessThanOrEqual(1);
  });

  it('API-1 what was handed out stays readable: literals', () => {
    expect(deriveId('dlv', 1_767_225_600_000, 1)).toBe('dlv_01kdvdna00e008000000003mme');
    expect(deriveId('att', 1_767_225_600_000, 9_007_199_254_740_991)).toBe('att_01kdvdna00e1zvzzzzzzzzzmpt');
  });
});
