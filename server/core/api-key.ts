/**
 * Invariant: a key is `hk_<kind>_<random><checksum>`: a fixed prefix and a checksum that secret scanners can test
 * without asking us. Only its SHA-256 is ever stored (D19).
 */
import { createHash, timingSafeEqual } from 'node:crypto';

/** The environment that a merchant's key is bound to, or `ops` for a platform key. */
export type ApiKeyKind = 'test' | 'live' | 'ops';

export interface ApiKeyParts {
  kind: ApiKeyKind;
  /** What may be shown beside the last four: `hk_live_` and the first four digits. */
  prefix: string;
  last4: string;
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const CHECKSUM_DIGITS = 6;
/** 62^43 > 2^256: what 32 bytes need. */
const RANDOM_DIGITS = 43;
const KEY = /^hk_(test|live|ops)_([0-9A-Za-z]{43,96})([0-9A-Za-z]{6})$/;

/**
 * Writes a key from at least 32 random bytes (at most 64).
 * @throws RangeError on fewer or more.
 */
export function makeApiKey(kind: ApiKeyKind, random: Uint8Array): string {
  if (random.length < 32 || random.length > 64) throw new RangeError('A key needs 32 to 64 random bytes.');
  const digits = Math.max(RANDOM_DIGITS, Math.ceil((random.length * 8) / Math.log2(62)));
  const text = `hk_${kind}_${toBase62(BigInt(`0x${Buffer.from(random).toString('hex')}`), digits)}`;
  return text + checksumOf(text);
}

/** A key's public parts; null when the form or the checksum is wrong. */
export function parseApiKey(text: string): ApiKeyParts | null {
  const match = KEY.exec(text);
  if (match === null || checksumOf(text.slice(0, -CHECKSUM_DIGITS)) !== match[3]) return null;
  const kind = match[1] as ApiKeyKind;
  return { kind, prefix: text.slice(0, `hk_${kind}_`.length + 4), last4: text.slice(-4) };
}

/** What is stored of a key and looked up by: SHA-256, hex in lower case. */
export function hashKey(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

/** Compares two hashes in constant time. */
export function sameHash(a: string, b: string): boolean {
  const left = Buffer.from(a, 'utf8');
  const right = Buffer.from(b, 'utf8');
  return left.length === right.length && timingSafeEqual(left, right);
}

function checksumOf(text: string): string {
  return toBase62(BigInt(crc32(text)), CHECKSUM_DIGITS);
}

function toBase62(value: bigint, digits: number): string {
  let rest = value;
  let out = '';
  while (out.length < digits) {
    out = (BASE62[Number(rest % 62n)] ?? '') + out;
    rest /= 62n;
  }
  return out;
}

/** CRC-32 as zip has it, of ASCII text. */
function crc32(text: string): number {
  let crc = 0xffffffff;
  for (let i = 0; i < text.length; i += 1) {
    crc ^= text.charCodeAt(i);
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}
