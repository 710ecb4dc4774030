// The built product for the browser tests: an installation of its own in a fresh folder, not the demo, with what the
// commands of an operator make. SIGTERM ends it and takes the folder away.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createWriteStream, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureBuild, NEXT_BIN } from '../scripts/lib/prepare.mjs';
import { run } from '../scripts/lib/run.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
process.chdir(root);
process.umask(0o077);

const port = process.env.PORT ?? '3717';
const results = join(root, 'test-results');
const folder = mkdtempSync(join(tmpdir(), 'hookladder-e2e-'));
const removeFolder = () => rmSync(folder, { recursive: true, force: true });
process.on('exit', removeFolder);

await ensureBuild(root);

const env = {
  ...process.env,
  NODE_ENV: 'production',
  NEXT_MANUAL_SIG_HANDLE: 'true',
  NEXT_TELEMETRY_DISABLED: '1',
  HOST: '127.0.0.1',
  PORT: port,
  PUBLIC_URL: process.env.PUBLIC_URL ?? `http://127.0.0.1:${port}`,
  DATABASE_URL: `file:${join(folder, 'hookladder.db')}`,
  HOOKLADDER_DEMO: '0',
  HOOKLADDER_MASTER_KEY: randomBytes(32).toString('base64'),
  HOOKLADDER_SESSION_SECRET: randomBytes(32).toString('base64'),
  // The receivers that the tests start; the product's own port stays refused (R-ATT-16).
  HOOKLADDER_ALLOW_NETWORKS: '127.0.0.0/8',
  E2E_FACTS: join(results, `e2e-${port}.json`),
};

for (const script of ['scripts/prepare.ts', 'e2e/set-up.ts']) {
  const { code, output } = await run(process.execPath, ['--import', 'tsx', script], { env, quiet: true });
  if (code !== 0) {
    console.error(`${script} failed: ${output}`);
    process.exit(1);
  }
}

mkdirSync(results, { recursive: true });
const log = createWriteStream(join(results, `e2e-${port}.log`), { mode: 0o600 });
const server = spawn(process.execPath, [NEXT_BIN, 'start', '-p', port, '-H', env.HOST], {
  env,
  stdio: ['ignore', 'pipe', 'pipe'],
});
server.stdout.pipe(log, { end: false });
server.stderr.pipe(log, { end: false });
server.stderr.pipe(process.stderr, { end: false });
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => server.kill('SIGTERM'));
server.on('exit', (code, signal) => {
  log.write(`ended with ${code ?? signal}\n`);
  process.exit(code ?? 1);
});
