// npm start: install if needed, build if needed, migrate, make the demo on first start, serve.
// Node's own modules only: this runs before node_modules exist.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureBuild, ensureInstall, NEXT_BIN, requireNode, say } from './lib/prepare.mjs';
import { run, runAsUs } from './lib/run.mjs';
import { serverEnv } from './lib/settings.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dev = process.argv.includes('--dev');
const PREPARE = 'scripts/prepare.ts';

requireNode();
process.chdir(root);
if (existsSync('.env')) process.loadEnvFile('.env');

await ensureInstall(root);
if (!dev) await ensureBuild(root);

// What is made from here on, the database first of all, is its owner's alone.
process.umask(0o077);
const env = serverEnv(process.env, { root, dev });
say(
  env.HOOKLADDER_DEMO === '1'
    ? 'DEMO: everything it needs is made in ./data; it listens on this machine only.'
    : `data in ${env.DATABASE_URL ? 'the database that DATABASE_URL names' : './data'}.`,
);

if (existsSync(join(root, PREPARE))) {
  const { code } = await run(process.execPath, ['--import', 'tsx', PREPARE], { cwd: root, env });
  if (code !== 0) process.exit(code);
}

const shown = env.HOST.includes(':') ? `[${env.HOST}]` : env.HOST;
say(`serving on http://${shown}:${env.PORT} (Ctrl-C stops it)`);
runAsUs(process.execPath, [NEXT_BIN, dev ? 'dev' : 'start', '-p', env.PORT, '-H', env.HOST], {
  cwd: root,
  env,
});
