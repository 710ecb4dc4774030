// What the launcher must know before anything is installed. Everything else is read in server/env.ts.
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Written into a data folder that was made as a demo: such a folder is one for ever. */
const DEMO_MARKER = 'demo.json';

function isEmpty(folder) {
  return !existsSync(folder) || readdirSync(folder).every((name) => name.startsWith('.'));
}

/** The folder that the database lies in, or `undefined` when it is no file. */
function dataFolder(env, root) {
  if (!env.DATABASE_URL) return join(root, 'data');
  const path = /^file:(?:\/\/(?=\/))?(.+)$/.exec(env.DATABASE_URL)?.[1];
  return path === undefined ? undefined : dirname(resolve(root, path));
}

/**
 * Whether this start is the demo's: said so, or a data folder that is a demo, or none at all and no database named.
 * Returns what was said, `'1'`, or `undefined` when nothing makes it a demo.
 */
export function demoSetting(env, root) {
  if (env.HOOKLADDER_DEMO) return env.HOOKLADDER_DEMO;
  const folder = dataFolder(env, root);
  if (folder === undefined) return undefined;
  if (existsSync(join(folder, DEMO_MARKER))) return '1';
  return !env.DATABASE_URL && isEmpty(folder) ? '1' : undefined;
}

/** The environment of the server: what was given, with demo, port and host spelled out. */
export function serverEnv(env, { root, dev }) {
  const demo = demoSetting(env, root);
  return {
    ...env,
    ...(demo === undefined ? {} : { HOOKLADDER_DEMO: demo }),
    PORT: env.PORT || '3000',
    HOST: env.HOST || (demo === '1' ? '127.0.0.1' : '0.0.0.0'),
    NODE_ENV: dev ? 'development' : 'production',
    // Look-ups of names run on these threads; two name servers that hang must not hold back everyone's.
    UV_THREADPOOL_SIZE: env.UV_THREADPOOL_SIZE || '64',
    NEXT_MANUAL_SIG_HANDLE: 'true',
    NEXT_TELEMETRY_DISABLED: '1',
  };
}
