/**
 * Invariant: a slice is the publisher's own bytes, found without parsing and writing them again (R-PUB-4).
 * A scan accepts exactly what JSON.parse accepts of well-formed UTF-8, never recurses and never builds a value
 * from the text, so that depth and keys such as `__proto__` are harmless (D26).
 */
import {
  byteAt,
  type Cursor,
  fail,
  type ScanFault,
  skipColon,
  skipKey,
  skipScalar,
  skipSpace,
  skipString,
} from '@/server/core/json-lexer';

/** Where a value lies: `bytes.subarray(start, end)`, without surrounding space. */
export interface Slice {
  start: number;
  end: number;
}

export interface ScanOptions {
  /** Where in the bytes the text lies; all of them unless told. */
  within?: Slice;
  /** Deepest nesting allowed, the scanned container included; 64 unless told (D26). */
  maxDepth?: number;
  /** Keys of a scanned object whose values may be of any depth: they are the publisher's bytes. */
  deepKeys?: readonly string[];
  /** Most entries of the scanned object or array; 1,000 unless told (D26, R-PUB-7). */
  maxEntries?: number;
  /** A key twice: `refuse`, unless told, or the `last` one counts, as JSON.parse has it. */
  duplicates?: 'refuse' | 'last';
}

export type ObjectScan = { ok: true; entries: Map<string, Slice> } | ScanFault;
export type ArrayScan = { ok: true; items: Slice[] } | ScanFault;
/** `depth` is 0 for a scalar, 1 for a container of scalars. */
export type ValueScan = { ok: true; start: number; end: number; depth: number } | ScanFault;

type Container = typeof OBJECT | typeof ARRAY;

const OBJECT = 0x7b;
const ARRAY = 0x5b;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const MAX_DEPTH = 64;
const MAX_ENTRIES = 1000;

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** One JSON value of any depth that is the whole text; R-PUB-9 asks it of a body. */
export function scanValue(bytes: Uint8Array, within?: Slice): ValueScan {
  const cursor = cursorOf(bytes, within);
  skipSpace(cursor);
  const start = cursor.pos;
  const depth = skipValue(cursor);
  const end = cursor.pos;
  return depth >= 0 && atEnd(cursor) ? { ok: true, start, end, depth } : faultOf(cursor);
}

/** The entries of an object by key, escapes in keys resolved; a slice is its value's exact bytes (R-PUB-4). */
export function scanObject(bytes: Uint8Array, options: ScanOptions = {}): ObjectScan {
  const cursor = cursorOf(bytes, options.within);
  const entries = new Map<string, Slice>();
  const ok = scanContainer({ cursor, kind: OBJECT, options }, (maxDepth) => {
    const key = readKey(cursor, options.duplicates === 'last' ? null : entries);
    if (key === null) return false;
    const slice = readValue(cursor, options.deepKeys?.includes(key) ? Number.POSITIVE_INFINITY : maxDepth);
    if (slice !== null) entries.set(key, slice);
    return slice !== null;
  });
  return ok ? { ok: true, entries } : faultOf(cursor);
}

/** The items of an array, in order (R-PUB-7). */
export function scanArray(bytes: Uint8Array, options: ScanOptions = {}): ArrayScan {
  const cursor = cursorOf(bytes, options.within);
  const items: Slice[] = [];
  const ok = scanContainer({ cursor, kind: ARRAY, options }, (maxDepth) => {
    const slice = readValue(cursor, maxDepth);
    if (slice !== null) items.push(slice);
    return slice !== null;
  });
  return ok ? { ok: true, items } : faultOf(cursor);
}

/** The text of a JSON string, given its slice with the quotes. Lone surrogates stay as they are escaped. */
export function decodeString(bytes: Uint8Array, slice: Slice): string {
  const inner = bytes.subarray(slice.start + 1, slice.end - 1);
  if (!inner.includes(BACKSLASH)) return decoder.decode(inner);
  return String(JSON.parse(decoder.decode(bytes.subarray(slice.start, slice.end))));
}

interface ContainerScan {
  cursor: Cursor;
  kind: Container;
  options: ScanOptions;
}

