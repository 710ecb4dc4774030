import type { Environment } from '@/server/core/model';
import { type Client, select } from './connect';

export interface ScopeKey {
  appId: number;
  environment: Environment;
}

export function scopeName({ appId, environment }: { appId: number; environment: string }): string {
  return `${appId}/${environment}`;
}

/**
 * Locks, until the transaction ends, what an environment's endpoints are: exclusively by whoever makes one that may
 * match, shared by whoever writes that none does. In one order.
 */
export async function lockScopes(
  client: Client,
  scopes: readonly ScopeKey[],
  how: 'shared' | 'exclusive',
): Promise<void> {
  for (const name of scopes.map(scopeName).sort()) await lockName(client, `scope ${name}`, how);
}

/** An advisory lock until the transaction ends. Two names that share a hash wait for each other and nothing else. */
export async function lockName(client: Client, name: string, how: 'shared' | 'exclusive'): Promise<void> {
  const lock = how === 'shared' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock';
  await select(client, `SELECT ${lock}(hashtextextended($1, 1212894285))`, [`hookladder ${name}`]);
}
