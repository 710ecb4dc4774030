import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashKey, makeApiKey, parseApiKey, sameHash } from '@/server/core/api-key';

const kinds = fc.constantFrom('test', 'live', 'ops');
const random = fc.uint8Array({ minLength: 32, maxLength: 64 });

describe('API keys', () => {
  it('D19 golden: fixed prefix, 32 random bytes in base 62, CRC-32 of what stands before it', () => {
    // Digits and checksum computed with Python (zlib.crc32).
    expect(
      makeApiKey(
        'live',
        Uint8Array.from({ length: 32 }, (_, index) => index),
      ),
    ).toBe('hk_live_003aUlTJC7tjlCTQj2uNU3MFagCXG9LRKRcwGkBIDlf09Qwyd');
    expect(makeApiKey('ops', new Uint8Array(32).fill(255))).toBe(
      'hk_ops_yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp12kmnyP',
    );
  });

  it('D19 what is made parses, shows its prefix and last four only, and keeps all its chance', () => {
    fc.assert(
      fc.property(kinds, random, random, (kind, bytes, others) => {
        const key = makeApiKey(kind, bytes);
        expect(key).toMatch(/^hk_(test|live|ops)_[0-9A-Za-z]{49,}$/);
        const parts = parseApiKey(key);
        expect(parts).toEqual({ kind, prefix: key.slice(0, `hk_${kind}_`.length + 4), last4: key.slice(-4) });
        const same = Buffer.compare(Buffer.from(bytes), Buffer.from(others)) === 0;
        if (bytes.length === others.length) expect(makeApiKey(kind, others) === key).toBe(same);
      }),
    );
  });

  it('D19 a mistyped key is refused without a look into the store', () => {
    fc.assert(
      fc.property(kinds, random, fc.nat(), fc.constantFrom(...'09AZaz'), (kind, bytes, where, digit) => {
        const key = makeApiKey(kind, bytes);
        const at = 8 + (where % (key.length - 8));
        fc.pre(key[at] !== digit);
        expect(parseApiKey(key.slice(0, at) + digit + key.slice(at + 1))).toBeNull();
        expect(parseApiKey(key.replace(`hk_${kind}`, kind === 'test' ? 'hk_live' : 'hk_test'))).toBeNull();
        expect(parseApiKey(key.slice(0, -1))).toBeNull();
        expect(parseApiKey(`${key} `)).toBeNull();
        expect(parseApiKey(`${key}\n`)).toBeNull();
      }),
    );
    for (const text of ['', 'hk_', 'hk_live_', 'hk_prod_x', `hk_live_${'a'.repeat(49)}`])
      expect(parseApiKey(text)).toBeNull();
  });

  it('D19 too few random bytes make no key', () => {
    expect(() => makeApiKey('live', new Uint8Array(31))).toThrow(RangeError);
    expect(() => makeApiKey('live', new Uint8Array(65))).toThrow(RangeError);
  });

  it('D19 stored as SHA-256, hex; compared whole', () => {
    expect(hashKey('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(sameHash(hashKey('a'), hashKey('a'))).toBe(true);
    expect(sameHash(hashKey('a'), hashKey('b'))).toBe(false);
    expect(sameHash(hashKey('a'), '')).toBe(false);
  });
});
