import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject } from 'node:crypto';
import type { Random } from '@/server/ports/random';
import type { SealedValue } from '@/server/ports/records';
import type { Opened, SecretBox } from '@/server/ports/secret-box';

export interface MasterKey {
  id: string;
  /** 32 bytes. */
  key: KeyObject | Uint8Array;
}

const FORMAT = 1;
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + NONCE_BYTES;

/**
 * AES-256-GCM under the newest master key; older ones only open (R-SIG-3, D21, D22).
 * @param keys newest first.
 * @throws RangeError when a key is not 32 bytes.
 */
export function createAesSecretBox(keys: readonly [MasterKey, ...MasterKey[]], random: Random): SecretBox {
  const byId = new Map(keys.map(({ id, key }) => [id, keyObjectOf(key)]));
  const current = { id: keys[0].id, key: keyObjectOf(keys[0].key) };
  return {
    currentKeyId: current.id,
    seal: (plain, identity) => seal(current, random.bytes(NONCE_BYTES), { plain, identity }),
    open(sealed, identity) {
      const key = byId.get(sealed.keyId);
      return key === undefined ? { ok: false, why: 'unknown_key' } : open(key, sealed, identity);
    },
  };
}

function keyObjectOf(key: KeyObject | Uint8Array): KeyObject {
  const object = key instanceof Uint8Array ? createSecretKey(key) : key;
  if (object.symmetricKeySize !== KEY_BYTES) throw new RangeError('A master key has 32 bytes.');
  return object;
}

function seal(
  master: { id: string; key: KeyObject },
  nonce: Uint8Array,
  what: { plain: string; identity: string },
): SealedValue {
  const cipher = createCipheriv('aes-256-gcm', master.key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(associatedData(master.id, what.identity));
  const text = Buffer.concat([cipher.update(what.plain, 'utf8'), cipher.final()]);
  return {
    keyId: master.id,
    ciphertext: Buffer.concat([Buffer.of(FORMAT), nonce, text, cipher.getAuthTag()]),
  };
}

function open(key: KeyObject, sealed: SealedValue, identity: string): Opened {
  const bytes = sealed.ciphertext;
  if (bytes.length < HEAD_BYTES + TAG_BYTES || bytes[0] !== FORMAT) return { ok: false, why: 'broken' };
  try {
    const nonce = bytes.subarray(1, HEAD_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(associatedData(sealed.keyId, identity));
    decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES));
    const text = decipher.update(bytes.subarray(HEAD_BYTES, bytes.length - TAG_BYTES));
    return { ok: true, plain: Buffer.concat([text, decipher.final()]).toString('utf8') };
  } catch {
    // Node reports a tag that does not fit by throwing; to the caller it is an expected result.
    return { ok: false, why: 'broken' };
  }
}

function associatedData(keyId: string, identity: string): Buffer {
  return Buffer.from(JSON.stringify(['hookladder', FORMAT, keyId, identity]), 'utf8');
}
