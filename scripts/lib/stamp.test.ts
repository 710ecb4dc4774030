import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildStamp, installStamp, isStamped, writeStamp } from './stamp.mjs';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'hookladder-stamp-'));
  mkdirSync(join(root, 'app/api'), { recursive: true });
  writeFileSync(join(root, 'package-lock.json'), '{}');
  writeFileSync(join(root, 'app/api/route.ts'), 'one');
  writeFileSync(join(root, 'app/api/route.test.ts'), 'a test');
  writeFileSync(join(root, 'proxy.ts'), 'proxy');
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('stamps', () => {
  it.each([
    ['a changed source', () => appendFileSync(join(root, 'app/api/route.ts'), '!')],
    ['a new source', () => writeFileSync(join(root, 'app/page.tsx'), '')],
    ['a moved source', () => renameSync(join(root, 'app/api/route.ts'), join(root, 'app/route.ts'))],
    ['a changed top-level file', () => appendFileSync(join(root, 'proxy.ts'), '!')],
    ['other packages', () => appendFileSync(join(root, 'package-lock.json'), ' ')],
  ])('OPS-5 the console is built again after %s', (_what, change) => {
    const before = buildStamp(root);
    change();
    expect(buildStamp(root)).not.toBe(before);
  });

  it.each([
    ['nothing', () => {}],
    ['a changed test', () => appendFileSync(join(root, 'app/api/route.test.ts'), '!')],
    ['a migration', () => writeFileSync(join(root, 'app/0001_more.sql'), '')],
    ['a text', () => writeFileSync(join(root, 'README.md'), '')],
    ['the same bytes written again', () => writeFileSync(join(root, 'app/api/route.ts'), 'one')],
  ])('OPS-5 the console is not built again after %s', (_what, change) => {
    const before = buildStamp(root);
    change();
    expect(buildStamp(root)).toBe(before);
  });

  it('OPS-5 packages are installed again when the lock changed, and only then', () => {
    const file = join(root, 'node_modules/.stamp');
    expect(isStamped(file, installStamp(root))).toBe(false);
    writeStamp(file, installStamp(root));
    expect(isStamped(file, installStamp(root))).toBe(true);
    appendFileSync(join(root, 'package-lock.json'), ' ');
    expect(isStamped(file, installStamp(root))).toBe(false);
  });
});
