import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  filterMatches,
  isEventFilter,
  isEventType,
  isReservedType,
  matchesType,
} from '@/server/core/event-filter';

describe('filters', () => {
  const GOLDEN: [string[], string, boolean][] = [
    [[], 'payment.paid', true],
    [['*'], 'payment.paid', true],
    [['payment.paid'], 'payment.paid', true],
    [['payment.paid'], 'payment.paid.late', false],
    [['payment.paid'], 'payment', false],
    [['payment.*'], 'payment.paid', true],
    [['payment.*'], 'payment.paid.late.again', true],
    [['payment.*'], 'payment', false],
    [['payment.*'], 'payment.', false],
    [['payment.*'], 'payments.paid', false],
    [['payment.*'], 'payment_intent.succeeded', false],
    [['payment_intent.*'], 'payment_intent.succeeded', true],
    [['a.b.*'], 'a.b.c', true],
    [['a.b.*'], 'a.c.b', false],
    [['refund.*', 'payment.paid'], 'payment.paid', true],
    [['refund.*', 'payment.paid'], 'payment.failed', false],
    [['a.b'], 'axb', false],
  ];

  it.each(GOLDEN)('R-PUB-2 %j and %s: %s', (filters, type, matches) => {
    expect(matchesType(filters, type)).toBe(matches);
  });

  const name = fc.string({ unit: fc.constantFrom(...'abz09_-'), minLength: 1, maxLength: 6 });
  const dotted = fc.array(name, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('.'));

  it('R-PUB-2 prefix.* is exactly the types that begin with the prefix and a dot, at any depth', () => {
    fc.assert(
      fc.property(dotted, dotted, (prefix, rest) => {
        expect(filterMatches(`${prefix}.*`, `${prefix}.${rest}`)).toBe(true);
        expect(filterMatches(`${prefix}.*`, rest)).toBe(
          rest.startsWith(`${prefix}.`) && rest !== `${prefix}.`,
        );
        expect(filterMatches(prefix, rest)).toBe(prefix === rest);
        expect(isEventFilter(`${prefix}.*`) && isEventFilter(prefix) && isEventType(rest)).toBe(true);
      }),
    );
  });

  it.each(['*', 'a', 'a.*', 'a.b.*', 'a-b_c.9', `${'x'.repeat(126)}.*`, 'x'.repeat(128)])(
    'R-PUB-2 %s is a filter',
    (text) => {
      expect(isEventFilter(text)).toBe(true);
    },
  );

  it.each([
    '',
    '**',
    '.*',
    '*.a',
    'a*',
    'a.*.b',
    'a.**',
    'A.*',
    'a b',
    'a.*\n',
    `${'x'.repeat(127)}.*`,
    'x'.repeat(129),
  ])('R-PUB-2 %j is no filter', (text) => {
    expect(isEventFilter(text)).toBe(false);
  });
});

describe('types', () => {
  it.each<[string, boolean]>([
    ['payment_intent.succeeded', true],
    ['a', true],
    ['x'.repeat(128), true],
    ['x'.repeat(129), false],
    ['', false],
    ['Payment.paid', false],
    ['payment paid', false],
    ['payment.paid\n', false],
    ['төлбөр', false],
    ['a.*', false],
    ['<b>', false],
  ])('R-PUB-8 %j is a type: %s', (text, valid) => {
    expect(isEventType(text)).toBe(valid);
  });

  it.each<[string, boolean]>([
    ['webhook.test', true],
    ['endpoint.failing', true],
    ['delivery.failed', true],
    ['breaker.opened', true],
    ['webhooks.test', false],
    ['my.webhook.test', false],
    ['payment.paid', false],
  ])('R-PUB-10 %s is reserved: %s', (type, reserved) => {
    expect(isReservedType(type)).toBe(reserved);
  });

  it('R-PUB-2 the file the console imports knows nothing of Node', () => {
    expect(readFileSync('server/core/event-filter.ts', 'utf8')).not.toMatch(/^import/m);
  });
});
