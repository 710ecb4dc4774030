// What the launcher must know before anything is installed. Everything else is read in server/env.ts.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Written into a data folder that was made as a demo: such a folder is one for ever. */
const DEMO_MARKER = 'demo.json';

function isEmpty(folder) {
  return !existsSync(folder) || readdirSync(folder).every((name) => name.startsWith('.'));
}

/**
 * Whether this start is the demo's: said so, or a data folder that is a demo, or none at all and no database named.
 * Returns `'1'`, `'0'` or, where nobody said and the folder holds something else, `undefined`.
 */
export function demoSetting(env, folder) {
  if (env.HOOKLADDER_DEMO) return env.HOOKLADDER_DEMO;
  if (env.DATABASE_URL) return undefined;
  return existsSync(join(folder, DEMO_MARKER)) || isEmpty(folder) ? '1' : undefined;
}

/** The environment of the server: what was given, with demo, port and host spelled out. */
export function serverEnv(env, { root, dev }) {
  const demo = demoSetting(env, join(root, 'data'));
  return {
    ...env,
    ...(demo === undefined ? {} : { HOOKLADDER_DEMO: demo }),
    PORT: env.PORT || '3000',
    HOST: env.HOST || (demo === '1' ? '127.0.0.1' : '0.0.0.0'),
    NODE_ENV: dev ? 'development' : 'production',
    NEXT_MANUAL_SIG_HANDLE: 'true',
    NEXT_TELEMETRY_DISABLED: '1',
  };
}
