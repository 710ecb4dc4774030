import { createSecretKey } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAesSecretBox, type MasterKey } from '@/server/adapters/aes-secret-box';
import { createSystemRandom } from '@/server/adapters/system-random';
import { headersIdentity, secretIdentity } from '@/server/core/sealed-identity';
import { createSeededRandom } from '@/server/testing/seeded-random';

const random = createSystemRandom();
const keyOf = (id: string, fill: number): MasterKey => ({ id, key: new Uint8Array(32).fill(fill) });
const older = keyOf('2025', 1);
const newer = keyOf('2026', 2);
const box = createAesSecretBox([newer, older], random);
const ROW = secretIdentity({ appId: 3, endpointId: 41, version: 1 });

describe('the secret box', () => {
  it('R-SIG-3 D21 AES-256-GCM: a sealed value of a fixed key and nonce, byte for byte', () => {
    // Computed with Python's cryptography package: format 1, nonce 09×12, key 02×32, the JSON list as data.
    const sealed = createAesSecretBox([newer], {
      next: () => 0,
      bytes: (n) => new Uint8Array(n).fill(9),
    }).seal('whsec_x', ROW);
    expect(sealed.keyId).toBe('2026');
    expect(Buffer.from(sealed.ciphertext).toString('hex')).toBe(
      '0109090909090909090909090957fd0a068eb0470bf8ccf33c4f8af1d2ceb4d78567b9b4',
    );
  });

  it('R-SIG-3 what is sealed opens for the same row, whatever the text, and shows nothing of it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (plain) => {
        const sealed = box.seal(plain, ROW);
        expect(box.open(sealed, ROW)).toEqual({ ok: true, plain: Buffer.from(plain).toString() });
        expect(sealed.ciphertext.length).toBe(Buffer.byteLength(plain) + 29);
      }),
    );
    const sealed = box.seal('whsec_c2VjcmV0', ROW);
    expect(Buffer.from(sealed.ciphertext).includes('c2VjcmV0')).toBe(false);
  });

  it('R-SIG-3 D21 the nonce is drawn anew: the same text sealed twice differs', () => {
    const seeded = createAesSecretBox([newer], createSeededRandom(7));
    expect(seeded.seal('same', ROW).ciphertext).not.toEqual(seeded.seal('same', ROW).ciphertext);
  });

  it('R-SIG-3 D21 D22 ciphertext moved to another app, endpoint, version or column does not open', () => {
    const sealed = box.seal('whsec_c2VjcmV0', ROW);
    for (const identity of [
      secretIdentity({ appId: 4, endpointId: 41, version: 1 }),
      secretIdentity({ appId: 3, endpointId: 42, version: 1 }),
      secretIdentity({ appId: 3, endpointId: 41, version: 2 }),
      headersIdentity({ appId: 3, endpointId: 41 }),
      '',
    ]) {
      expect(box.open(sealed, identity)).toEqual({ ok: false, why: 'broken' });
    }
  });

  it('R-ATT-9 any changed, missing or added byte is broken, never an exception', () => {
    const sealed = box.seal('whsec_c2VjcmV0', ROW);
    for (let index = 0; index < sealed.ciphertext.length; index += 1) {
      const changed = Uint8Array.from(sealed.ciphertext);
      changed[index] = (changed[index] ?? 0) ^ 0x80;
      expect(box.open({ ...sealed, ciphertext: changed }, ROW)).toEqual({ ok: false, why: 'broken' });
      const cut = { ...sealed, ciphertext: sealed.ciphertext.subarray(0, index) };
      expect(box.open(cut, ROW)).toEqual({ ok: false, why: 'broken' });
    }
    const longer = { ...sealed, ciphertext: Buffer.concat([sealed.ciphertext, Buffer.of(0)]) };
    expect(box.open(longer, ROW)).toEqual({ ok: false, why: 'broken' });
  });

  it('R-ATT-9 D22 a missing key id is unknown_key, a key id put in its place is broken', () => {
    const sealed = createAesSecretBox([keyOf('2024', 3)], random).seal('x', ROW);
    expect(box.open(sealed, ROW)).toEqual({ ok: false, why: 'unknown_key' });
    expect(box.open({ ...sealed, keyId: '2026' }, ROW)).toEqual({ ok: false, why: 'broken' });
    const relabelled = createAesSecretBox([{ id: 'renamed', key: newer.key }], random);
    expect(relabelled.open({ ...box.seal('x', ROW), keyId: 'renamed' }, ROW)).toEqual({
      ok: false,
      why: 'broken',
    });
  });

  it('D22 the newest key seals, older ones still open', () => {
    const before = createAesSecretBox([older], random).seal('from before', ROW);
    expect(box.open(before, ROW)).toEqual({ ok: true, plain: 'from before' });
    expect(box.currentKeyId).toBe('2026');
    expect(box.seal('now', ROW).keyId).toBe('2026');
  });

  it('D21 a key is 32 bytes, given as bytes or as a key object', () => {
    expect(() => createAesSecretBox([{ id: 'a', key: new Uint8Array(16) }], random)).toThrow(RangeError);
    const asObject = createAesSecretBox(
      [{ id: '2026', key: createSecretKey(new Uint8Array(32).fill(2)) }],
      random,
    );
    expect(asObject.open(box.seal('x', ROW), ROW)).toEqual({ ok: true, plain: 'x' });
  });
});
