import { z } from 'zod';
import { type Cidr, parseCidr } from '@/server/core/address-guard';

/** One master key: the id that ciphertexts name, and its 32 bytes. */
export interface MasterKey {
  id: string;
  key: Uint8Array;
}

/** Levels of the log, least to most quiet. */
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

const MASTER_KEY_BYTES = 32;
const KEY_ID = /^[a-z0-9][a-z0-9_-]{0,31}$/;
const MAKE_KEY = 'make one with: openssl rand -base64 32';

type Context = z.core.$RefinementCtx<string>;

function refuse(context: Context, message: string): typeof z.NEVER {
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
}

/** A whole number in a range, both ends in. */
export function wholeNumber(fallback: number, least: number, most: number) {
  return z
    .string()
    .default(String(fallback))
    .transform((text, context) => {
      const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
      return value >= least && value <= most
        ? value
        : refuse(context, `write a whole number from ${least} to ${most}, such as ${fallback}.`);
    });
}

/** One of a few words. */
export function word<const Words extends readonly [string, ...string[]]>(
  words: Words,
  fallback: Words[number],
) {
  return z.enum(words, { error: `write one of: ${words.join(', ')}.` }).default(fallback);
}

export const logLevel = word(LOG_LEVELS, 'info');

/** `1` or `0`, or nothing said. */
export const flag = z
  .enum(['0', '1'], { error: 'write 1 for the demo, 0 for none.' })
  .optional()
  .transform((text) => (text === undefined ? undefined : text === '1'));

/** Networks as CIDRs, comma-separated. */
export const networks = z
  .string()
  .default('')
  .transform((text, context): readonly Cidr[] => {
    const found: Cidr[] = [];
    for (const part of listed(text)) {
      const cidr = parseCidr(part);
      if (cidr === null) {
        return refuse(
          context,
          `"${part}" is no network: write CIDRs such as 10.20.0.0/16, no bits set behind the prefix.`,
        );
      }
      if (cidr.prefix === 0)
        return refuse(context, `"${part}" would let in every address: name the networks you mean.`);
      found.push(cidr);
    }
    return found;
  });

const DEFAULT_FILE = './data/hookladder.db';

/** Where everything is kept. With PostgreSQL the file's folder still holds what is made once beside it. */
export interface DatabasePlace {
  /** As written; not opened here. */
  file: string;
  postgresUrl: string | null;
}

/** `file:…` and the path behind it, or `postgres://…`. */
export const databaseUrl = z
  .string()
  .default(`file:${DEFAULT_FILE}`)
  .transform((text, context): DatabasePlace => {
    if (/^postgres(ql)?:/.test(text)) {
      const url = URL.canParse(text) ? new URL(text) : null;
      if (url !== null && url.hostname !== '' && url.pathname.length > 1) {
        return { file: DEFAULT_FILE, postgresUrl: text };
      }
      return refuse(context, 'write host and database, such as postgres://user:password@host/hookladder.');
    }
    const path = /^file:(?:\/\/(?=\/))?([^?#]+)$/.exec(text)?.[1];
    if (path === undefined || path.startsWith('//') || path.includes(':memory:') || path.endsWith('/')) {
      return refuse(
        context,
        'write file: and the path of the database, such as file:/var/lib/hookladder/hookladder.db.',
      );
    }
    return { file: path, postgresUrl: null };
  });

/** An origin: scheme, host, port, and nothing behind. Returned without a trailing slash. */
export const origin = z.string().transform((text, context) => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const bare =
    url && url.username === '' && url.password === '' && url.pathname === '/' && !/[?#]/.test(text);
  if (!url || !bare || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    return refuse(
      context,
      'write the origin that people open, such as https://hooks.example.com, with no path.',
    );
  }
  return url.origin;
});

/** Secret text of at least so many visible characters. */
export function secretText(least: number) {
  return z
    .string()
    .regex(/^[\x21-\x7e]+$/, { error: 'write visible ASCII characters only.' })
    .min(least, { error: `write at least ${least} characters; make them with: openssl rand -base64 32` });
}

/** Master keys, newest first: one bare key, or `id:key` pairs. Each is 32 bytes in base64. */
export const masterKeys = z
  .string()
  .default('')
  .transform((text, context): readonly MasterKey[] => {
    const parts = listed(text);
    const keys: MasterKey[] = [];
    for (const part of parts) {
      const pair = /^(?:([^:]*):)?([^:]*)$/.exec(part);
      const id = pair?.[1] ?? (parts.length === 1 ? '1' : '');
      const key = decodeKey(pair?.[2] ?? '');
      if (!KEY_ID.test(id)) {
        return refuse(
          context,
          'with several keys write each as id:key, the id of a–z, 0–9, - and _, newest first.',
        );
      }
      if (key === null) return refuse(context, `key "${id}" is not 32 bytes of base64: ${MAKE_KEY}`);
      if (keys.some((other) => other.id === id)) return refuse(context, `the id "${id}" is there twice.`);
      keys.push({ id, key });
    }
    return keys;
  });

/** Whether the key is one that a person typed or a page printed, and no dice made. */
export function isSampleKey({ key }: MasterKey): boolean {
  const step = ((key[1] ?? 0) - (key[0] ?? 0) + 256) % 256;
  const isCounting = key.every((byte, n) => n === 0 || (byte - (key[n - 1] ?? 0) + 256) % 256 === step);
  const isText = key.every((byte) => byte >= 0x20 && byte <= 0x7e);
  return isCounting || isText || new Set(key).size < 12;
}

/** Whether the secret is a placeholder left as it was. */
export function isSampleSecret(text: string): boolean {
  return /change.?me|example|sample|secret|password|replace|your[-_ ]/i.test(text) || new Set(text).size < 8;
}

/** Whether the host names this machine only: 127.0.0.0/8, ::1, localhost and what lies under it. */
export function isLoopbackHost(host: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);
}

function decodeKey(text: string): Uint8Array | null {
  if (!/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return null;
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === MASTER_KEY_BYTES ? new Uint8Array(bytes) : null;
}

function listed(text: string): readonly string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
