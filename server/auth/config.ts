// Better Auth, set up for people who are invited: mail and password, organizations, no sign-up from outside.
import type { GenericEndpointContext } from '@better-auth/core';
import { type BetterAuthOptions, betterAuth } from 'better-auth';
import { drizzleAdapter } from 'better-auth/adapters/drizzle';
import { APIError, createAuthMiddleware, getSessionFromCtx, isAPIError } from 'better-auth/api';
import { nextCookies } from 'better-auth/next-js';
import { organization } from 'better-auth/plugins';
import type { Logger } from '@/server/ports/logger';
import { cookiePrefix, trustedOrigins } from './origins';
import { PASSWORD_MAX, PASSWORD_MIN, PASSWORD_PROBLEMS, passwordProblem } from './password-rules';
import { accessControl, organizationRoles } from './roles';
import { keepSessionsHashed, SESSION_IDLE_S, SESSION_RENEWED_S } from './session-store';
import { createSignInLimit, type SignInLimit } from './sign-in-limit';

/** What came of a try to sign in, for the audit log (D37). */
export interface SignInResult {
  userId: string | null;
  email: string;
  result: 'ok' | 'denied';
  at: number;
}

export interface AuthSettings {
  /** Drizzle handle whose every call goes through the store's own queue (`db/sqlite/auth-handle.ts`). */
  database: Parameters<typeof drizzleAdapter>[0];
  /** Better Auth's tables by their own names: user, session, account, … */
  schema: Record<string, unknown>;
  dialect?: 'sqlite' | 'pg';
  secret: string;
  /** PUBLIC_URL. */
  baseURL: string;
  /** Epoch ms. */
  now: () => number;
  /** A new id with this prefix. */
  newId: (prefix: string) => string;
  log: Logger;
  /** CIDRs of proxies whose `x-forwarded-for` is believed. */
  trustedProxies?: readonly string[];
  onSignIn?: (result: SignInResult) => Promise<void>;
}

const ID_PREFIXES: Readonly<Record<string, string>> = {
  user: 'usr',
  session: 'ses',
  account: 'acc',
  verification: 'ver',
  organization: 'org',
  member: 'mem',
  invitation: 'inv',
};

/** Paths of the one limit that every caller shares while no address is known: 5 password hashes a second. */
const SIGN_IN = '/sign-in/email';
const SIGN_IN_RULE = { window: 10, max: 50 };
const FRESH_S = 600;

/** Makes the auth of this installation. Opens nothing by itself; its first query does. D10, D12, D13, D44. */
export function createAuth(settings: AuthSettings) {
  const { baseURL, now, log } = settings;
  const limit = createSignInLimit(now);
  return betterAuth({
    appName: 'Hookladder',
    baseURL,
    basePath: '/api/auth',
    secret: settings.secret,
    trustedOrigins: [...trustedOrigins(baseURL)],
    telemetry: { enabled: false },
    database: (options: BetterAuthOptions) =>
      keepSessionsHashed(
        drizzleAdapter(settings.database, {
          provider: settings.dialect ?? 'sqlite',
          schema: settings.schema,
        })(options),
        now,
      ),
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      autoSignIn: false,
      minPasswordLength: PASSWORD_MIN,
      maxPasswordLength: PASSWORD_MAX,
    },
    user: { additionalFields: { platformRole: { type: 'string', required: false, input: false } } },
    session: { expiresIn: SESSION_IDLE_S, updateAge: SESSION_RENEWED_S, freshAge: FRESH_S },
    databaseHooks: {
      session: { create: { after: (session, context) => dropOver(session.userId, context, now) } },
    },
    rateLimit: {
      enabled: true,
      storage: 'memory',
      window: 10,
      max: 200,
      customRules: { [SIGN_IN]: SIGN_IN_RULE },
    },
    advanced: advanced(settings),
    logger: {
      level: 'error',
      // Its messages may name people; the level and the message's first line are enough to look further.
      log: (level, message) => log[level === 'error' ? 'error' : 'info']('auth', { message }),
    },
    // A refusal is an answer, not an error; only what is neither goes to the log.
    onAPIError: { onError: (cause) => (isAPIError(cause) ? undefined : log.error('auth', { cause })) },
    hooks: signInHooks({ limit, now, onSignIn: settings.onSignIn }),
    plugins: [
      organization({
        allowUserToCreateOrganization: false,
        creatorRole: 'owner',
        ac: accessControl,
        roles: organizationRoles,
        invitationExpiresIn: 7 * 24 * 3_600,
      }),
      nextCookies(),
    ],
  });
}

