// npm test: everything that must hold, set-up included. npm run verify (--verify): the fast half.
// The last line is the sum over all runners: "N passed, N failed".
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureInstall, requireNode, say } from './lib/prepare.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

requireNode();
process.chdir(root);
await ensureInstall(root);

// What is set for the product on this machine must not steer its tests.
for (const name of Object.keys(process.env)) {
  if (/^(HOOKLADDER_|DATABASE_URL$|PUBLIC_URL$|PORT$|HOST$|SMTP_URL$|MAIL_FROM$|NODE_ENV$)/.test(name)) {
    delete process.env[name];
  }
}
process.env.NEXT_TELEMETRY_DISABLED = '1';

const { ALL, FAST } = await import('./lib/checks.mjs');
const checks = process.argv.includes('--verify') ? FAST : ALL;
const sum = { passed: 0, failed: 0, skipped: 0 };
const lines = [];

for (const check of checks) {
  say(`${check.name} …`);
  const { passed, failed, skipped = 0 } = await check.run(root);
  sum.passed += passed;
  sum.failed += failed;
  sum.skipped += skipped;
  lines.push(
    `  ${failed === 0 ? 'ok    ' : 'FAILED'} ${check.name}: ${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`,
  );
}

console.log(`\n${lines.join('\n')}\n`);
console.log(`${sum.passed} passed, ${sum.failed} failed`);
process.exitCode = sum.failed === 0 ? 0 : 1;
