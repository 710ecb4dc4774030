// API keys: found by their hash, shown once, revoked everywhere at once (D19).
import { z } from 'zod';
import { hashKey, makeApiKey, parseApiKey, sameHash } from '@/server/core/api-key';
import { makeId } from '@/server/core/ids';
import type { ApiKeyRow } from '@/server/ports/records';
import { type KeyActor, MERCHANT_SCOPES, PLATFORM_SCOPES } from './actor';
import { environmentSchema } from './contract';
import type { ServiceDeps } from './deps';
import { idInput } from './inputs';
import { invalid, notFound } from './service-error';
import { defineVerb } from './verb';

/** Last use is written at most this often, ms. */
const TOUCH_EVERY_MS = 60_000;
const KEY_BYTES = 32;

/** Who a bearer is; null: no key of ours, ended, or revoked. The key itself goes nowhere from here. */
export async function authenticateKey(
  deps: Pick<ServiceDeps, 'store' | 'clock' | 'log'>,
  bearer: string,
): Promise<KeyActor | null> {
  if (parseApiKey(bearer) === null) return null;
  const hash = hashKey(bearer);
  const row = await deps.store.read.apiKeyByHash(hash);
  const now = deps.clock.now();
  if (row === null || !sameHash(row.hash, hash) || !isAlive(row, now)) return null;
  if (row.lastUsedAt === null || row.lastUsedAt + TOUCH_EVERY_MS <= now) touch(deps, row, now);
  return {
    kind: 'key',
    keyId: row.publicId,
    organizationId: row.organizationId,
    appId: row.appId,
    environment: row.environment,
    scopes: row.scopes,
  };
}

function isAlive(row: ApiKeyRow, now: number): boolean {
  return row.revokedAt === null && (row.expiresAt === null || row.expiresAt > now);
}

/** Nobody waits for it, and nothing hangs on it. */
function touch(deps: Pick<ServiceDeps, 'store' | 'log'>, row: ApiKeyRow, now: number): void {
  deps.store
    .transact((tx) => tx.touchApiKey(row.id, now))
    .catch((cause: unknown) => deps.log.warn('key.use_not_noted', { keyId: row.publicId, cause }));
}

const scopeInput = z.enum([...MERCHANT_SCOPES, ...PLATFORM_SCOPES]);

export interface NewKey {
  id: string;
  /** Shown this once. */
  key: string;
  prefix: string;
  last4: string;
}

/** For `npm run admin`; people make keys in the console once they prove who they are again (D14). */
export const createKey = defineVerb({
  name: 'keys.create',
  kind: 'command',
  target: 'none',
  access: { scope: 'internal', role: 'none' },
  input: z.strictObject({
    name: z.string().min(1).max(100),
    /** Null for a platform key. */
    organizationId: z.string().max(120).nullable(),
    appId: idInput.nullable(),
    environment: environmentSchema.nullable(),
    scopes: z.array(scopeInput).min(1),
    /** Epoch ms. */
    expiresAt: z.number().int().nullable().default(null),
  }),
  handler: async ({ deps, tx, input, now }): Promise<NewKey> => {
    checkScopes(input);
    const app = input.appId === null ? null : await tx.app(input.appId);
    if (input.appId !== null && app?.organizationId !== input.organizationId) throw notFound();
    const kind = input.organizationId === null ? 'ops' : (input.environment ?? 'test');
    const key = makeApiKey(kind, deps.random.bytes(KEY_BYTES));
    const parts = parseApiKey(key);
    if (parts === null) throw new Error('a key that we made cannot be read');
    const { prefix, last4 } = parts;
    const row = await tx.insertApiKey({
      publicId: makeId('key', now, deps.random.bytes(10)),
      organizationId: input.organizationId,
      appId: app?.id ?? null,
      environment: input.environment,
      name: input.name,
      scopes: input.scopes,
      prefix,
      last4,
      hash: hashKey(key),
      createdAt: now,
      expiresAt: input.expiresAt,
    });
    return { id: row.publicId, key, prefix, last4 };
  },
  audit: {
    action: 'key.created',
    object: (result) => result.id,
    detail: (result, input) => ({ name: input.name, scopes: input.scopes, prefix: result.prefix }),
  },
});

/** A merchant's key has an environment and merchant's scopes, a platform key neither. */
function checkScopes(input: {
  organizationId: string | null;
  environment: 'test' | 'live' | null;
  scopes: readonly string[];
}): void {
  const isPlatform = input.organizationId === null;
  const allowed: readonly string[] = isPlatform ? PLATFORM_SCOPES : MERCHANT_SCOPES;
  const foreign = input.scopes.find((scope) => !allowed.includes(scope));
  if (foreign !== undefined) throw invalid('scopes', `A key of this kind cannot carry ${foreign}.`);
  if (isPlatform !== (input.environment === null)) {
    throw invalid('environment', "A merchant's key is bound to an environment, a platform key is not.");
  }
}
