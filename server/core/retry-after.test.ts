import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseHttpDate, parseRetryAfter } from '@/server/core/retry-after';

const NOW = Date.UTC(2026, 0, 1);
const YEAR_MS = 365 * 86_400_000;

describe('Retry-After', () => {
  // O10, O11: what receivers have sent. Null is as if absent; 0 postpones nothing.
  const GOLDEN: [string[], number | null][] = [
    [['120'], 120_000],
    [['1'], 1000],
    [['0'], 0],
    [['000120'], 120_000],
    [['999999'], 999_999_000],
    [['9999999999'], 9_999_999_999_000],
    [['99999999999'], null],
    [['-5'], null],
    [['+5'], null],
    [['1.5'], null],
    [['1e3'], null],
    [['0x10'], null],
    [['soon'], null],
    [[''], null],
    [[' \t7 '], 7000],
    [['7\n'], null],
    [['1 2'], null],
    [['120, 3600'], null],
    [[], null],
    [['Wed, 21 Oct 2015 07:28:00 GMT'], 0],
    [['Thu, 01 Jan 2026 00:02:00 GMT'], 120_000],
    [['Tue, 01 Jan 2036 00:00:00 GMT'], 10 * YEAR_MS + 2 * 86_400_000],
    [['Thursday, 01-Jan-26 00:02:00 GMT'], 120_000],
    [['Thu Jan  1 00:02:00 2026'], 120_000],
    [['Thu, 1 Jan 2026 00:02:00 GMT'], null],
    [['Thu, 01 Jan 2026 00:02:00 UTC'], null],
    [['Thu, 01 Jan 2026 00:02:00'], null],
    [['thu, 01 jan 2026 00:02:00 gmt'], null],
    [['2026-01-01T00:02:00Z'], null],
    [['Thu, 31 Feb 2026 00:00:00 GMT'], null],
    [['Thu, 01 Jan 2026 24:00:00 GMT'], null],
    [['Thu, 00 Jan 2026 00:00:00 GMT'], null],
    [['5', '60'], 60_000],
    [['60', '5'], 60_000],
    [['soon', '5'], 5000],
    [['5', 'Thu, 01 Jan 2026 00:02:00 GMT'], 120_000],
    [['Wed, 21 Oct 2015 07:28:00 GMT', '3'], 3000],
    [['soon', 'later'], null],
  ];

  it.each(GOLDEN)('R-ATT-11 %j asks for %j ms', (values, waitMs) => {
    expect(parseRetryAfter(values, NOW)).toBe(waitMs);
  });

  it.each<[string, string | null]>([
    ['Sun, 06 Nov 1994 08:49:37 GMT', '1994-11-06T08:49:37.000Z'],
    ['Sunday, 06-Nov-94 08:49:37 GMT', '1994-11-06T08:49:37.000Z'],
    ['Sun Nov  6 08:49:37 1994', '1994-11-06T08:49:37.000Z'],
    ['Sunday, 06-Nov-76 08:49:37 GMT', '2076-11-06T08:49:37.000Z'],
    ['Sunday, 06-Nov-77 08:49:37 GMT', '1977-11-06T08:49:37.000Z'],
    ['Thu, 29 Feb 2024 00:00:00 GMT', '2024-02-29T00:00:00.000Z'],
    ['Sun, 31 Dec 2023 23:59:60 GMT', '2024-01-01T00:00:00.000Z'],
    ['Wed, 29 Feb 2023 00:00:00 GMT', null],
    ['Mon, 01 Jan 0001 00:00:00 GMT', null],
  ])('R-ATT-11 the three forms of RFC 9110: %s is %s', (text, iso) => {
    const at = parseHttpDate(text, NOW);
    expect(at === null ? null : new Date(at).toISOString()).toBe(iso);
  });

  it('R-ATT-11 every date that JavaScript writes for HTTP is read back', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4_000_000_000 }), (seconds) => {
        const text = new Date(seconds * 1000).toUTCString();
        expect(parseHttpDate(text, NOW)).toBe(seconds * 1000);
        expect(parseRetryAfter([text], NOW)).toBe(Math.max(seconds * 1000 - NOW, 0));
      }),
    );
  });

  it('R-ATT-11 no text makes it throw or ask for less than nothing', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), (values) => {
        const waitMs = parseRetryAfter(values, NOW);
        expect(waitMs === null || (Number.isInteger(waitMs) && waitMs >= 0)).toBe(true);
      }),
    );
  });
});
