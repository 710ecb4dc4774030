import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  amountText,
  clockTime,
  currencySign,
  dayTime,
  durationMs,
  exactTime,
  nearTime,
  offset,
  shortSpan,
  span,
} from './format';

const AT = Date.parse('2026-03-02T14:02:07.481Z');

describe('spans', () => {
  it.each([
    [0, '0 s', '0 s'],
    [999, '0 s', '0 s'],
    [59_999, '59 s', '59 s'],
    [60_000, '1 m', '1 m'],
    [130_000, '2 m 10 s', '2 m'],
    [3_600_000, '1 h', '1 h'],
    [3_660_000, '1 h 1 m', '1 h'],
    [86_400_000, '1 d', '1 d'],
    [2 * 86_400_000 + 3 * 3_600_000, '2 d 3 h', '2 d'],
    [-130_000, '2 m 10 s', '2 m'],
  ])('%i ms reads %s and in short %s', (ms, long, short) => {
    expect(span(ms)).toBe(long);
    expect(shortSpan(ms)).toBe(short);
  });

  it('a distance under a second is in ms, above it in units', () => {
    expect([offset(38), offset(1_000), offset(511_000)]).toEqual(['+38 ms', '+1 s', '+8 m 31 s']);
    expect([durationMs(38.4), durationMs(10_007)]).toEqual(['38 ms', '10,007 ms']);
  });
});

describe('instants', () => {
  it('are written for the zone asked, with the day only when it is another one', () => {
    expect(clockTime(AT, 'utc')).toBe('14:02:07');
    expect(dayTime(AT, 'utc')).toBe('2 Mar 14:02:07');
    expect(exactTime(AT, 'utc')).toBe('2 Mar 2026, 14:02:07.481 UTC');
    expect(nearTime(AT, AT + 60_000, 'utc')).toBe('14:02:07');
    expect(nearTime(AT, AT + 86_400_000, 'utc')).toBe('2 Mar 14:02:07');
  });
});

describe('money', () => {
  it.each([
    ['412000000', 2, '4,120,000.00'],
    ['5', 2, '0.05'],
    ['0', 0, '0'],
    ['1250000', 0, '1,250,000'],
    ['-100', 2, '−1.00'],
    ['123456789012345678901234567890', 2, '1,234,567,890,123,456,789,012,345,678.90'],
  ])('%s with %i places reads %s: no digit is lost', (minor, exponent, text) => {
    expect(amountText(minor, exponent)).toBe(text);
  });

  it('taking the commas and the point away gives the digits back', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n }), fc.integer({ min: 0, max: 4 }), (n, exponent) => {
        const digits = amountText(String(n), exponent).replace(/[,.]/g, '');
        expect(BigInt(digits)).toBe(n);
      }),
    );
  });

  it('a code that is none has the general sign', () => {
    expect(['EUR', 'USD', 'RUB', 'XX', '', null].map(currencySign)).toEqual(['€', '$', '₽', '¤', '¤', '¤']);
  });
});
