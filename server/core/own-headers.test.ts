import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkOwnHeaders, type OwnHeaderRule } from './own-headers';

const verdictOf = (name: string, value = 'x') => {
  const verdict = checkOwnHeaders([{ name, value }], ['X-Webhook-Signature']);
  return verdict.ok ? 'ok' : verdict.rule;
};

describe('checkOwnHeaders', () => {
  const table: [string, string, 'ok' | OwnHeaderRule][] = [
    ['X-Api-Key', 'abc', 'ok'],
    ['Authorization', 'Bearer abc def', 'ok'],
    ['x', '~', 'ok'],
    ['Accept', '*/*', 'ok'],
    ["!#$%&'*+.^_`|~", 'x', 'ok'],
    ['a'.repeat(64), 'b'.repeat(1024), 'ok'],
    ['a'.repeat(65), 'x', 'name'],
    ['', 'x', 'name'],
    ['X Key', 'x', 'name'],
    ['X:Key', 'x', 'name'],
    ['X-Key\r\nEvil', 'x', 'name'],
    ['X-Ключ', 'x', 'name'],
    ['X-Key', 'b'.repeat(1025), 'value'],
    ['X-Key', '', 'value'],
    ['X-Key', ' x', 'value'],
    ['X-Key', 'x ', 'value'],
    ['X-Key', 'a\r\nb: c', 'value'],
    ['X-Key', 'a\tb', 'value'],
    ['X-Key', 'a\0b', 'value'],
    ['X-Key', 'é', 'value'],
    ['X-Key', '漢', 'value'],
    ...[
      ...['Host', 'content-type', 'Content-Length', 'Content-Anything', 'Transfer-Encoding', 'transfer-x'],
      ...['Connection', 'TE', 'Trailer', 'Upgrade', 'Expect', 'Proxy-Authorization', 'proxy-connection'],
      ...['Cookie', 'Keep-Alive', 'User-Agent', 'Webhook-Id', 'webhook-timestamp', 'WEBHOOK-SIGNATURE'],
      ...['traceparent', 'x-webhook-signature'],
    ].map((name): [string, string, OwnHeaderRule] => [name, 'x', 'reserved']),
  ];
  for (const [name, value, rule] of table) {
    const shown = `${JSON.stringify(name.slice(0, 30))}: ${JSON.stringify(value.slice(0, 12))}`;
    it(`R-ATT-1 own header ${shown} (${name.length}, ${value.length}) is ${rule}`, () => {
      expect(verdictOf(name, value)).toBe(rule);
    });
  }

  it('R-ATT-1 takes 20 own headers and refuses the 21st by its index', () => {
    const many = Array.from({ length: 21 }, (_, index) => ({ name: `X-${index}`, value: 'x' }));
    expect(checkOwnHeaders(many.slice(0, 20))).toEqual({ ok: true });
    expect(checkOwnHeaders(many)).toMatchObject({ ok: false, rule: 'too_many', index: 20 });
  });

  it('R-ATT-1 refuses the same name in another case', () => {
    const twice = [
      { name: 'X-Key', value: 'a' },
      { name: 'x-key', value: 'b' },
    ];
    expect(checkOwnHeaders(twice)).toMatchObject({ ok: false, rule: 'duplicate', index: 1 });
  });

  it('R-ATT-1 lets no accepted header hold a byte outside visible ASCII and space', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (name, value) => {
        if (verdictOf(name, value) !== 'ok') return;
        expect(`${name}: ${value}`).toMatch(/^[\x20-\x7e]+$/);
        expect(name).toMatch(/^[^\s:]+$/);
      }),
    );
  });
});
