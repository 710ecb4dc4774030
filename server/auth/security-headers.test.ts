import type { NextConfig } from 'next';
import { describe, expect, it } from 'vitest';
import { config as proxyConfig } from '@/proxy';
import {
  answerKind,
  contentSecurityPolicy,
  securityHeaders,
  signInRedirect,
  strippedRequestHeaders,
} from './security-headers';

const configFile: string = '@/next.config.mjs';
const { default: nextConfig }: { default: NextConfig } = await import(configFile);
const production = { development: false, https: true };

const proxied = (path: string) => new RegExp(`^${proxyConfig.matcher[0]}$`).test(path);
/** What next.config.mjs puts on a path, by whether a proxy in front says that it speaks https. */
async function configured(path: string, https: boolean): Promise<Record<string, string>> {
  const rules = ((await nextConfig.headers?.()) ?? []).filter(
    ({ source, has = [] }) =>
      new RegExp(`^${source.replace('/:path*', '(/.*)?')}$`).test(path) &&
      has.every(({ key, value }) => https && key === 'x-forwarded-proto' && value === 'https'),
  );
  return Object.fromEntries(rules.flatMap(({ headers }) => headers.map(({ key, value }) => [key, value])));
}

/** A policy as a map from directive to its words. */
function directives(policy: string): Map<string, string[]> {
  return new Map(
    policy.split('; ').map((part) => {
      const [name = '', ...words] = part.split(' ');
      return [name, words];
    }),
  );
}

describe('the headers on every answer', () => {
  it.each(['page', 'api', 'asset'] as const)('D16 %s: none is missing', (kind) => {
    const headers = securityHeaders('bm9uY2U', { ...production, kind });
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['referrer-policy']).toBe('same-origin');
    expect(headers['permissions-policy']).toContain('camera=()');
    expect(headers['cross-origin-opener-policy']).toBe('same-origin');
    expect(headers['strict-transport-security']).toBe('max-age=63072000; includeSubDomains');
    const policy = directives(headers['content-security-policy'] ?? '');
    expect(policy.get('base-uri')).toEqual(["'none'"]);
    expect(policy.get('frame-ancestors')).toEqual(["'none'"]);
  });

  it('D16 pages and answers for programs are not stored, files are', () => {
    const cache = (kind: 'page' | 'api' | 'asset') =>
      securityHeaders('n', { ...production, kind })['cache-control'];
    expect([cache('page'), cache('api'), cache('asset')]).toEqual(['no-store', 'no-store', undefined]);
  });

  it('D16 no HSTS over http', () => {
    const headers = securityHeaders('n', { development: false, https: false, kind: 'page' });
    expect(headers).not.toHaveProperty('strict-transport-security');
  });

  it('D16 scripts of a page need the nonce; nothing inline, nothing evaluated', () => {
    const policy = directives(contentSecurityPolicy('bm9uY2U', production));
    expect(policy.get('script-src')).toEqual(["'self'", "'nonce-bm9uY2U'", "'strict-dynamic'"]);
    expect(policy.get('style-src-elem')).toEqual(["'self'", "'nonce-bm9uY2U'"]);
    expect(policy.get('style-src-attr')).toEqual(["'unsafe-inline'"]);
    expect(policy.get('object-src')).toEqual(["'none'"]);
    expect(policy.get('form-action')).toEqual(["'self'"]);
    const unsafe = [...policy].filter(([, words]) => words.some((word) => word.startsWith("'unsafe")));
    expect(unsafe.map(([name]) => name)).toEqual(['style-src-attr']);
  });

  it('D16 development alone may evaluate', () => {
    const policy = directives(contentSecurityPolicy('n', { development: true, https: false }));
    expect(policy.get('script-src')).toContain("'unsafe-eval'");
    expect(policy.get('style-src-elem')).toContain("'unsafe-inline'");
  });

  it('D16 an answer for programs loads nothing at all', () => {
    const headers = securityHeaders('n', { ...production, kind: 'api' });
    expect(headers['content-security-policy']).toContain("default-src 'none'");
  });

  it.each([
    ['/', 'page'],
    ['/app_1/live/deliveries', 'page'],
    ['/docs/api', 'page'],
    ['/sign-in', 'page'],
    ['/developers', 'page'],
    ['/nothing-here.php', 'page'],
    ['/api/trpc/me', 'api'],
    ['/api/dispatch', 'api'],
    ['/dev/apps', 'api'],
    ['/dev/openapi.json', 'api'],
    ['/v1/webhooks/x/replay', 'api'],
    ['/r/token', 'api'],
    ['/metrics', 'api'],
    ['/healthz', 'api'],
    ['/_next/static/chunks/a.js', 'asset'],
    ['/favicon.ico', 'asset'],
  ])('D16 %s is answered as %s', (path, kind) => {
    expect(answerKind(path)).toBe(kind);
  });
});

