// The headers on every answer (D16). Pure: `proxy.ts` puts them on pages, which need a nonce, and on the sign-in;
// `next.config.mjs` puts the same data on all else, because a proxy before it would halve what the API can take.
import answerHeaders from './answer-headers.json';

export interface HeaderSettings {
  /** `next dev`: React and the bundler need eval and inline styles there. */
  development: boolean;
  /** PUBLIC_URL is https. */
  https: boolean;
}

/** `page` is HTML of ours, `api` an answer for programs, `asset` a file that may be kept. */
export type AnswerKind = 'page' | 'api' | 'asset';

const PROGRAMS = /^\/(api|dev|v1|r|payments|metrics|healthz|readyz)(\/|$)/;
const ASSETS = /^\/_next\/(static|image)(\/|$)|^\/favicon\.ico$|^\/[\w-]+\.(svg|png|ico|txt|webmanifest)$/;
/** What kind of answer a path gets. */
export function answerKind(pathname: string): AnswerKind {
  if (PROGRAMS.test(pathname)) return 'api';
  return ASSETS.test(pathname) ? 'asset' : 'page';
}

/** The Content-Security-Policy of a page; Next reads the nonce from the request's copy of it. D16. */
export function contentSecurityPolicy(nonce: string, settings: HeaderSettings): string {
  const { development } = settings;
  const styles = development ? "'self' 'unsafe-inline'" : `'self' 'nonce-${nonce}'`;
  return [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${development ? " 'unsafe-eval'" : ''}`,
    "script-src-attr 'none'",
    `style-src ${styles}`,
    `style-src-elem ${styles}`,
    // Charts and Mantine place elements by style attributes; an attribute cannot load anything (img-src, font-src).
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src 'self'${development ? ' ws:' : ''}`,
    "frame-src 'none'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/**
 * The security headers of an answer, by lower-case name. `nonce` counts for pages alone. D16.
 */
export function securityHeaders(
  nonce: string,
  settings: HeaderSettings & { kind: AnswerKind },
): Readonly<Record<string, string>> {
  const { kind } = settings;
  return {
    ...answerHeaders.every,
    ...(settings.https ? answerHeaders.overHttps : {}),
    ...(kind === 'page'
      ? { 'content-security-policy': contentSecurityPolicy(nonce, settings) }
      : answerHeaders.noPage),
    ...(kind === 'asset' ? {} : answerHeaders.notKept),
  };
}

const NEVER = ['x-middleware-subrequest', 'x-original-url', 'x-rewrite-url'];

/**
 * Names of request headers that are taken off before anything reads them (D06): a caller may claim neither a
 * middleware's pass nor another URL, nor, unless proxies are trusted, an address or a host.
 */
export function strippedRequestHeaders(names: Iterable<string>, trustsProxies: boolean): readonly string[] {
  return [...names].filter((name) => {
    const lower = name.toLowerCase();
    if (NEVER.includes(lower)) return true;
    if (lower === 'x-forwarded-for') return !trustsProxies;
    return lower.startsWith('x-forwarded-') || lower === 'forwarded' || lower === 'x-real-ip';
  });
}

const OPEN_PAGES = /^\/(sign-in|docs)(\/|$)/;

/**
 * Where a page without a session cookie sends its reader; null: nowhere. A courtesy only, the check is in pages
 * and procedures (D06). The wish is kept in `next`, which names a path of ours by construction.
 */
export function signInRedirect(request: {
  pathname: string;
  search: string;
  method: string;
  hasSessionCookie: boolean;
}): string | null {
  const { pathname, search, method } = request;
  if (request.hasSessionCookie || (method !== 'GET' && method !== 'HEAD')) return null;
  if (answerKind(pathname) !== 'page' || pathname.startsWith('/_next/') || OPEN_PAGES.test(pathname))
    return null;
  if (pathname === '/' && search === '') return '/sign-in';
  return `/sign-in?next=${encodeURIComponent(pathname + search)}`;
}
