import { readFileSync } from 'node:fs';

const { every, overHttps, noPage, notKept } = JSON.parse(
  readFileSync(new URL('./server/auth/answer-headers.json', import.meta.url), 'utf8'),
);
const programs = ['dev', 'v1', 'r', 'payments', 'metrics', 'healthz', 'readyz', 'api/dispatch'];
const assets = ['_next/static', '_next/image', 'favicon.ico'];
// Its stream says `no-transform` for itself: a header from here would replace that, and gzip would hold it back.
const streams = ['api/trpc'];
const https = [{ type: 'header', key: 'x-forwarded-proto', value: 'https' }];

/** The headers that proxy.ts does not put on (D16): of answers that are no pages. */
function headersAt(path, ...parts) {
  const source = `/${path}/:path*`;
  const list = (part) => Object.entries(part).map(([key, value]) => ({ key, value }));
  return [
    { source, headers: parts.flatMap(list) },
    { source, has: https, headers: list(overHttps) },
  ];
}

/** @type {import('next').NextConfig} */
const config = {
  agentRules: false,
  poweredByHeader: false,
  // Types are checked by `npm run typecheck`, tests and scripts included; a build need not do it again.
  typescript: { ignoreBuildErrors: true },
  serverExternalPackages: ['better-sqlite3', 'undici', 'pg', 'pino'],
  headers: async () => [
    ...programs.flatMap((path) => headersAt(path, every, noPage, notKept)),
    ...[...streams, ...assets].flatMap((path) => headersAt(path, every, noPage)),
  ],
  experimental: {
    // Keeps .next at a quarter of the size; a build starts from the sources anyway (scripts/start.mjs).
    turbopackFileSystemCacheForBuild: false,
  },
};

export default config;