/** Sessions that ran out and were never looked at again go when their owner comes back. */
async function dropOver(
  userId: string,
  context: GenericEndpointContext | null,
  now: () => number,
): Promise<void> {
  await context?.context.adapter.deleteMany({
    model: 'session',
    where: [
      { field: 'userId', value: userId },
      { field: 'expiresAt', operator: 'lt', value: new Date(now()) },
    ],
  });
}

export type Auth = ReturnType<typeof createAuth>;

function advanced(settings: AuthSettings) {
  const secure = settings.baseURL.startsWith('https:');
  const proxies = settings.trustedProxies ?? [];
  return {
    // Better Auth writes `__Secure-` by itself; `__Host-` forbids a domain and another path besides (D13).
    useSecureCookies: false,
    cookiePrefix: cookiePrefix(settings.baseURL),
    defaultCookieAttributes: { httpOnly: true, sameSite: 'lax', secure, path: '/' } as const,
    database: {
      generateId: ({ model }: { model: string }) => settings.newId(ID_PREFIXES[model] ?? 'aux'),
    },
    ipAddress: proxies.length > 0 ? { trustedProxies: [...proxies] } : {},
  };
}

interface HookParts {
  limit: SignInLimit;
  now: () => number;
  onSignIn: AuthSettings['onSignIn'];
}

function signInHooks({ limit, now, onSignIn }: HookParts) {
  return {
    before: createAuthMiddleware(async (context) => {
      if (context.path === SIGN_IN) refuseWhileWaiting(limit, textOf(context.body, 'email'));
      if (context.path !== '/change-password') return;
      refuseWeak(context.body, (await getSessionFromCtx(context))?.user);
      // A changed password ends every other session, whatever the caller asks for (D09).
      return { context: { body: { ...(context.body as object), revokeOtherSessions: true } } };
    }),
    after: createAuthMiddleware(async (context) => {
      if (context.path !== SIGN_IN) return;
      const email = textOf(context.body, 'email');
      const user = context.context.newSession?.user;
      if (user !== undefined) limit.succeeded(email);
      else limit.failed(email);
      await onSignIn?.({ userId: user?.id ?? null, email, result: user ? 'ok' : 'denied', at: now() });
    }),
  };
}

function refuseWhileWaiting(limit: SignInLimit, email: string): void {
  const seconds = Math.ceil(limit.waitMs(email) / 1_000);
  if (seconds === 0) return;
  throw new APIError(
    'TOO_MANY_REQUESTS',
    { code: 'TOO_MANY_ATTEMPTS', message: `Too many tries for this account. Wait ${seconds} s.` },
    { 'retry-after': String(seconds) },
  );
}

function refuseWeak(body: unknown, user: { email: string; name: string } | undefined): void {
  const problem = passwordProblem(textOf(body, 'newPassword'), user ?? { email: '', name: '' });
  if (problem === null) return;
  throw new APIError('BAD_REQUEST', { code: 'WEAK_PASSWORD', message: PASSWORD_PROBLEMS[problem] });
}

function textOf(body: unknown, field: string): string {
  const value = (body as Record<string, unknown> | null | undefined)?.[field];
  return typeof value === 'string' ? value : '';
}
