import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
let house: string;
let violations: ReadonlySet<string>;

const uses = (...from: string[]) =>
  from.map((name, n) => `import * as i${n} from '${name}';\nexport const o${n} = i${n};\n`).join('');

/** Files that the planted imports point at. */
const TARGETS: Record<string, string> = {
  'server/core/model.ts': 'export const x = 1;\n',
  'server/core/hash.ts': uses('node:crypto'),
  'server/ports/store.ts': 'export interface Store {\n  x: number;\n}\nexport const y = 1;\n',
  'server/services/contract.ts': uses('zod'),
  'server/services/events.ts': uses('@/server/core/model'),
  'server/engine/engine.ts': uses('@/server/core/model', '@/server/ports/store'),
  'server/adapters/dispatcher.ts': uses('undici', 'node:dns', '@/server/core/model'),
  'server/testing/fake-clock.ts': uses('@/server/core/model', '@/db/sqlite/connect'),
  'server/container.ts': uses(
    '@/server/env',
    '@/db/sqlite/connect',
    '@/server/adapters/dispatcher',
    '@/server/api/caller',
  ),
  'server/worker.ts': uses('@/server/container'),
  'server/env.ts': uses('zod', 'ipaddr.js', 'node:fs'),
  'server/api/caller.ts': uses('@/server/services/events', '@trpc/server'),
  'server/auth/auth.ts': uses('better-auth'),
  'db/sqlite/connect.ts': uses('better-sqlite3', 'drizzle-orm', 'node:path', '@/server/core/model'),
  'components/ui/pill.tsx': uses(
    'react',
    '@mantine/core',
    'next/link',
    '@/server/core/model',
    '@/server/services/contract',
  ),
  'components/auth/form.tsx': uses('better-auth/react'),
  'app/page.tsx': uses(
    '@/components/ui/pill',
    '@/server/api/caller',
    '@/server/container',
    'next/navigation',
  ),
  'instrumentation.ts': uses('@/server/container'),
  'scripts/admin.ts': uses('@/server/container', '@/db/sqlite/connect', 'undici'),
  'server/core/model.test.ts': uses('@/server/testing/fake-clock', 'fast-check', 'undici'),
  'db/schema/generic.ts': 'export const f = <T>(name: string) => name as T;\n',
  'server/engine-thread.ts': uses('@/server/container', '@/server/env'),
  // Types are erased: they bind nobody.
  'components/ui/types.ts':
    "import type { Store } from '@/server/ports/store';\nimport type { Client } from 'undici';\nexport type T = [Store, Client];\n",
};

