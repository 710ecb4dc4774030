// API keys at the door: found by their hash, revoked everywhere at once (D19). They are made in admin.ts.
import { hashKey, parseApiKey, sameHash } from '@/server/core/api-key';
import type { ApiKeyRow } from '@/server/ports/records';
import type { KeyActor } from './actor';
import type { ServiceDeps } from './deps';
import { hotReads } from './hot-reads';

/** Last use is written at most this often, ms. */
const TOUCH_EVERY_MS = 60_000;

/** Who a bearer is; null: no key of ours, ended, or revoked. The key itself goes nowhere from here. */
export async function authenticateKey(
  deps: Pick<ServiceDeps, 'store' | 'clock' | 'log'>,
  bearer: string,
): Promise<KeyActor | null> {
  if (parseApiKey(bearer) === null) return null;
  const hash = hashKey(bearer);
  const row = await hotReads(deps.store).apiKeyByHash(hash);
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
