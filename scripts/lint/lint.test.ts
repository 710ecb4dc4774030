import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
let house: string;

const PLANTED: ReadonlyArray<readonly [file: string, source: string, says: string]> = [
  ['server/engine/a.ts', 'export const now = () => Date.now();', 'Time is an argument'],
  ['server/core/b.ts', 'export const now = () => new Date();', 'Time is an argument'],
  ['db/queries/c.ts', 'export const at = (now = Date.now) => now();', 'Time is an argument'],
  ['server/services/d.ts', 'export const since = () => performance.now();', 'Time is an argument'],
  ['server/services/e.ts', 'export const dice = () => Math.random();', 'Chance is an argument'],
  ['server/api/f.ts', 'export const id = () => crypto.randomUUID();', 'Chance is an argument'],
  [
    'server/auth/g.ts',
    "import { randomBytes } from 'node:crypto';\nexport const key = () => randomBytes(32);",
    'Chance is an argument',
  ],
  [
    'db/sqlite/h.ts',
    'export const bad = (db: { transaction(f: () => Promise<void>): void }) =>\n  db.transaction(async () => {\n    await 1;\n  });',
    'does not roll back',
  ],
  [
    'server/engine/i.ts',
    'export const sum = (a: number, b: number, c: number, d: number) => a + b + c + d;',
    'useMaxParams',
  ],
  ['server/engine/j.ts', 'export const port = () => process.env.PORT;', 'noProcessEnv'],
  ['server/engine/k.ts', 'export default function f() {}', 'noDefaultExport'],
  ['server/engine/l.ts', 'export const f = (x: any) => x;', 'noExplicitAny'],
  ['server/engine/m.ts', 'export enum Colour {\n  Red,\n}', 'noEnum'],
  ['server/engine/n.ts', "export * from '../core/model';", 'noReExportAll'],
  ['server/engine/BadName.ts', 'export const f = 1;', 'useFilenamingConvention'],
  [
    'server/engine/o.ts',
    `export function f() {\n${'  void 0;\n'.repeat(61)}}`,
    'noExcessiveLinesPerFunction',
  ],
  [
    'server/engine/p.ts',
    Array.from({ length: 301 }, (_, n) => `export const v${n} = ${n};`).join('\n'),
    'noExcessiveLinesPerFile',
  ],
  [
    'server/core/q.ts',
    "import type { Store } from '@/server/ports/store';\nexport type S = Store;",
    'core knows core',
  ],
  [
    'server/core/r.ts',
    "import { readFileSync } from 'node:fs';\nexport const f = readFileSync;",
    'core knows core',
  ],
];

const CLEAN: ReadonlyArray<readonly [file: string, source: string]> = [
  ['server/adapters/system-clock.ts', 'export const now = () => Date.now();'],
  ['server/adapters/system-random.ts', 'export const dice = () => Math.random();'],
  ['server/engine/iso.ts', 'export const iso = (at: number) => new Date(at).toISOString();'],
  [
    'server/core/clean.ts',
    "import { createHmac } from 'node:crypto';\nimport ipaddr from 'ipaddr.js';\nimport { a } from './a';\nimport { b } from '@/server/core/b';\nexport const f = [createHmac, ipaddr, a, b];",
  ],
];

/** What the linter says about one file of the planted house. */
function lint(file: string): string {
  try {
    return execFileSync(
      join(root, 'node_modules/.bin/biome'),
      ['lint', '--colors=off', '--error-on-warnings', file],
      {
        cwd: house,
        encoding: 'utf8',
        stdio: 'pipe',
      },
    );
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    return `FAILED\n${stdout}${stderr}`;
  }
}

beforeAll(() => {
  house = mkdtempSync(join(tmpdir(), 'hookladder-lint-'));
  for (const name of ['biome.json', '.gitignore', 'scripts/lint']) {
    cpSync(join(root, name), join(house, name), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(house, 'node_modules'));
  for (const [file, source] of [...PLANTED, ...CLEAN]) {
    mkdirSync(join(house, dirname(file)), { recursive: true });
    writeFileSync(join(house, file), `${source}\n`);
  }
});

afterAll(() => rmSync(house, { recursive: true, force: true }));

describe('the linter', () => {
  it.each(PLANTED)('HOUSE-1 HOUSE-2 refuses what is planted in %s', (file, _source, says) => {
    const said = lint(file).replace(/\s+/g, ' ');
    expect(said).toContain('FAILED');
    expect(said).toContain(says);
  });

  it.each(CLEAN)('HOUSE-1 HOUSE-2 takes what is allowed in %s', (file) => {
    expect(lint(file)).not.toContain('FAILED');
  });
});
