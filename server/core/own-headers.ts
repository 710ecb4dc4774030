// Invariant: an endpoint's own header can neither change how the request is framed or routed, nor stand in for one
// that we set, nor carry anything but visible ASCII (R-ATT-1).

export interface OwnHeader {
  readonly name: string;
  readonly value: string;
}

/** The rule that a list of own headers breaks; stable. */
export type OwnHeaderRule = 'too_many' | 'name' | 'reserved' | 'value' | 'duplicate';

export type OwnHeadersVerdict =
  | { ok: true }
  /** `index`: which header; for `too_many` the first one over the limit. */
  | { ok: false; rule: OwnHeaderRule; index: number; message: string };

const MAX_HEADERS = 20;
const MAX_NAME = 64;
const MAX_VALUE = 1_024;

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Visible ASCII; spaces only between visible characters, as in `Bearer …`. */
const VALUE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

const RESERVED = new Set([
  ...['host', 'connection', 'te', 'trailer', 'upgrade', 'expect', 'cookie', 'keep-alive', 'user-agent'],
  ...['webhook-id', 'webhook-timestamp', 'webhook-signature', 'traceparent', 'tracestate'],
]);

const RESERVED_PREFIXES = ['content-', 'transfer-', 'proxy-'] as const;

/**
 * Judges an endpoint's own headers. `setByUs` are the names that the signature scheme in force uses, in any case.
 * Never throws. R-ATT-1.
 */
export function checkOwnHeaders(
  headers: readonly OwnHeader[],
  setByUs: readonly string[] = [],
): OwnHeadersVerdict {
  if (headers.length > MAX_HEADERS) {
    return refuse('too_many', MAX_HEADERS, `Use at most ${MAX_HEADERS} headers.`);
  }
  const ours = new Set(setByUs.map((name) => name.toLowerCase()));
  const seen = new Set<string>();
  for (const [index, { name, value }] of headers.entries()) {
    const lower = name.toLowerCase();
    if (name.length > MAX_NAME || !TOKEN.test(name)) {
      return refuse('name', index, `A header's name has 1 to ${MAX_NAME} letters, digits and hyphens.`);
    }
    if (isReservedHeader(lower) || ours.has(lower)) {
      return refuse('reserved', index, `${name} is set by us or by the connection. Use another name.`);
    }
    if (seen.has(lower)) return refuse('duplicate', index, `${name} is there twice. Keep one of them.`);
    seen.add(lower);
    if (value.length > MAX_VALUE || !VALUE.test(value)) {
      return refuse('value', index, `The value of ${name} has 1 to ${MAX_VALUE} visible ASCII characters.`);
    }
  }
  return { ok: true };
}

function isReservedHeader(lower: string): boolean {
  return RESERVED.has(lower) || RESERVED_PREFIXES.some((prefix) => lower.startsWith(prefix));
}

function refuse(rule: OwnHeaderRule, index: number, message: string): OwnHeadersVerdict {
  return { ok: false, rule, index, message };
}
