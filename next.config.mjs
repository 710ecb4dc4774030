/** @type {import('next').NextConfig} */
const config = {
  agentRules: false,
  poweredByHeader: false,
  serverExternalPackages: ['better-sqlite3', 'undici', 'pg', 'pino'],
  experimental: {
    // Keeps .next at a quarter of the size; a build starts from the sources anyway (scripts/start.mjs).
    turbopackFileSystemCacheForBuild: false,
  },
};

export default config;
