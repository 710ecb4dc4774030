/**
 * Invariant: a signature is over exactly the bytes that are sent, made afresh for each attempt; header names and
 * prefix are settings, and no code branches on a platform's name (R-SIG-0, R-SIG-1).
 */
import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { SignatureScheme, SignatureSettings } from '@/server/core/policy';

/** A secret made ready for one scheme: prepare it once per secret version and keep it. */
export type SigningKey = KeyObject;

export interface SignInput {
  settings: SignatureSettings;
  eventId: string;
  /** Unix time in whole seconds. */
  timestampSec: number;
  body: Uint8Array;
  /** Live secrets, newest first. Both sign where the scheme can carry two, else the newest (R-SIG-2). */
  keys: readonly SigningKey[];
}

export type HeaderEntry = readonly [name: string, value: string];

export interface SignatureHeaders {
  id: string;
  /** Null: the scheme has no header of its own for the time. */
  timestamp: string | null;
  signature: string;
}

const WHSEC = 'whsec_';
const DEFAULT_HEADERS: Readonly<Record<SignatureScheme, SignatureHeaders>> = {
  'standard-webhooks': { id: 'webhook-id', timestamp: 'webhook-timestamp', signature: 'webhook-signature' },
  timestamped: { id: 'X-Webhook-Id', timestamp: 'X-Webhook-Timestamp', signature: 'X-Webhook-Signature' },
  't-v1': { id: 'Webhook-Id', timestamp: null, signature: 'Webhook-Signature' },
  body: { id: 'X-Foxreload-Event-Id', timestamp: null, signature: 'X-Foxreload-Signature' },
};

/** The headers that a scheme sets under these settings, as they are written on the wire. */
export function signatureHeaders(settings: SignatureSettings): SignatureHeaders {
  const names = DEFAULT_HEADERS[settings.scheme];
  const own = settings.headers;
  return {
    id: own?.id ?? names.id,
    timestamp: names.timestamp === null ? null : (own?.timestamp ?? names.timestamp),
    signature: own?.signature ?? names.signature,
  };
}

/** Names, in lower case, that an endpoint's own headers must not take (R-ATT-1). */
export function headerNamesOf(settings: SignatureSettings): string[] {
  const { id, timestamp, signature } = signatureHeaders(settings);
  return [id, timestamp, signature].flatMap((name) => (name === null ? [] : [name.toLowerCase()]));
}

/**
 * The key that a secret is under a scheme: what base64 after `whsec_` decodes to for `standard-webhooks`, the
 * UTF-8 of the whole secret for the others (R-SIG-0). Null when the text is no secret of the scheme: the endpoint
 * is then gated as for one that cannot be opened (R-ATT-9).
 */
export function prepareKey(scheme: SignatureScheme, secret: string): SigningKey | null {
  const bytes = scheme === 'standard-webhooks' ? decodeWhsec(secret) : Buffer.from(secret, 'utf8');
  return bytes === null || bytes.length === 0 ? null : createSecretKey(bytes);
}

function decodeWhsec(secret: string): Buffer | null {
  const text = secret.startsWith(WHSEC) ? secret.slice(WHSEC.length) : null;
  const isBase64 = text !== null && text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text);
  return isBase64 ? Buffer.from(text, 'base64') : null;
}

/**
 * A new secret from 24–64 random bytes: `whsec_` and base64 whatever the scheme, so that a secret stays usable
 * when the policy's scheme changes (R-SIG-0).
 * @throws RangeError on fewer or more bytes.
 */
export function newSecret(random: Uint8Array): string {
  if (random.length < 24 || random.length > 64) throw new RangeError('A secret needs 24 to 64 random bytes.');
  return WHSEC + Buffer.from(random).toString('base64');
}

/**
 * The signature headers of one attempt, in the order in which they are sent (R-SIG-1, R-SIG-2).
 * @throws RangeError without a key: nothing unsigned is ever sent (R-ATT-9).
 */
export function sign(input: SignInput): readonly HeaderEntry[] {
  const { settings, eventId, timestampSec } = input;
  const names = signatureHeaders(settings);
  const entries: HeaderEntry[] = [[names.id, eventId]];
  if (names.timestamp !== null) entries.push([names.timestamp, String(timestampSec)]);
  entries.push([names.signature, signatureValue(input)]);
  return entries;
}

function signatureValue(input: SignInput): string {
  const { settings, body, keys } = input;
  const [newest] = keys;
  if (newest === undefined) throw new RangeError('Nothing unsigned is ever sent: no key was given.');
  const head = signedHead(settings.scheme, input);
  switch (settings.scheme) {
    case 'standard-webhooks':
      return keys.map((key) => `v1,${mac(key, head, body).toString('base64')}`).join(' ');
    case 't-v1':
      return `t=${input.timestampSec},${keys.map((key) => `v1=${mac(key, head, body).toString('hex')}`).join(',')}`;
    case 'timestamped':
    case 'body':
      return (settings.prefix ?? '') + mac(newest, head, body).toString('hex');
    default:
      return settings.scheme satisfies never;
  }
}

