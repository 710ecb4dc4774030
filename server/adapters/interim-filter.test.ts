import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InterimFilter } from './interim-filter';

/** What the parser would see of these bytes, cut into packets at these places. */
function through(text: string, cuts: readonly number[] = []): string {
  const filter = new InterimFilter();
  filter.begin();
  const bytes = Buffer.from(text, 'latin1');
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  const packets = [0, ...places].map((from, index) => Buffer.from(bytes.subarray(from, places[index])));
  for (const packet of packets) filter.rewrite(packet);
  return Buffer.concat(packets).toString('latin1');
}

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 26\r\n\r\nHTTP/1.1 100 Continue\r\n\r\nok';

describe('InterimFilter', () => {
  const table: [string, string, string][] = [
    ['a final answer', OK, OK],
    ['100', `HTTP/1.1 100 Continue\r\n\r\n${OK}`, `HTTP/1.1 102 Continue\r\n\r\n${OK}`],
    ['100 without reason', `HTTP/1.1 100\r\n\r\n${OK}`, `HTTP/1.1 102\r\n\r\n${OK}`],
    ['100 with headers', `HTTP/1.1 100 C\r\na: 100\r\n\r\n${OK}`, `HTTP/1.1 102 C\r\na: 100\r\n\r\n${OK}`],
    [
      '100 after 102 and 103',
      `HTTP/1.1 102 P\r\n\r\nHTTP/1.1 103 H\r\nb: c\r\n\r\nHTTP/1.1 100 C\r\n\r\n${OK}`,
      `HTTP/1.1 102 P\r\n\r\nHTTP/1.1 103 H\r\nb: c\r\n\r\nHTTP/1.1 102 C\r\n\r\n${OK}`,
    ],
    ['101', 'HTTP/1.1 101 S\r\n\r\n\x81\x00', 'HTTP/1.1 101 S\r\n\r\n\x81\x00'],
    ['an empty line first', `\r\nHTTP/1.1 100 C\r\n\r\n${OK}`, `\r\nHTTP/1.1 102 C\r\n\r\n${OK}`],
    ['HTTP/1.0', 'HTTP/1.0 100 C\r\n\r\n', 'HTTP/1.0 102 C\r\n\r\n'],
    ['HTTP/2', 'HTTP/2.0 100 C\r\n\r\n', 'HTTP/2.0 100 C\r\n\r\n'],
    ['garbage', 'garbage HTTP/1.1 100 C\r\n\r\n', 'garbage HTTP/1.1 100 C\r\n\r\n'],
    ['110', `HTTP/1.1 110 X\r\n\r\n${OK}`, `HTTP/1.1 110 X\r\n\r\n${OK}`],
    [
      'a bare LF block never ends',
      'HTTP/1.1 100 C\n\nHTTP/1.1 100 C\r\n',
      'HTTP/1.1 102 C\n\nHTTP/1.1 100 C\r\n',
    ],
  ];
  for (const [name, sent, seen] of table) {
    it(`R-ATT-3 ${name}: byte for byte however the packets are cut`, () => {
      expect(through(sent)).toBe(seen);
      expect(
        through(
          sent,
          Array.from(sent, (_, index) => index),
        ),
      ).toBe(seen);
      fc.assert(
        fc.property(fc.array(fc.nat()), (cuts) => {
          expect(through(sent, cuts)).toBe(seen);
        }),
      );
    });
  }

  it('R-ATT-3 changes no byte of any stream but the last digit of an interim 100', () => {
    const piece = fc.constantFrom(
      ...[
        'HTTP/1.1 100 C',
        'HTTP/1.1 102 P',
        'HTTP/1.1 200 OK',
        '\r\n',
        '\r\n\r\n',
        'a: b',
        '\n',
        '\r',
        '0',
        ' ',
      ],
    );
    fc.assert(
      fc.property(fc.array(piece), fc.array(fc.nat()), (pieces, cuts) => {
        const sent = pieces.join('');
        const seen = through(sent, cuts);
        expect(seen.length).toBe(sent.length);
        expect(seen).toBe(through(sent));
        for (let index = 0; index < sent.length; index++) {
          if (seen[index] === sent[index]) continue;
          expect(sent.slice(index - 11, index + 1)).toBe('HTTP/1.1 100');
          expect(seen[index]).toBe('2');
        }
      }),
      { numRuns: 500 },
    );
  });

  it('R-ATT-3 leaves bytes alone until a request is written, and after the answer began', () => {
    const filter = new InterimFilter();
    const idle = Buffer.from('HTTP/1.1 100 C\r\n\r\n');
    filter.rewrite(idle);
    expect(idle.toString()).toBe('HTTP/1.1 100 C\r\n\r\n');
    filter.begin();
    filter.rewrite(Buffer.from(OK));
    const body = Buffer.from('HTTP/1.1 100 C\r\n\r\n');
    filter.rewrite(body);
    expect(body.toString()).toBe('HTTP/1.1 100 C\r\n\r\n');
    filter.begin();
    filter.rewrite(body);
    expect(body.toString()).toBe('HTTP/1.1 102 C\r\n\r\n');
  });

  it('R-ATT-18 notes an unasked 101 until the next request', () => {
    const filter = new InterimFilter();
    filter.begin();
    filter.rewrite(Buffer.from('HTTP/1.1 10'));
    expect(filter.sawSwitch).toBe(false);
    filter.rewrite(Buffer.from('1 S\r\n\r\n'));
    expect(filter.sawSwitch).toBe(true);
    filter.begin();
    expect(filter.sawSwitch).toBe(false);
  });
});
