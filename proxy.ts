import { type NextRequest, NextResponse } from 'next/server';
import { sessionCookieName } from '@/server/auth/origins';
import {
  answerKind,
  securityHeaders,
  signInRedirect,
  strippedRequestHeaders,
} from '@/server/auth/security-headers';
import { readEnv } from '@/server/env';

interface Settings {
  development: boolean;
  https: boolean;
  trustsProxies: boolean;
  sessionCookie: string;
}

let known: Settings | undefined;

/** Read at the first request, not while the product is built. */
function settings(): Settings {
  if (known === undefined) {
    const env = readEnv();
    known = {
      development: env.mode === 'development',
      https: env.publicUrl.startsWith('https:'),
      trustsProxies: env.trustedProxies.length > 0,
      sessionCookie: sessionCookieName(env.publicUrl),
    };
  }
  return known;
}

/**
 * Pages, and the sign-in, whose limits read an address. All else gets its headers from next.config.mjs: it reads none
 * of what is taken off here, and a proxy would cost it half of its throughput.
 */
export const config = {
  matcher: [
    '/((?!_next/static/|_next/image|favicon\\.ico$|(?:dev|v1|r|payments|metrics|healthz|readyz)(?:/|$)|api/(?!auth/)).*)',
  ],
};

/**
 * Stands before the pages: takes off what a caller may not claim, puts the security headers on the answer, and
 * shows strangers the way to the sign-in. Rights are checked behind it, in pages and procedures (D06, D16).
 */
export function proxy(request: NextRequest): NextResponse {
  const { pathname, search } = request.nextUrl;
  const { trustsProxies, sessionCookie, ...policy } = settings();
  const nonce = newNonce();
  const headers = securityHeaders(nonce, { ...policy, kind: answerKind(pathname) });
  const target = signInRedirect({
    pathname,
    search,
    method: request.method,
    hasSessionCookie: request.cookies.has(sessionCookie),
  });
  const response =
    target === null
      ? NextResponse.next({ request: { headers: forwarded(request, { nonce, headers, trustsProxies }) } })
      : NextResponse.redirect(new URL(target, request.nextUrl), 307);
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
}

interface Forwarding {
  nonce: string;
  headers: Readonly<Record<string, string>>;
  trustsProxies: boolean;
}

/** The request's headers as routes see them. Next takes the nonce from the policy; our layout from `x-nonce`. */
function forwarded(request: NextRequest, { nonce, headers, trustsProxies }: Forwarding): Headers {
  const seen = new Headers(request.headers);
  for (const name of strippedRequestHeaders(request.headers.keys(), trustsProxies)) seen.delete(name);
  seen.set('content-security-policy', headers['content-security-policy'] ?? '');
  seen.set('x-nonce', nonce);
  return seen;
}

function newNonce(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(18))).toString('base64');
}