const PLANTED: ReadonlyArray<readonly [rule: string, file: string, imports: readonly string[]]> = [
  ['core-is-pure', 'server/core/bad-zod.ts', ['zod']],
  ['core-is-pure', 'server/core/bad-fs.ts', ['node:fs']],
  ['core-is-pure', 'server/core/bad-port.ts', ['@/server/ports/store']],
  ['ports-are-interfaces', 'server/ports/bad.ts', ['@/server/services/events']],
  ['engine-knows-ports', 'server/engine/bad.ts', ['@/server/services/events']],
  ['engine-knows-ports', 'server/engine/bad-db.ts', ['@/db/sqlite/connect']],
  ['services-know-ports', 'server/services/bad.ts', ['@/server/engine/engine']],
  ['services-know-ports', 'server/services/bad-crypto.ts', ['node:crypto']],
  ['adapters-touch-the-outside', 'server/adapters/bad.ts', ['@/server/services/events']],
  ['db-is-the-store', 'db/bad.ts', ['@/server/services/events']],
  ['db-is-the-store', 'db/bad-zod.ts', ['zod']],
  ['faces-translate', 'server/api/bad.ts', ['@/db/sqlite/connect']],
  ['faces-translate', 'server/auth/bad.ts', ['@/server/core/model']],
  ['env-reads-only', 'server/env.ts', ['@/server/services/events']],
  ['app-composes', 'app/bad.ts', ['@/server/services/events']],
  ['components-draw', 'components/bad.ts', ['@/server/api/caller']],
  ['browser-code-has-no-node', 'components/bad-node.ts', ['@/server/core/hash']],
  ['sql-lives-in-db', 'server/adapters/bad-sql.ts', ['drizzle-orm']],
  ['http-client-lives-in-adapters', 'server/api/bad-undici.ts', ['undici']],
  ['http-client-lives-in-adapters', 'server/auth/bad-dns.ts', ['node:dns/promises']],
  ['next-stays-at-the-edge', 'server/api/bad-next.ts', ['next/headers']],
  ['better-auth-stays-in-auth', 'server/api/bad-auth.ts', ['better-auth']],
  ['react-stays-in-the-console', 'server/api/bad-react.ts', ['react']],
  ['composition-root', 'server/api/bad-container.ts', ['@/server/container']],
  ['environment-is-read-once', 'server/adapters/bad-env.ts', ['@/server/env']],
  ['testing-is-for-tests', 'server/container.ts', ['@/server/testing/fake-clock']],
  ['tests-are-leaves', 'server/core/bad-test.ts', ['@/server/core/model.test']],
  ['no-cycles', 'server/engine/cycle-a.ts', ['@/server/engine/cycle-b']],
  ['no-dev-packages-in-the-product', 'server/adapters/bad-dev.ts', ['fast-check']],
  ['not-to-unresolvable', 'server/engine/bad-path.ts', ['@/server/engine/nowhere']],
];

function write(file: string, source: string): void {
  mkdirSync(join(house, dirname(file)), { recursive: true });
  writeFileSync(join(house, file), source);
}

/** Every violation as `rule from-file`. */
function cruise(): ReadonlySet<string> {
  const folders = ['app', 'components', 'server', 'db', 'scripts', 'instrumentation.ts'];
  const { stdout, stderr } = spawnSync(
    join(root, 'node_modules/.bin/depcruise'),
    ['--config', '.dependency-cruiser.cjs', '--output-type', 'json', ...folders],
    { cwd: house, encoding: 'utf8', maxBuffer: 1 << 28 },
  );
  if (!stdout.startsWith('{')) throw new Error(`dependency-cruiser did not run: ${stderr}${stdout}`);
  const report = JSON.parse(stdout) as {
    summary: { violations: { rule: { name: string }; from: string }[] };
  };
  return new Set(report.summary.violations.map(({ rule, from }) => `${rule.name} ${from}`));
}

beforeAll(() => {
  house = mkdtempSync(join(tmpdir(), 'hookladder-house-'));
  for (const name of [
    '.dependency-cruiser.cjs',
    'tsconfig.json',
    'tsconfig.boundaries.json',
    'package.json',
  ]) {
    cpSync(join(root, name), join(house, name));
  }
  symlinkSync(join(root, 'node_modules'), join(house, 'node_modules'));
  for (const [file, source] of Object.entries(TARGETS)) write(file, source);
  write('server/engine/cycle-b.ts', uses('@/server/engine/cycle-a'));
  for (const [, file, imports] of PLANTED)
    write(file, (TARGETS[file] ?? '') + uses(...imports).replaceAll(/([io])(\d)/g, '$1x$2'));
  violations = cruise();
});

afterAll(() => rmSync(house, { recursive: true, force: true }));

describe('the boundaries', () => {
  it.each(PLANTED)('HOUSE-3 %s refuses what is planted in %s', (rule, file) => {
    expect([...violations]).toContain(`${rule} ${file}`);
  });

  it('HOUSE-3 what the table allows is allowed, types apart', () => {
    const planted = new Set([...PLANTED.map(([, file]) => file), 'server/engine/cycle-b.ts']);
    const others = [...violations].filter((line) => !planted.has(line.split(' ')[1] ?? ''));
    expect(others).toEqual([]);
  });
});
