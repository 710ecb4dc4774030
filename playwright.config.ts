import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from '@playwright/test';
import { findBrowser } from './scripts/lib/browser.mjs';

const root = fileURLToPath(new URL('.', import.meta.url));
const port = Number(process.env.E2E_PORT ?? 3717);
const baseURL = `http://127.0.0.1:${port}`;
const browser = await findBrowser(root);

export default defineConfig({
  testDir: './e2e',
  outputDir: './test-results/e2e',
  forbidOnly: true,
  fullyParallel: false,
  workers: 1,
  retries: 0,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  reporter: [['list'], ['json', { outputFile: 'test-results/e2e.json' }]],
  use: {
    baseURL,
    locale: 'en-GB',
    timezoneId: 'UTC',
    screenshot: 'only-on-failure',
    // A trace costs more time than all else together: E2E_TRACE=1 keeps those of failed tests.
    trace: process.env.E2E_TRACE ? 'retain-on-failure' : 'off',
    launchOptions: {
      executablePath: browser?.executablePath,
      env: { ...definedOnly(process.env), ...browser?.env },
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
  webServer: existsSync(`${root}e2e/server.mjs`)
    ? {
        command: 'exec node e2e/server.mjs',
        url: `${baseURL}/healthz`,
        env: { PORT: String(port), HOST: '127.0.0.1', PUBLIC_URL: baseURL },
        // It builds the console first where its sources have changed.
        timeout: 300_000,
        reuseExistingServer: false,
        gracefulShutdown: { signal: 'SIGTERM', timeout: 20_000 },
        stdout: 'ignore',
        stderr: 'pipe',
      }
    : undefined,
});

/** Playwright wants strings; what is not set is left out. */
function definedOnly(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
