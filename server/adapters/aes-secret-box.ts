import { createCipheriv, createDecipheriv, createHash, createSecretKey, type KeyObject } from 'node:crypto';
import type { Random } from '@/server/ports/random';
import type { SealedValue } from '@/server/ports/records';
import type { Opened, SecretBox } from '@/server/ports/secret-box';

export interface MasterKey {
  id: string;
  key: KeyObject;
}

export type MasterKeys =
  | { ok: true; keys: readonly [MasterKey, ...MasterKey[]] }
  | { ok: false; message: string };

const FORMAT = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + NONCE_BYTES;

/**
 * AES-256-GCM under the newest master key; older ones only open (R-SIG-3, D21, D22).
 * @param keys newest first, as `parseMasterKeys` gives them.
 */
export function createAesSecretBox(keys: readonly [MasterKey, ...MasterKey[]], random: Random): SecretBox {
  const [current] = keys;
  const byId = new Map(keys.map(({ id, key }) => [id, key]));
  return {
    currentKeyId: current.id,
    seal: (plain, identity) => seal(current, random.bytes(NONCE_BYTES), { plain, identity }),
    open(sealed, identity) {
      const key = byId.get(sealed.keyId);
      return key === undefined ? { ok: false, why: 'unknown_key' } : open(key, sealed, identity);
    },
  };
}

function seal(master: MasterKey, nonce: Uint8Array, what: { plain: string; identity: string }): SealedValue {
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

/**
 * Reads `HOOKLADDER_MASTER_KEY`: 32 bytes in base64, or `id:key` pairs, comma-separated, newest first. A key
 * without an id is named by its own fingerprint, so that it can be found again among pairs.
 */
export function parseMasterKeys(text: string): MasterKeys {
  const keys: MasterKey[] = [];
  for (const [index, part] of text.split(',').entries()) {
    const parsed = parseMasterKey(part.trim());
    if (typeof parsed === 'string') return { ok: false, message: `Master key ${index + 1}: ${parsed}` };
    if (keys.some(({ id }) => id === parsed.id))
      return { ok: false, message: `Master key id twice: ${parsed.id}` };
    keys.push(parsed);
  }
  const [first, ...rest] = keys;
  return first === undefined
    ? { ok: false, message: 'No master key given.' }
    : { ok: true, keys: [first, ...rest] };
}

function parseMasterKey(text: string): MasterKey | string {
  const colon = text.indexOf(':');
  const encoded = text.slice(colon + 1);
  const bytes = Buffer.from(encoded, 'base64');
  if (!/^[A-Za-z0-9+/]{43}=$/.test(encoded) || bytes.length !== 32) return 'not 32 bytes in base64.';
  if (isSampleKey(bytes)) return 'a sample key; make one with `openssl rand -base64 32`.';
  const id = colon < 0 ? createHash('sha256').update(bytes).digest('hex').slice(0, 8) : text.slice(0, colon);
  if (!/^[A-Za-z0-9_.-]{1,32}$/.test(id))
    return 'its id may hold letters, digits, "_", "." and "-", 1 to 32 of them.';
  return { id, key: createSecretKey(bytes) };
}

/** Keys that stand in examples: few different bytes, or a run (D21, D43). */
function isSampleKey(bytes: Buffer): boolean {
  const isRun = bytes.every((byte, index) => index === 0 || byte === ((bytes[index - 1] ?? 0) + 1) % 256);
  return isRun || new Set(bytes).size < 8;
}