describe('who puts them on', () => {
  it.each([
    '/',
    '/sign-in',
    '/app_1/live/deliveries',
    '/developers',
    '/docs/api',
    '/nothing-here.php',
    '/rooms',
    '/api/auth/sign-in/email',
  ])('D16 D06 %s goes through the proxy', async (path) => {
    expect(proxied(path)).toBe(true);
    expect(await configured(path, true)).toEqual({});
  });

  it.each([
    '/dev/apps',
    '/dev/openapi.json',
    '/v1/webhooks/x/replay',
    '/r/token',
    '/payments/pi_1',
    '/metrics',
    '/healthz',
    '/readyz',
    '/api/dispatch',
    '/_next/static/chunks/a.js',
    '/_next/image',
    '/favicon.ico',
  ])('D16 %s gets the same headers without it', async (path) => {
    expect(proxied(path)).toBe(false);
    const kind = answerKind(path);
    for (const https of [true, false]) {
      expect(await configured(path, https)).toEqual(securityHeaders('', { development: false, https, kind }));
    }
  });
});

describe('what streams', () => {
  it('D16 keeps the cache header that it sets itself, which also forbids compressing it', async () => {
    const { 'cache-control': _, ...expected } = securityHeaders('', { ...production, kind: 'api' });
    expect(proxied('/api/trpc/live.changes')).toBe(false);
    expect(await configured('/api/trpc/live.changes', true)).toEqual(expected);
  });
});

describe('what a caller may not claim', () => {
  const sent = [
    'Accept',
    'X-Middleware-Subrequest',
    'x-forwarded-for',
    'x-forwarded-host',
    'x-forwarded-proto',
    'x-original-url',
    'cookie',
  ];

  it('D06 no pass, no other URL, no address, no host', () => {
    expect(strippedRequestHeaders(sent, false)).toEqual([
      'X-Middleware-Subrequest',
      'x-forwarded-for',
      'x-forwarded-host',
      'x-forwarded-proto',
      'x-original-url',
    ]);
  });

  it('D30 behind trusted proxies the address stays, and nothing else', () => {
    expect(strippedRequestHeaders(sent, true)).not.toContain('x-forwarded-for');
    expect(strippedRequestHeaders(sent, true)).toContain('x-forwarded-host');
  });
});

describe('the way to sign in', () => {
  const page = { pathname: '/', search: '', method: 'GET', hasSessionCookie: false };

  it.each([
    [{ ...page }, '/sign-in'],
    [
      { ...page, pathname: '/app_1/live/deliveries', search: '?status=failed&type=a.b' },
      '/sign-in?next=%2Fapp_1%2Flive%2Fdeliveries%3Fstatus%3Dfailed%26type%3Da.b',
    ],
    [{ ...page, hasSessionCookie: true }, null],
    [{ ...page, method: 'POST' }, null],
    [{ ...page, pathname: '/sign-in' }, null],
    [{ ...page, pathname: '/docs/api' }, null],
    [{ ...page, pathname: '/dev/apps' }, null],
    [{ ...page, pathname: '/api/trpc/me' }, null],
    [{ ...page, pathname: '/_next/static/a.js' }, null],
    [{ ...page, pathname: '/healthz' }, null],
  ])('D06 %j is sent to %s', (request, expected) => {
    expect(signInRedirect(request)).toBe(expected);
  });
});