/** What is signed before the body; null where nothing is. */
function signedHead(
  scheme: SignatureScheme,
  { eventId, timestampSec }: { eventId: string; timestampSec: number | string },
): Buffer | null {
  switch (scheme) {
    case 'standard-webhooks':
      return Buffer.from(`${eventId}.${timestampSec}.`, 'utf8');
    case 'timestamped':
    case 't-v1':
      return Buffer.from(`${timestampSec}.`, 'utf8');
    case 'body':
      return null;
    default:
      return scheme satisfies never;
  }
}

function mac(key: SigningKey, head: Buffer | null, body: Uint8Array): Buffer {
  const hmac = createHmac('sha256', key);
  if (head !== null) hmac.update(head);
  return hmac.update(body).digest();
}

export interface VerifyInput {
  settings: SignatureSettings;
  /** A header's value by name, whatever its case; null when absent (`Headers.get` fits). */
  header: (name: string) => string | null;
  body: Uint8Array;
  /** Live secrets, newest first. */
  keys: readonly SigningKey[];
  /** Unix time in whole seconds. */
  nowSec: number;
  /** How far the signed time may lie from now; 300 s unless told. */
  toleranceSec?: number;
}

/** `key` is the place in `keys` of the secret that fits. */
export type Verification =
  | { ok: true; key: number }
  | { ok: false; why: 'header_missing' | 'header_malformed' | 'timestamp_too_far' | 'no_match' };

/** Checks an attempt's headers as a receiver does, in constant time for all secrets and signatures (D23). */
export function verify(input: VerifyInput): Verification {
  const read = readHeaders(input);
  if (read === null) return { ok: false, why: 'header_missing' };
  const { scheme } = input.settings;
  const given = signaturesIn(input.settings, read.signature);
  const isTimed = scheme !== 'body';
  if (given.length === 0 || (isTimed && !/^\d{1,12}$/.test(read.time)))
    return { ok: false, why: 'header_malformed' };
  const key = fittingKey(
    input,
    given,
    signedHead(scheme, { eventId: read.eventId, timestampSec: read.time }),
  );
  if (key < 0) return { ok: false, why: 'no_match' };
  const apartSec = isTimed ? Math.abs(Number(read.time) - input.nowSec) : 0;
  return apartSec > (input.toleranceSec ?? 300) ? { ok: false, why: 'timestamp_too_far' } : { ok: true, key };
}

function readHeaders({ settings, header }: VerifyInput) {
  const names = signatureHeaders(settings);
  const eventId = header(names.id);
  const signature = header(names.signature);
  const time = names.timestamp === null ? timeIn(settings.scheme, signature) : header(names.timestamp);
  return eventId === null || signature === null || time === null ? null : { eventId, signature, time };
}

/** Which secret made one of the signatures, −1 when none; every pair is compared, whatever has been found. */
function fittingKey({ keys, body }: VerifyInput, given: readonly Buffer[], head: Buffer | null): number {
  let fits = -1;
  for (const [index, key] of keys.entries()) {
    const expected = mac(key, head, body);
    for (const one of given)
      if (one.length === expected.length && timingSafeEqual(one, expected)) fits = index;
  }
  return fits;
}

/** The time that the signature header itself carries; '' for a scheme without any, null when it should and does not. */
function timeIn(scheme: SignatureScheme, signature: string | null): string | null {
  if (scheme !== 't-v1') return '';
  const times = (signature ?? '').split(',').filter((part) => part.startsWith('t='));
  return times.length === 1 ? (times[0]?.slice(2) ?? null) : null;
}

function signaturesIn(settings: SignatureSettings, value: string): Buffer[] {
  const prefix = settings.prefix ?? '';
  switch (settings.scheme) {
    case 'standard-webhooks':
      return valuesAfter('v1,', value.split(' ')).map((text) => Buffer.from(text, 'base64'));
    case 't-v1':
      return valuesAfter('v1=', value.split(',')).flatMap(fromHex);
    case 'timestamped':
    case 'body':
      return valuesAfter(prefix, [value]).flatMap(fromHex);
    default:
      return settings.scheme satisfies never;
  }
}

function valuesAfter(prefix: string, parts: readonly string[]): string[] {
  return parts.flatMap((part) => (part.startsWith(prefix) ? [part.slice(prefix.length)] : []));
}

function fromHex(text: string): Buffer[] {
  return /^[0-9a-f]{64}$/.test(text) ? [Buffer.from(text, 'hex')] : [];
}
