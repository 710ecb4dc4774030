// R-PUB-5: the same key and content give the first answer again; a unique index decides, never a read before.
import { sha256Hex } from '@/server/core/sha256';
import type { Scope } from '@/server/ports/queries';
import type { Store, Tx } from '@/server/ports/store';
import type { ServiceDeps } from './deps';
import { ServiceError } from './service-error';

export interface StoredAnswer {
  status: number;
  /** JSON text, without secrets. */
  body: string;
}

/** A caller's key, the hash of what it protects, and how the first answer is kept. */
export interface Once<R> {
  key: string;
  contentHash: string;
  answer(result: R): StoredAnswer;
}

export type OnceAnswer<R> = { kind: 'done'; result: R } | ({ kind: 'replayed' } & StoredAnswer);

const VISIBLE_ASCII = /^[\x21-\x7e]{1,255}$/;

/** @throws ServiceError invalid_request unless it is visible ASCII of at most 255 characters */
export function checkKey(key: string, path: string): string {
  if (VISIBLE_ASCII.test(key)) return key;
  throw new ServiceError('invalid_request', 'An idempotency key has 1 to 255 visible ASCII characters.', {
    details: [{ path, message: 'Use 1 to 255 visible ASCII characters.' }],
  });
}

export function idempotencyConflict(path?: string): ServiceError {
  return new ServiceError(
    'idempotency_conflict',
    'This idempotency key was used with other content. Use a new key for a new request.',
    path === undefined ? {} : { details: [{ path, message: 'The key was used with other content.' }] },
  );
}

/** Keys whose first call of this process has not committed. A hint: the index in the store decides. */
const underWay = new WeakMap<Store, Set<string>>();

/** Runs `work` unless one of the keys is in use by a call that has not committed: 409 `idempotency_in_progress`. */
export async function holdingKeys<T>(
  held: { store: Store; scope: Scope; keys: readonly string[] },
  work: () => Promise<T>,
): Promise<T> {
  const taken = underWay.get(held.store) ?? new Set<string>();
  underWay.set(held.store, taken);
  const names = held.keys.map((key) => `${held.scope.appId} ${held.scope.environment} ${key}`);
  if (names.some((name) => taken.has(name))) {
    throw new ServiceError(
      'idempotency_in_progress',
      'The first request with this idempotency key is still running. Ask again in a second.',
      { retryAfterS: 1 },
    );
  }
  for (const name of names) taken.add(name);
  try {
    return await work();
  } finally {
    for (const name of names) taken.delete(name);
  }
}

/** Rolls back a transaction whose key another one has taken meanwhile. */
class KeyTaken extends Error {}

interface Place {
  deps: Pick<ServiceDeps, 'store'>;
  scope: Scope;
  now: number;
}

/** One transaction that leaves both the work and its answer, or neither (R-PUB-5). */
export async function runOnce<R>(
  place: Place,
  once: Once<R>,
  work: (tx: Tx) => Promise<R>,
): Promise<OnceAnswer<R>> {
  const { store } = place.deps;
  return holdingKeys({ store, scope: place.scope, keys: [once.key] }, async () => {
    const attempt = () => store.transact((tx) => performOnce(tx, place, { once, work }));
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof KeyTaken)) throw error;
      return attempt();
    }
  });
}

async function performOnce<R>(
  tx: Tx,
  place: Place,
  call: { once: Once<R>; work: (tx: Tx) => Promise<R> },
): Promise<OnceAnswer<R>> {
  const { key, contentHash, answer } = call.once;
  const earlier = await tx.idempotency(place.scope, key);
  if (earlier !== null) {
    if (earlier.contentHash !== contentHash) throw idempotencyConflict();
    return { kind: 'replayed', status: earlier.status, body: earlier.body };
  }
  const result = await call.work(tx);
  const inserted = await tx.insertIdempotency({
    ...place.scope,
    key,
    contentHash,
    createdAt: place.now,
    ...answer(result),
  });
  if (inserted === 'exists') throw new KeyTaken();
  return { kind: 'done', result };
}

/** R-PUB-5: what a key stands for where no event's own content does: the request as it came. */
export function requestContentHash(method: string, path: string, body: Uint8Array): string {
  return sha256Hex(`${method} ${path}\n`, body);
}
