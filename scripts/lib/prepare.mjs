// Node's own modules only: this runs before node_modules exist.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './run.mjs';
import { buildStamp, installStamp, isStamped, writeStamp } from './stamp.mjs';

export const NEXT_BIN = 'node_modules/next/dist/bin/next';
const MINIMUM_NODE = [20, 19];

export const say = (line) => console.log(`hookladder: ${line}`);

/** Ends the process with one clear line when this Node is too old to run the product. */
export function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const [needMajor, needMinor] = MINIMUM_NODE;
  if (major > needMajor || (major === needMajor && minor >= needMinor)) return;
  console.error(
    `hookladder: needs Node.js ${MINIMUM_NODE.join('.')} or newer, this is ${process.versions.node}.`,
  );
  process.exit(1);
}

/** Installs the packages when the lock file, the Node ABI or the platform changed since the last time. */
export async function ensureInstall(root) {
  const file = join(root, 'node_modules', '.stamp');
  const stamp = installStamp(root);
  if (isStamped(file, stamp)) return;
  say('installing packages (a few minutes the first time: one native part is compiled) …');
  const { code } = await run('npm', ['ci', '--include=dev', '--no-audit', '--no-fund'], { cwd: root });
  if (code !== 0) {
    console.error(
      'hookladder: npm ci failed. It needs the package registry, and python3, make and a C++ compiler for better-sqlite3.',
    );
    process.exit(code);
  }
  writeStamp(file, stamp);
}

/** Builds the console when its sources changed since the last build. Returns whether it built. */
export async function ensureBuild(root, { force = false } = {}) {
  const file = join(root, '.next', '.stamp');
  const stamp = buildStamp(root);
  if (!force && isStamped(file, stamp) && existsSync(join(root, '.next', 'BUILD_ID'))) return false;
  say('building the console (about a minute) …');
  rmSync(file, { force: true });
  const { code } = await run(process.execPath, [NEXT_BIN, 'build'], {
    cwd: root,
    env: { ...process.env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' },
  });
  if (code !== 0) {
    console.error('hookladder: next build failed, see above.');
    process.exit(code);
  }
  writeStamp(file, stamp);
  return true;
}
