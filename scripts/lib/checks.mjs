// The checks that `npm test` runs, each a function that resolves with how many tests passed and failed.
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { findBrowser } from './browser.mjs';
import { ensureBuild, NEXT_BIN } from './prepare.mjs';
import { run } from './run.mjs';

const BOUNDED = ['app', 'components', 'server', 'db', 'scripts', 'proxy.ts', 'instrumentation.ts'];
const bin = (root, name) => join(root, 'node_modules', '.bin', name);

/** A check that holds or does not: one test, its output shown only when it fails. */
function yesOrNo(name, commands) {
  return {
    name,
    async run(root) {
      for (const [command, ...args] of commands(root)) {
        const { code, output } = await run(command, args, { cwd: root, quiet: true });
        if (code !== 0) {
          console.log(output.trimEnd());
          return { passed: 0, failed: 1 };
        }
      }
      return { passed: 1, failed: 0 };
    },
  };
}

/** A report written by a runner, or `undefined` when the runner never came so far. */
function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** A runner that ended badly without a failed test (it broke, or found none) still counts as one failure. */
function honest({ passed, failed, skipped = 0 }, code) {
  return { passed, skipped, failed: failed === 0 && (code !== 0 || passed === 0) ? 1 : failed };
}

/** Totals of a vitest JSON report; a file that could not even be loaded is one failure. */
export function vitestTotals(report, code) {
  if (!report) return { passed: 0, failed: 1 };
  const unloaded = report.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.length === 0,
  ).length;
  const skipped = report.numPendingTests + (report.numTodoTests ?? 0);
  return honest({ passed: report.numPassedTests, failed: report.numFailedTests + unloaded, skipped }, code);
}

/** Totals of a Playwright JSON report; what passed only on a second try has failed. */
export function playwrightTotals(report, code) {
  if (!report) return { passed: 0, failed: 1 };
  const { expected, unexpected, flaky, skipped } = report.stats;
  return honest({ passed: expected, failed: unexpected + flaky, skipped }, code);
}

const types = yesOrNo('types', (root) => [
  [process.execPath, NEXT_BIN, 'typegen'],
  [bin(root, 'tsc'), '--noEmit'],
]);
const lint = yesOrNo('lint', (root) => [[bin(root, 'biome'), 'check', '--error-on-warnings', '.']]);
const boundaries = yesOrNo('boundaries', (root) => [
  [
    bin(root, 'depcruise'),
    '--config',
    '.dependency-cruiser.cjs',
    ...BOUNDED.filter((path) => existsSync(join(root, path))),
  ],
]);
const deadCode = yesOrNo('dead code', (root) => [[bin(root, 'knip')]]);

const unit = {
  name: 'unit and store',
  async run(root) {
    const file = join(root, 'test-results', 'unit.json');
    rmSync(file, { force: true });
    const args = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
    const { code } = await run(bin(root, 'vitest'), args, { cwd: root });
    return vitestTotals(readReport(file), code);
  },
};

const build = {
  name: 'build',
  async run(root) {
    await ensureBuild(root);
    return { passed: 1, failed: 0 };
  },
};

const browser = {
  name: 'browser',
  async run(root) {
    const folder = join(root, 'e2e');
    if (
      !existsSync(folder) ||
      !readdirSync(folder, { recursive: true }).some((name) => /\.spec\.ts$/.test(name))
    ) {
      console.log('no tests in e2e/');
      return { passed: 0, failed: 1 };
    }
    if (!(await findBrowser(root))) {
      console.log('no browser: install chromium, or name one with CHROME_PATH');
      return { passed: 0, failed: 1 };
    }
    const file = join(root, 'test-results', 'e2e.json');
    rmSync(file, { force: true });
    const { code } = await run(bin(root, 'playwright'), ['test'], { cwd: root });
    return playwrightTotals(readReport(file), code);
  },
};

/** The inner loop: seconds, no build, no browser. */
export const FAST = [types, lint, boundaries, deadCode, unit];
/** What must hold before a change is taken. */
export const ALL = [...FAST, build, browser];
