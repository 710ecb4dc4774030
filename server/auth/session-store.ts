// Sessions at rest (D13): the store holds the SHA-256 of a session's token, never the token, and a session ends
// 7 days after it began, however much it is used. Better Auth sees tokens as ever.
import { createHash } from 'node:crypto';
import type { DBAdapter, Where } from '@better-auth/core/db/adapter';

/** Idle: unused for so long, a session ends, s. Renewed at most every {@link SESSION_RENEWED_S}. */
export const SESSION_IDLE_S = 8 * 3_600;
export const SESSION_RENEWED_S = 300;
/** Absolute: no session is older, ms. */
export const SESSION_LONGEST_MS = 7 * 24 * 3_600_000;

type Row = Record<string, unknown>;

/** What stands in the store for a token. */
export function hashSessionToken(token: string): string {
  return createHash('sha256').update(token, 'utf8').digest('base64url');
}

/**
 * Puts the hashing over an adapter, in place: Better Auth's check of the schema hangs on the very object. `now` is
 * epoch ms.
 */
export function keepSessionsHashed<A extends DBAdapter>(adapter: A, now: () => number): A {
  const plain = { ...adapter };
  const isSession = (model: string) => model === 'session';

  const current = async (row: Row | null): Promise<boolean> => {
    const createdAt = row?.['createdAt'];
    if (!(createdAt instanceof Date) || now() - createdAt.getTime() < SESSION_LONGEST_MS) return row !== null;
    await plain.delete({ model: 'session', where: [{ field: 'token', value: String(row?.['token']) }] });
    return false;
  };

  const hashed: Pick<DBAdapter, 'create' | 'findOne' | 'findMany' | 'update' | 'delete' | 'deleteMany'> = {
    async create<T extends Row, R = T>(query: Parameters<typeof plain.create<T, R>>[0]): Promise<R> {
      const token = (query.data as Row)['token'];
      if (!isSession(query.model) || typeof token !== 'string') return plain.create<T, R>(query);
      const data = { ...query.data, token: hashSessionToken(token) };
      return reveal(await plain.create<T, R>({ ...query, data }), [token]);
    },
    async findOne<T>(query: Parameters<typeof plain.findOne>[0]): Promise<T | null> {
      if (!isSession(query.model)) return plain.findOne<T>(query);
      const row = await plain.findOne<T>({ ...query, where: conceal(query.where) });
      return (await current(row as Row | null)) ? reveal(row, tokensIn(query.where)) : null;
    },
    async findMany<T>(query: Parameters<typeof plain.findMany>[0]): Promise<T[]> {
      if (!isSession(query.model)) return plain.findMany<T>(query);
      const { where } = query;
      const rows = await plain.findMany<T>(where ? { ...query, where: conceal(where) } : query);
      return rows.map((row) => reveal(row, tokensIn(where)));
    },
    async update<T>(query: Parameters<typeof plain.update>[0]): Promise<T | null> {
      if (!isSession(query.model)) return plain.update<T>(query);
      const row = await plain.update<T>({ ...query, where: conceal(query.where) });
      return reveal(row, tokensIn(query.where));
    },
    delete: (query) =>
      plain.delete(isSession(query.model) ? { ...query, where: conceal(query.where) } : query),
    deleteMany: (query) =>
      plain.deleteMany(isSession(query.model) ? { ...query, where: conceal(query.where) } : query),
  };
  return Object.assign(adapter, hashed);
}

function conceal(where: Where[]): Where[] {
  return where.map((part) => {
    if (part.field !== 'token') return part;
    const { value } = part;
    if (typeof value === 'string') return { ...part, value: hashSessionToken(value) };
    return Array.isArray(value)
      ? { ...part, value: value.map((one) => hashSessionToken(String(one))) }
      : part;
  });
}

function tokensIn(where: readonly Where[] = []): readonly string[] {
  const values = where.filter((part) => part.field === 'token').map((part) => part.value);
  return values.flat().filter((value): value is string => typeof value === 'string');
}

/** Gives a row its token back where the caller knew it. */
function reveal<T>(row: T, tokens: readonly string[]): T {
  const stored = (row as Row | null)?.['token'];
  const token = tokens.find((one) => hashSessionToken(one) === stored);
  return token === undefined ? row : { ...row, token };
}
