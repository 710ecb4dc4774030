/**
 * Invariant: an id is `<prefix>_` and a UUIDv7 as 26 digits of Crockford's base 32 in lower case (the TypeID form),
 * so that ids sort by time as text. Ids of integer rows carry their number and a checksum instead of chance;
 * no right ever rests on an id being hard to guess.
 */

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';
const VALUES = new Map(Array.from(DIGITS, (digit, value) => [digit, value]));
const PREFIX = /^[a-z](?:[a-z_]{0,61}[a-z])?$/;
const MAX_TIME = 2 ** 48 - 1;

export interface ParsedId {
  prefix: string;
  /** In the usual form with hyphens, lower case. */
  uuid: string;
}

/** What an integer row's id carries: the row's instant (epoch ms) and its number. */
export interface DerivedId {
  createdAt: number;
  seq: number;
}

/**
 * A new id of an instant (epoch ms) and 10 random bytes.
 * @throws RangeError on a bad prefix, an instant outside 48 bits or fewer bytes.
 */
export function makeId(prefix: string, nowMs: number, random: Uint8Array): string {
  if (random.length < 10) throw new RangeError('An id needs 10 random bytes.');
  const bytes = new Uint8Array(16);
  bytes.set(random.subarray(0, 10), 6);
  return writeId(prefix, nowMs, bytes);
}

/** An id's parts; null unless it is exactly what `makeId` or `deriveId` write. */
export function parseId(text: string): ParsedId | null {
  const parts = readId(text);
  if (parts === null) return null;
  const hex = Array.from(parts.bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  const uuid = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join(
    '-',
  );
  return { prefix: parts.prefix, uuid };
}

/**
 * The id of an integer row: sorts by instant, then by number. Ends in a checksum over prefix, instant and number,
 * so that a mistyped id, or one under another prefix, is refused without a look into the store.
 * @throws RangeError when the number is no safe non-negative integer.
 */
export function deriveId(prefix: string, createdAt: number, seq: number): string {
  if (!Number.isSafeInteger(seq) || seq < 0) throw new RangeError(`No row number: ${seq}`);
  const bytes = new Uint8Array(16);
  putSeq(bytes, seq);
  stamp(bytes, createdAt);
  putChecksum(bytes, checksum(prefix, bytes));
  return writeId(prefix, createdAt, bytes);
}

/** The row behind a derived id; null for another prefix, a wrong checksum or anything else. */
export function readDerivedId(text: string, prefix: string): DerivedId | null {
  const parts = readId(text);
  if (parts === null || parts.prefix !== prefix) return null;
  const { bytes } = parts;
  const seq = readSeq(bytes);
  const found = at(bytes, 14) * 256 + at(bytes, 15);
  putChecksum(bytes, 0);
  if (checksum(prefix, bytes) !== found || !Number.isSafeInteger(seq)) return null;
  return { createdAt: readUint(bytes, 0, 6), seq };
}

/*
 * Layout: 48 bits of time, version 7, 12 bits, variant, 62 bits. A derived id puts 58 bits of its number into the
 * first free ones (12 + 46) and a CRC-16 into the last 16: a CRC finds every wrong digit and every swapped pair.
 */

function putSeq(bytes: Uint8Array, seq: number): void {
  putUint(bytes, { from: 9, length: 5 }, seq % 2 ** 40);
  const high = Math.floor(seq / 2 ** 40);
  bytes[8] = high % 64;
  bytes[7] = Math.floor(high / 64) % 256;
}

function readSeq(bytes: Uint8Array): number {
  const high = (at(bytes, 6) & 0x0f) * 2 ** 14 + at(bytes, 7) * 64 + (at(bytes, 8) & 0x3f);
  return high * 2 ** 40 + readUint(bytes, 9, 5);
}

function putChecksum(bytes: Uint8Array, value: number): void {
  putUint(bytes, { from: 14, length: 2 }, value);
}

/** CRC-16/CCITT over the prefix and the 16 bytes, the checksum's own place being zero. */
function checksum(prefix: string, bytes: Uint8Array): number {
  let crc = 0xffff;
  for (let i = 0; i < prefix.length; i += 1) crc = crcByte(crc, prefix.charCodeAt(i));
  for (const byte of bytes) crc = crcByte(crc, byte);
  return crc;
}

function crcByte(crc: number, byte: number): number {
  let next = crc ^ (byte << 8);
  for (let bit = 0; bit < 8; bit += 1) next = next & 0x8000 ? (next << 1) ^ 0x1021 : next << 1;
  return next & 0xffff;
}

/** Sets instant, version and variant; the other bits stay. */
function stamp(bytes: Uint8Array, instant: number): void {
  if (!Number.isInteger(instant) || instant < 0 || instant > MAX_TIME) {
    throw new RangeError(`No instant of 48 bits: ${instant}`);
  }
  putUint(bytes, { from: 0, length: 6 }, instant);
  bytes[6] = 0x70 | (at(bytes, 6) & 0x0f);
  bytes[8] = 0x80 | (at(bytes, 8) & 0x3f);
}

function writeId(prefix: string, instant: number, bytes: Uint8Array): string {
  if (!PREFIX.test(prefix)) throw new RangeError(`No id prefix: ${prefix}`);
  stamp(bytes, instant);
  return `${prefix}_${encode(bytes)}`;
}

/** 128 bits as 26 digits: the first digit holds the top three bits. */
function encode(bytes: Uint8Array): string {
  let out = '';
  let bits = 2;
  let held = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      out += DIGITS[(held >> bits) & 31];
    }
    held &= (1 << bits) - 1;
  }
  return out;
}

function readId(text: string): { prefix: string; bytes: Uint8Array } | null {
  const cut = text.length - 27;
  const prefix = text.slice(0, Math.max(cut, 0));
  if (cut < 1 || cut > 63 || text[cut] !== '_' || !PREFIX.test(prefix)) return null;
  const bytes = decode(text.slice(cut + 1));
  return bytes !== null && at(bytes, 6) >> 4 === 7 && at(bytes, 8) >> 6 === 2 ? { prefix, bytes } : null;
}

function decode(digits: string): Uint8Array | null {
  const bytes = new Uint8Array(16);
  let count = 0;
  let bits = -2;
  let held = 0;
  for (const digit of digits) {
    const value = VALUES.get(digit);
    if (value === undefined) return null;
    held = (held << 5) | value;
    bits += 5;
    if (count === 0 && bits === 3 && held > 7) return null;
    if (bits >= 8) {
      bits -= 8;
      bytes[count] = held >> bits;
      count += 1;
      held &= (1 << bits) - 1;
    }
  }
  return bytes;
}

function at(bytes: Uint8Array, index: number): number {
  return bytes[index] ?? 0;
}

/** Big-endian, up to 48 bits. */
function putUint(bytes: Uint8Array, place: { from: number; length: number }, value: number): void {
  let rest = value;
  for (let i = place.from + place.length - 1; i >= place.from; i -= 1) {
    bytes[i] = rest % 256;
    rest = Math.floor(rest / 256);
  }
}

function readUint(bytes: Uint8Array, from: number, length: number): number {
  let value = 0;
  for (let i = from; i < from + length; i += 1) value = value * 256 + at(bytes, i);
  return value;
}
