// The browser for the tests that need one. It is never skipped silently: no browser is a failure with one clear line.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { run } from './run.mjs';
import { isStamped, writeStamp } from './stamp.mjs';

const SYSTEM = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
];

/** Chromium as Playwright's own installer leaves it, newest first. */
function inPlaywrightCache() {
  const cache = process.env.PLAYWRIGHT_BROWSERS_PATH || join(homedir(), '.cache', 'ms-playwright');
  if (!existsSync(cache)) return [];
  return readdirSync(cache)
    .filter((name) => /^chromium-\d+$/.test(name))
    .sort((a, b) => Number(b.slice(9)) - Number(a.slice(9)))
    .flatMap((name) =>
      ['chrome-linux64', 'chrome-linux'].map((folder) => join(cache, name, folder, 'chrome')),
    );
}

/** A browser that is already on this machine, or `undefined`. */
export function installedBrowser() {
  if (process.env.CHROME_PATH) return process.env.CHROME_PATH;
  return [...SYSTEM, ...inPlaywrightCache()].find((path) => existsSync(path));
}

/** The packaged font list names folders of another machine; a page with a text input and no font at all crashes. */
function writeFonts(cache) {
  const folders = [join(cache, 'fonts', 'fonts'), '/usr/share/fonts'];
  const list = folders.map((folder) => `  <dir>${folder}</dir>`).join('\n');
  writeFileSync(
    join(cache, 'fonts', 'fonts.conf'),
    `<?xml version="1.0"?>\n<!DOCTYPE fontconfig SYSTEM "fonts.dtd">\n<fontconfig>\n${list}\n  <cachedir>${join(cache, 'fonts-cache')}</cachedir>\n</fontconfig>\n`,
  );
}

/** Chromium from the packages, unpacked once, with the system libraries it needs. */
async function packagedBrowser(root) {
  const manifest = join(root, 'node_modules', '@sparticuz', 'chromium', 'package.json');
  if (process.platform !== 'linux' || process.arch !== 'x64' || !existsSync(manifest)) return undefined;
  const cache = join(root, 'node_modules', '.cache', 'chromium');
  const stampFile = join(cache, '.stamp');
  const stamp = `${JSON.parse(readFileSync(manifest, 'utf8')).version} fonts 1`;
  const executablePath = join(cache, 'chromium');
  const env = { LD_LIBRARY_PATH: join(cache, 'al2023', 'lib'), FONTCONFIG_PATH: join(cache, 'fonts') };
  if (isStamped(stampFile, stamp) && existsSync(executablePath)) return { executablePath, env };
  rmSync(cache, { recursive: true, force: true });
  mkdirSync(cache, { recursive: true });
  // In a process of its own: the package reads where to unpack, and that its own libraries are wanted, from
  // the environment, and changes that environment when it is imported.
  const unpack = "import('@sparticuz/chromium').then(({ default: chromium }) => chromium.executablePath())";
  const { code, output } = await run(process.execPath, ['-e', unpack], {
    cwd: root,
    env: { ...process.env, TMPDIR: cache, AWS_LAMBDA_JS_RUNTIME: 'nodejs20.x' },
    quiet: true,
  });
  if (code !== 0 || !existsSync(executablePath)) {
    console.error(`hookladder: the packaged browser could not be unpacked. ${output}`);
    return undefined;
  }
  writeFonts(cache);
  writeStamp(stampFile, stamp);
  return { executablePath, env };
}

/**
 * Finds a browser: CHROME_PATH, the system's, Playwright's, the packaged one.
 * Returns `{ executablePath, env }`, or `undefined` when there is none.
 */
export async function findBrowser(root) {
  const executablePath = installedBrowser();
  if (executablePath) return existsSync(executablePath) ? { executablePath, env: {} } : undefined;
  return packagedBrowser(root);
}
