import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { safeNext } from './safe-next';

describe('where the sign-in leads', () => {
  it.each([
    ['/app_1/live/deliveries?status=failed#row', '/app_1/live/deliveries?status=failed#row'],
    ['/support', '/support'],
    ['/', '/'],
    ['//evil.example', '/'],
    ['/\\evil.example', '/'],
    ['\\\\evil.example', '/'],
    ['https://evil.example/x', '/'],
    ['javascript:alert(1)', '/'],
    ['/\t/evil.example', '/'],
    ['/\n/evil.example', '/'],
    [' /support', '/'],
    ['support', '/'],
    ['', '/'],
    [undefined, '/'],
    [['/a', '/b'], '/'],
    ['/sign-in?next=/x', '/'],
    ['/api/trpc/me', '/'],
    ['/..//evil.example', '/'],
    ['/.//', '/'],
  ])('D16 %j leads to %s', (next, expected) => {
    expect(safeNext(next)).toBe(expected);
  });

  it('D16 nothing leads to another origin', () => {
    const piece = fc.constantFrom(
      '/',
      '\\',
      '.',
      '..',
      'evil.example',
      ':',
      '@',
      '%2f',
      '%5c',
      '?',
      '#',
      '\t',
      'https:',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const url = new URL(safeNext(pieces.join('')), 'https://console.example');
        expect(url.origin).toBe('https://console.example');
      }),
      { numRuns: 2_000 },
    );
  });
});