function scanContainer(scan: ContainerScan, readEntry: (maxDepth: number) => boolean): boolean {
  const { cursor, kind, options } = scan;
  skipSpace(cursor);
  if (byteAt(cursor) !== kind)
    return fail(cursor, kind === OBJECT ? 'expected an object' : 'expected an array');
  cursor.pos += 1;
  const maxEntries = options.maxEntries ?? MAX_ENTRIES;
  const innerDepth = (options.maxDepth ?? MAX_DEPTH) - 1;
  for (let count = 1, more = !closes(cursor, kind); more; count += 1, more = continues(cursor, kind)) {
    if (count > maxEntries) return fail(cursor, `more than ${maxEntries} entries`);
    if (!readEntry(innerDepth)) return false;
  }
  return cursor.fault === null && atEnd(cursor);
}

function readKey(cursor: Cursor, taken: ReadonlyMap<string, Slice> | null): string | null {
  skipSpace(cursor);
  const start = cursor.pos;
  if (!skipString(cursor)) return null;
  const key = decodeString(cursor.bytes, { start, end: cursor.pos });
  if (taken?.has(key)) {
    fail(cursor, 'the same key twice', start);
    return null;
  }
  return skipColon(cursor) ? key : null;
}

function readValue(cursor: Cursor, maxDepth: number): Slice | null {
  skipSpace(cursor);
  const start = cursor.pos;
  const depth = skipValue(cursor);
  if (depth > maxDepth) fail(cursor, 'nested too deep', start);
  return depth < 0 || depth > maxDepth ? null : { start, end: cursor.pos };
}

/** Passes over one value; its depth, or −1 and a fault. */
function skipValue(cursor: Cursor): number {
  const nesting: Nesting = { kinds: new Uint8Array(64), depth: 0, deepest: 0 };
  for (;;) {
    const begun = beginValue(cursor, nesting);
    if (begun === 'fault') return -1;
    if (begun === 'opened') continue;
    if (!endValue(cursor, nesting)) return -1;
    if (nesting.depth === 0) return nesting.deepest;
  }
}

/** Reads a scalar or an empty container whole, or enters a container up to its first value. */
function beginValue(cursor: Cursor, nesting: Nesting): 'whole' | 'opened' | 'fault' {
  skipSpace(cursor);
  const byte = byteAt(cursor);
  if (byte !== OBJECT && byte !== ARRAY) return skipScalar(cursor) ? 'whole' : 'fault';
  cursor.pos += 1;
  push(nesting, byte);
  if (closes(cursor, byte)) {
    nesting.depth -= 1;
    return 'whole';
  }
  return byte === ARRAY || skipKey(cursor) ? 'opened' : 'fault';
}

/** After a value: leaves every container that ends here, and stops before the next value or outside all. */
function endValue(cursor: Cursor, nesting: Nesting): boolean {
  while (nesting.depth > 0) {
    const kind = nesting.kinds[nesting.depth - 1] === OBJECT ? OBJECT : ARRAY;
    if (continues(cursor, kind)) return kind === ARRAY || skipKey(cursor);
    if (cursor.fault !== null) return false;
    nesting.depth -= 1;
  }
  return true;
}

/** The containers around the cursor. */
interface Nesting {
  kinds: Uint8Array;
  depth: number;
  deepest: number;
}

function push(nesting: Nesting, kind: Container): void {
  if (nesting.depth === nesting.kinds.length) {
    const larger = new Uint8Array(nesting.kinds.length * 2);
    larger.set(nesting.kinds);
    nesting.kinds = larger;
  }
  nesting.kinds[nesting.depth] = kind;
  nesting.depth += 1;
  nesting.deepest = Math.max(nesting.deepest, nesting.depth);
}

/** Whether the container is closed here; if so the closing byte is passed. It lies two above the opening one. */
function closes(cursor: Cursor, kind: Container): boolean {
  skipSpace(cursor);
  if (byteAt(cursor) !== kind + 2) return false;
  cursor.pos += 1;
  return true;
}

/** After an entry: true past a comma, false past the closing byte, false with a fault on anything else. */
function continues(cursor: Cursor, kind: Container): boolean {
  if (closes(cursor, kind)) return false;
  if (byteAt(cursor) !== COMMA) return fail(cursor, `expected "," or "${String.fromCharCode(kind + 2)}"`);
  cursor.pos += 1;
  return true;
}

function cursorOf(bytes: Uint8Array, within?: Slice): Cursor {
  return { bytes, pos: within?.start ?? 0, end: within?.end ?? bytes.length, fault: null };
}

function atEnd(cursor: Cursor): boolean {
  skipSpace(cursor);
  return cursor.pos === cursor.end || fail(cursor, 'something follows the value');
}

function faultOf(cursor: Cursor): ScanFault {
  return cursor.fault ?? { ok: false, at: cursor.pos, message: 'not JSON' };
}
