/**
 * Invariant: what passes through here holds no secret, no payload, no URL query and no character that could forge
 * a line or turn text around (D36, O36). Nothing is thrown, whatever the value.
 */

export const MASK = '***';

const SECRET_NAME =
  /secret|passw|token|authori[sz]ation|cookie|signature|api-?_?key|private-?_?key|master-?_?key|credential/i;
const PAYLOAD_NAMES = new Set(['body', 'payload', 'data', 'example', 'html', 'ciphertext', 'plain']);
const SECRET_TEXT = /\b(?:hk_(?:test|live|ops)_|whsec_)[\w+/=-]+|\b(Bearer|Basic) +[^\s,;]+/gi;
const URL_TEXT = /\bhttps?:\/\/[^\s"'<>]+/gi;
/** Control, format (direction, zero width, tags) and surrogate characters, and the two line separators. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;
const SHORT_ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };
/** Ids, names and states, which most fields are: nothing in them to mask or escape unless they begin as a secret. */
const PLAIN_TEXT = /^(?!hk_|whsec_)[\w.-]{0,64}$/i;
const MAX_TEXT = 2048;
const MAX_NAMES = 1000;
const MAX_DEPTH = 6;
const MAX_ITEMS = 100;

/** Names seen, and whether they are secret: a line repeats the names of the line before. */
const secretNames = new Map<string, boolean>();

/** Text with control, line, direction and zero-width characters written as escapes: `\n`, `\u202e`. */
export function escapeControls(text: string): string {
  return text.replace(UNSAFE, (char) => {
    const code = (char.codePointAt(0) ?? 0).toString(16);
    return SHORT_ESCAPES[char] ?? (code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`);
  });
}

/** A URL without user info, query and fragment; what is no URL is masked whole. */
export function redactUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null) return MASK;
  return `${url.protocol}//${url.host}${url.pathname}${url.search === '' ? '' : `?${MASK}`}`;
}

/** Text fit for a log: keys, secrets and URL queries masked, controls escaped, at most 2,048 characters. */
export function redactText(text: string): string {
  if (PLAIN_TEXT.test(text)) return text;
  const cut = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}… (${text.length} characters)` : text;
  const masked = cut
    .replace(URL_TEXT, redactUrl)
    .replace(SECRET_TEXT, (_whole, scheme?: string) => (scheme === undefined ? MASK : `${scheme} ${MASK}`));
  return escapeControls(masked);
}

/** Whether a header or field of this name holds what nobody may read in a log. */
export function isSecretName(name: string): boolean {
  const known = secretNames.get(name);
  if (known !== undefined) return known;
  if (secretNames.size >= MAX_NAMES) secretNames.clear();
  const isSecret = SECRET_NAME.test(name);
  secretNames.set(name, isSecret);
  return isSecret;
}

/** Headers with the values of secret ones masked, names included in what is escaped. */
export function redactHeaders(headers: Iterable<readonly [string, string]>): Record<string, string> {
  const entries = Array.from(headers, ([name, value]): [string, string] => [
    escapeControls(name),
    isSecretName(name) ? MASK : redactText(value),
  ]);
  return Object.fromEntries(entries);
}

/** A log line's fields: secrets masked by name and by form, payloads and bytes as their size, errors as text. */
export function redactFields(fields: object): Record<string, unknown> {
  const out = redactValue('', fields, { depth: 0, parents: [] });
  return typeof out === 'object' && out !== null ? { ...out } : { value: out };
}

interface Place {
  depth: number;
  parents: readonly object[];
}

function redactValue(name: string, value: unknown, place: Place): unknown {
  if (value === null || typeof value === 'boolean' || value === undefined) return value;
  if (isSecretName(name)) return MASK;
  if (typeof value === 'number') return value;
  if (typeof value === 'string') return PAYLOAD_NAMES.has(name) ? sizeOf(value.length) : redactText(value);
  try {
    return typeof value === 'object' ? redactObject(name, value, place) : redactText(String(value));
  } catch {
    // A getter or a proxy may throw; a log line must not.
    return '[unreadable]';
  }
}

function redactObject(name: string, value: object, place: Place): unknown {
  if (ArrayBuffer.isView(value)) return sizeOf(value.byteLength, 'bytes');
  if (PAYLOAD_NAMES.has(name)) return '[payload]';
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'invalid date' : value.toISOString();
  if (value instanceof URL) return redactText(value.href);
  if (place.depth >= MAX_DEPTH || place.parents.includes(value)) return '[…]';
  const inner: Place = { depth: place.depth + 1, parents: [...place.parents, value] };
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map((item) => redactValue(name, item, inner));
  const plain = value instanceof Error ? errorFields(value) : value;
  const out: Record<string, unknown> = Object.create(null);
  for (const key of Object.keys(plain).slice(0, MAX_ITEMS)) {
    const item: unknown = Reflect.get(plain, key);
    out[PLAIN_TEXT.test(key) ? key : escapeControls(key)] = redactValue(key, item, inner);
  }
  return out;
}

function errorFields(error: Error): Record<string, unknown> {
  const code = 'code' in error ? error.code : undefined;
  return { name: error.name, message: error.message, code, stack: error.stack, cause: error.cause };
}

function sizeOf(size: number, unit = 'characters'): string {
  return `[${size} ${unit}]`;
}
