import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeString, type Slice, scanArray, scanObject, scanValue } from '@/server/core/json-slice';

const utf8 = (text: string) => Buffer.from(text, 'utf8');
const text = (bytes: Uint8Array, slice: Slice | undefined) =>
  slice === undefined ? undefined : Buffer.from(bytes.subarray(slice.start, slice.end)).toString('utf8');

function parses(source: string): boolean {
  try {
    JSON.parse(source);
    return true;
  } catch {
    return false;
  }
}

/** JSON texts with free spacing, and spellings that stringify never writes. */
const jsonText = fc
  .tuple(
    fc.json({ maxDepth: 6, stringUnit: 'binary' }),
    fc.constantFrom(0, 1, 2, '\t'),
    fc.constantFrom('', ' ', '\r\n\t'),
  )
  .map(([source, indent, around]) => around + JSON.stringify(JSON.parse(source), null, indent) + around);

describe('the slice of a value', () => {
  it('R-PUB-4 the bytes of body arrive as they are, numbers, key order, duplicates and spacing included', () => {
    const slice = '{"amount":9007199254740993,"rate":1.0,"2":"b","1":"a"}';
    const request = utf8(`{ "type" : "payment.paid",\n "body" :\t${slice} \r\n, "occurred_at":null}`);
    const scan = scanObject(request);
    expect(scan.ok && text(request, scan.entries.get('body'))).toBe(slice);
    expect(scan.ok && [...scan.entries.keys()]).toEqual(['type', 'body', 'occurred_at']);
    const odd = '{ "a" : 1e2, "a":-0 , "\\u0061": "\\/\\ud800", "x":[ ] }';
    const other = utf8(`{"body":${odd}}`);
    const oddScan = scanObject(other);
    expect(oddScan.ok && text(other, oddScan.entries.get('body'))).toBe(odd);
  });

  it('R-PUB-4 R-PUB-7 each item of a batch gives its own slice', () => {
    const bytes = utf8(
      '{"events":[{"type":"a","body":1.0}, {"body": "х" ,"type":"b"},{"type":"c","body":[1 , 2]}]}',
    );
    const top = scanObject(bytes, { deepKeys: ['events'] });
    const within = top.ok ? top.entries.get('events') : undefined;
    const items = scanArray(bytes, { within, maxDepth: Number.POSITIVE_INFINITY });
    const bodies = items.ok
      ? items.items.map((item) => {
          const scan = scanObject(bytes, { within: item, deepKeys: ['body'] });
          return scan.ok ? text(bytes, scan.entries.get('body')) : 'fault';
        })
      : [];
    expect(bodies).toEqual(['1.0', '"х"', '[1 , 2]']);
  });

  it('R-PUB-4 an escaped spelling of a key is the same key; __proto__ is a key like any other', () => {
    const bytes = utf8('{"\\u0062ody":1,"__proto__":{"polluted":true},"constructor":2}');
    const scan = scanObject(bytes);
    expect(scan.ok && [...scan.entries.keys()]).toEqual(['body', '__proto__', 'constructor']);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it.each([
    ['{"body":1,"body":2}', 10],
    ['{"body":1,"\\u0062ody":2}', 10],
  ])('R-PUB-4 D26 a key twice in our own envelope is an error: %s', (source, at) => {
    expect(scanObject(utf8(source))).toMatchObject({ ok: false, at, message: 'the same key twice' });
    const last = scanObject(utf8(source), { duplicates: 'last' });
    expect(last.ok && text(utf8(source), last.entries.get('body'))).toBe('2');
  });

  it('R-PUB-4 D26 nesting is ≤ 64 in our own request and free inside the slice, at 100,000 levels too', () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    const bytes = utf8(`{"type":"a","body":${deep}}`);
    const scan = scanObject(bytes, { deepKeys: ['body'] });
    expect(scan.ok && text(bytes, scan.entries.get('body'))?.length).toBe(200_000);
    expect(scanObject(bytes)).toMatchObject({ ok: false, at: 19, message: 'nested too deep' });
    const nested = (levels: number) => utf8(`{"x":${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}}`);
    expect(scanObject(nested(63)).ok).toBe(true);
    expect(scanObject(nested(64)).ok).toBe(false);
    expect(scanValue(utf8(deep))).toEqual({ ok: true, start: 0, end: 200_000, depth: 100_000 });
    expect(scanValue(utf8('['.repeat(100_000))).ok).toBe(false);
    expect(scanValue(utf8('{"a":'.repeat(100_000))).ok).toBe(false);
  });

  it('D26 more than 1,000 keys in our own request are refused, more in the slice are not', () => {
    const object = (count: number) => `{${Array.from({ length: count }, (_, i) => `"k${i}":0`).join(',')}}`;
    expect(scanObject(utf8(object(1000))).ok).toBe(true);
    expect(scanObject(utf8(object(1001)))).toMatchObject({ ok: false, message: 'more than 1000 entries' });
    expect(scanObject(utf8(`{"body":${object(5000)}}`)).ok).toBe(true);
    expect(scanArray(utf8(`[${'0,'.repeat(1000)}0]`))).toMatchObject({ ok: false });
  });
});

describe('what is JSON', () => {
  const REFUSED = [
    '',
    ' ',
    '{',
    '}',
    '[',
    ']',
    '[1',
    '[1,',
    '[1,]',
    '[,1]',
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    '{,}',
    '{a:1}',
    "{'a':1}",
    '{"a":1]',
    '[1}',
    '1 2',
    '{}{}',
    '[]]',
    '01',
    '-',
    '-01',
    '+1',
    '.5',
    '1.',
    '1.e1',
    '1e',
    '1e+',
    '0x1',
    '1_0',
    'NaN',
    'Infinity',
    'tru',
    'truE',
    'nulll',
    'undefined',
    '"',
    '"\\"',
    '"\\x"',
    '"\\u12"',
    '"\\u12g4"',
    '"\\',
    '"\t"',
    '"\n"',
    '\u00a01',
    '\ufeff{}',
    '1\u2028',
    '/**/1',
    '{"a":1 "b":2}',
    '[1 2]',
    '{"a" 1}',
    '{1:1}',
    '\u000b1',
    '"\u0000"',
  ];
  const ACCEPTED = [
    '0',
    '-0',
    '1e5',
    '1E+05',
    '-0.0e-0',
    '1.0',
    '123456789012345678901234567890',
    '""',
    '"\\u0000\\/\\b"',
    '"\u007f\u2028"',
    '"\\ud800"',
    'true',
    'false',
    'null',
    '[]',
    '{}',
    '[[],{}]',
    ' \t\r\n{"a" : [ 1 , 2 ] } \n',
    '{"":0}',
    '"😀"',
    '"\uffff"',
    '{"a":{"b":[]},"c":[{"d":{}}]}',
  ];

  it.each(REFUSED)('R-PUB-4 %j is refused, as JSON.parse has it', (source) => {
    expect(parses(source)).toBe(false);
    expect(scanValue(utf8(source)).ok).toBe(false);
    expect(scanObject(utf8(source)).ok).toBe(false);
    expect(scanObject(utf8(`{"body":${source}}`), { deepKeys: ['body'] }).ok).toBe(false);
  });

  it.each(ACCEPTED)('R-PUB-4 %j is accepted, as JSON.parse has it', (source) => {
    expect(parses(source)).toBe(true);
    const bytes = utf8(source);
    const scan = scanValue(bytes);
    expect(scan.ok && text(bytes, scan)).toBe(source.trim());
  });

  it('R-PUB-4 accepts a text exactly when JSON.parse does, mutated ones included', () => {
    const places = fc.array(
      fc.tuple(fc.nat(), fc.constantFrom(...'{}[]",:\\ 0123456789.eE+-tfnul\n\u0001/u', '')),
      {
        maxLength: 4,
      },
    );
    fc.assert(
      fc.property(jsonText, places, (source, changes) => {
        let mutated = source;
        for (const [where, char] of changes) {
          const at = where % (mutated.length + 1);
          mutated = mutated.slice(0, at) + char + mutated.slice(at + (where % 2));
        }
        // What is not well-formed cannot be said in UTF-8: both sides get the same characters.
        const wellFormed = Buffer.from(mutated, 'utf8').toString('utf8');
        expect(scanValue(utf8(wellFormed)).ok).toBe(parses(wellFormed));
      }),
      { numRuns: 2000 },
    );
  });

  it('R-PUB-4 any short string of JSON characters is judged as JSON.parse judges it', () => {
    const soup = fc.string({
      unit: fc.constantFrom(...'{}[]",:\\ 01.eE+-', 'true', 'null', '"a"'),
      maxLength: 12,
    });
    fc.assert(
      fc.property(soup, (source) => {
        expect(scanValue(utf8(source)).ok).toBe(parses(source));
      }),
      { numRuns: 5000 },
    );
  });

  it('R-PUB-4 every slice of an object parses to what JSON.parse finds under that key', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()),
        fc.constantFrom(0, 2),
        (value, indent) => {
          const source = utf8(JSON.stringify(value, null, indent)).toString('utf8');
          const bytes = utf8(source);
          const expected = JSON.parse(source) as Record<string, unknown>;
          const scan = scanObject(bytes, { duplicates: 'last' });
          if (!scan.ok) throw new Error(scan.message);
          expect(new Set(scan.entries.keys())).toEqual(new Set(Object.keys(expected)));
          for (const [key, slice] of scan.entries) {
            expect(JSON.parse(text(bytes, slice) ?? '')).toEqual(
              Object.getOwnPropertyDescriptor(expected, key)?.value,
            );
          }
        },
      ),
    );
  });

  it('R-PUB-4 D26 bytes that are not UTF-8 are refused exactly where a strict decoder refuses them', () => {
    const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    const isUtf8 = (bytes: Uint8Array) => {
      try {
        strict.decode(bytes);
        return true;
      } catch {
        return false;
      }
    };
    const byte = fc.oneof(
      fc.integer({ min: 0x80, max: 0xff }),
      fc.constantFrom(0xc2, 0xdf, 0xe0, 0xed, 0xef, 0xf0, 0xf4, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0x41),
    );
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 6 }),
        fc.array(byte, { minLength: 1, maxLength: 8 }),
        (_unused, inner) => {
          const bytes = Buffer.concat([utf8('"'), Buffer.from(inner), utf8('"')]);
          expect(scanValue(bytes).ok).toBe(isUtf8(bytes));
        },
      ),
      { numRuns: 5000 },
    );
    for (const inner of [
      [0xc0, 0x80],
      [0xed, 0xa0, 0x80],
      [0xf4, 0x90, 0x80, 0x80],
      [0xff],
      [0xe2, 0x82],
      [0x80],
    ]) {
      expect(scanValue(Buffer.from([0x22, ...inner, 0x22]))).toMatchObject({
        ok: false,
        at: 1,
        message: 'not UTF-8',
      });
    }
  });

  it('R-PUB-4 a string decodes as JSON.parse decodes it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        const bytes = utf8(JSON.stringify(value));
        expect(decodeString(bytes, { start: 0, end: bytes.length })).toBe(JSON.parse(bytes.toString('utf8')));
      }),
    );
  });
});
