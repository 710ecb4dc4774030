/**
 * Invariant: each function reads one token of JSON at the cursor, exactly as JSON.parse would, from well-formed
 * UTF-8 alone; on anything else it leaves a fault and returns false. Nothing here allocates or recurses.
 */

export interface ScanFault {
  ok: false;
  /** Offset of the first byte that does not fit. */
  at: number;
  message: string;
}

export interface Cursor {
  readonly bytes: Uint8Array;
  readonly end: number;
  pos: number;
  fault: ScanFault | null;
}

const QUOTE = 0x22;
const MINUS = 0x2d;
const PLUS = 0x2b;
const POINT = 0x2e;
const ZERO = 0x30;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const LETTER_E = 0x65;
const LETTER_U = 0x75;

const LITERALS: ReadonlyMap<number, string> = new Map(
  ['true', 'false', 'null'].map((word) => [word.charCodeAt(0), word]),
);
const SIMPLE_ESCAPES: ReadonlySet<number> = new Set(Array.from('"\\/bfnrt', (char) => char.charCodeAt(0)));

/** The byte at the cursor, or −1 at the end of the text. */
export function byteAt(cursor: Cursor): number {
  return cursor.pos < cursor.end ? (cursor.bytes[cursor.pos] ?? -1) : -1;
}

/** Notes the fault, at the cursor unless told where, and returns false. */
export function fail(cursor: Cursor, message: string, at: number = cursor.pos): false {
  cursor.fault ??= { ok: false, at, message };
  return false;
}

export function skipSpace(cursor: Cursor): void {
  const { bytes, end } = cursor;
  let pos = cursor.pos;
  while (pos < end) {
    const byte = bytes[pos];
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) break;
    pos += 1;
  }
  cursor.pos = pos;
}

/** A key and its colon, space around them included. */
export function skipKey(cursor: Cursor): boolean {
  skipSpace(cursor);
  return skipString(cursor) && skipColon(cursor);
}

export function skipColon(cursor: Cursor): boolean {
  skipSpace(cursor);
  if (byteAt(cursor) !== COLON) return fail(cursor, 'expected ":"');
  cursor.pos += 1;
  return true;
}

export function skipScalar(cursor: Cursor): boolean {
  const byte = byteAt(cursor);
  if (byte === QUOTE) return skipString(cursor);
  if (byte === MINUS || isDigit(byte)) return skipNumber(cursor);
  const literal = LITERALS.get(byte);
  return literal === undefined ? fail(cursor, 'expected a value') : skipLiteral(cursor, literal);
}

export function skipString(cursor: Cursor): boolean {
  if (byteAt(cursor) !== QUOTE) return fail(cursor, 'expected a string');
  cursor.pos += 1;
  for (;;) {
    skipPlain(cursor);
    const byte = byteAt(cursor);
    if (byte === QUOTE) break;
    if (!skipSpecial(cursor, byte)) return false;
  }
  cursor.pos += 1;
  return true;
}

/** Passes over printable ASCII that needs no look, which is nearly all of a string. */
function skipPlain(cursor: Cursor): void {
  const { bytes, end } = cursor;
  let pos = cursor.pos;
  while (pos < end) {
    const byte = bytes[pos] ?? 0;
    if (byte < 0x20 || byte >= 0x80 || byte === QUOTE || byte === BACKSLASH) break;
    pos += 1;
  }
  cursor.pos = pos;
}

function skipSpecial(cursor: Cursor, byte: number): boolean {
  if (byte === BACKSLASH) return skipEscape(cursor);
  if (byte >= 0x80) return skipMultiByte(cursor, byte);
  return fail(cursor, byte < 0 ? 'the string does not end' : 'a control character in a string');
}

function skipEscape(cursor: Cursor): boolean {
  cursor.pos += 1;
  const byte = byteAt(cursor);
  if (byte !== LETTER_U && !SIMPLE_ESCAPES.has(byte)) return fail(cursor, 'an unknown escape');
  cursor.pos += 1;
  for (let left = byte === LETTER_U ? 4 : 0; left > 0; left -= 1) {
    if (!isHexDigit(byteAt(cursor))) return fail(cursor, 'expected a hexadecimal digit');
    cursor.pos += 1;
  }
  return true;
}

/** One character of 2–4 bytes: no overlong form, no surrogate, nothing above U+10FFFF. */
function skipMultiByte(cursor: Cursor, lead: number): boolean {
  const start = cursor.pos;
  cursor.pos += 1;
  const second = byteAt(cursor);
  if (second < lowestSecond(lead) || second > highestSecond(lead)) return fail(cursor, 'not UTF-8', start);
  for (let left = continuationBytes(lead); left > 0; left -= 1) {
    const byte = byteAt(cursor);
    if (byte < 0x80 || byte > 0xbf) return fail(cursor, 'not UTF-8', start);
    cursor.pos += 1;
  }
  return true;
}

function continuationBytes(lead: number): number {
  if (lead < 0xe0) return 1;
  return lead < 0xf0 ? 2 : 3;
}

function lowestSecond(lead: number): number {
  if (lead === 0xe0) return 0xa0;
  return lead === 0xf0 ? 0x90 : 0x80;
}

/** −1 for a byte that begins no character. */
function highestSecond(lead: number): number {
  if (lead < 0xc2 || lead > 0xf4) return -1;
  if (lead === 0xed) return 0x9f;
  return lead === 0xf4 ? 0x8f : 0xbf;
}

function skipLiteral(cursor: Cursor, literal: string): boolean {
  for (let i = 0; i < literal.length; i += 1) {
    if (byteAt(cursor) !== literal.charCodeAt(i)) return fail(cursor, `expected "${literal}"`);
    cursor.pos += 1;
  }
  return true;
}

function skipNumber(cursor: Cursor): boolean {
  if (byteAt(cursor) === MINUS) cursor.pos += 1;
  if (byteAt(cursor) === ZERO) cursor.pos += 1;
  else if (!skipDigits(cursor)) return false;
  if (byteAt(cursor) === POINT) {
    cursor.pos += 1;
    if (!skipDigits(cursor)) return false;
  }
  return skipExponent(cursor);
}

function skipExponent(cursor: Cursor): boolean {
  const byte = byteAt(cursor);
  if (byte < 0 || (byte | 0x20) !== LETTER_E) return true;
  cursor.pos += 1;
  const sign = byteAt(cursor);
  if (sign === PLUS || sign === MINUS) cursor.pos += 1;
  return skipDigits(cursor);
}

function skipDigits(cursor: Cursor): boolean {
  if (!isDigit(byteAt(cursor))) return fail(cursor, 'expected a digit');
  while (isDigit(byteAt(cursor))) cursor.pos += 1;
  return true;
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

function isHexDigit(byte: number): boolean {
  const lower = byte | 0x20;
  return isDigit(byte) || (lower >= 0x61 && lower <= 0x66);
}
