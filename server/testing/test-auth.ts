import { authDatabase, authSchema } from '@/db/sqlite/auth-handle';
import { createAccounts, createDirectory } from '@/server/auth/accounts';
import { type AuthSettings, createAuth } from '@/server/auth/config';
import { createAuthHandler } from '@/server/auth/handler';
import { makeId } from '@/server/core/ids';
import { createSeededRandom } from './seeded-random';
import { createTestStore } from './temp-store';

const LOCAL = 'http://localhost:3000';
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Accounts over a real store. Better Auth reads the process's own clock: tests move it with fake timers. */
export async function createTestAuth(change: Partial<AuthSettings> = {}) {
  const store = await createTestStore();
  const random = createSeededRandom(7);
  const now = () => Date.now();
  const baseURL = change.baseURL ?? LOCAL;
  const auth = createAuth({
    database: authDatabase(store),
    schema: authSchema,
    secret: 'Zk3v9Qp1Xw7Lr5Tb2Ng8Hd4Jm6Cf0Ys-',
    baseURL,
    now,
    newId: (prefix) => makeId(prefix, now(), random.bytes(10)),
    log: silent,
    ...change,
  });
  const handler = createAuthHandler(auth, { baseURL });

  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    handler(
      new Request(`${baseURL}/api/auth${path}`, {
        method: 'POST',
        body: typeof body === 'string' ? body : JSON.stringify(body),
        headers: { 'content-type': 'application/json', origin: baseURL, ...headers },
      }),
    );
  const signIn = (email: string, password: string) => post('/sign-in/email', { email, password });

  return {
    store,
    auth,
    handler,
    accounts: createAccounts(auth, now),
    directory: createDirectory(auth),
    post,
    signIn,
    /** The `cookie` header of a browser that took the answer's cookies. */
    async cookieFor(email: string, password: string): Promise<string> {
      return cookieOf(await signIn(email, password));
    },
    rows: async (model: 'user' | 'session' | 'account') =>
      (await auth.$context).adapter.findMany<Record<string, unknown>>({ model }),
  };
}

export function cookieOf(response: Response): string {
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
}
