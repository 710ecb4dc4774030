import { signIn as t } from './messages';

export type SignInField = 'email' | 'password';

export interface SignInProblem {
  message: string;
  /** The field that is wrong, and gets the focus; null: none in particular. */
  field: SignInField | null;
}

/** What is missing before anything is sent; null: nothing. */
export function missingField(entry: { email: string; password: string }): SignInProblem | null {
  if (entry.email.trim() === '') return { message: t.errors.noEmail, field: 'email' };
  return entry.password === '' ? { message: t.errors.noPassword, field: 'password' } : null;
}

/** What an answer other than 200 means to the person who typed. `code` is Better Auth's or ours. */
export function problemOf(
  answer: { status: number; code: string | null; retryAfter: string | null },
  ownOrigin: string,
): SignInProblem {
  const { status, code } = answer;
  if (status === 429) return { message: t.errors.tooMany(secondsOf(answer.retryAfter)), field: null };
  if (status === 401) return { message: t.errors.wrong, field: 'password' };
  if (code === 'INVALID_EMAIL') return { message: t.errors.badEmail, field: 'email' };
  if (code === 'INVALID_ORIGIN') return { message: t.errors.origin(ownOrigin), field: null };
  return { message: t.errors.failed, field: null };
}

/** Signs in; null: done, the session's cookie is set. Never throws. */
export async function requestSignIn(
  entry: { email: string; password: string },
  ownOrigin: string,
): Promise<SignInProblem | null> {
  try {
    const response = await fetch('/api/auth/sign-in/email', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: entry.email.trim(), password: entry.password }),
    });
    if (response.ok) return null;
    const retryAfter = response.headers.get('retry-after') ?? response.headers.get('x-retry-after');
    return problemOf({ status: response.status, code: await codeOf(response), retryAfter }, ownOrigin);
  } catch {
    return { message: t.errors.unreachable, field: null };
  }
}

async function codeOf(response: Response): Promise<string | null> {
  const body: unknown = await response.json().catch(() => null);
  const code = (body as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : null;
}

function secondsOf(retryAfter: string | null): number {
  const seconds = Number(retryAfter);
  return Number.isInteger(seconds) && seconds > 0 ? seconds : 10;
}
