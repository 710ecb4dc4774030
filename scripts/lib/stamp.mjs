// What is up to date is told by content, never by time: a stamp holds the hash of all that went in.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

const SOURCE_ROOTS = ['app', 'components', 'server', 'db', 'public'];
const SOURCE_FILES = [
  'package-lock.json',
  'package.json',
  'next.config.mjs',
  'postcss.config.mjs',
  'tsconfig.json',
  'proxy.ts',
  'instrumentation.ts',
];
const NOT_BUILT = /(\.test\.tsx?|\.conformance\.ts|\.md|\.sql)$/;

function filesUnder(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => !entry.name.startsWith('.'))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? filesUnder(path) : [path];
    });
}

/** Hash of what `npm ci` depends on: the lock file, and the ABI and platform that native parts are built for. */
export function installStamp(root) {
  return createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .update(`\n${process.versions.modules} ${process.platform} ${process.arch}`)
    .digest('hex');
}

/** Hash of what `next build` depends on: names and bytes of the sources, tests and texts left out. */
export function buildStamp(root) {
  const files = [
    ...SOURCE_ROOTS.flatMap((name) => filesUnder(join(root, name))),
    ...SOURCE_FILES.map((name) => join(root, name)).filter((path) => existsSync(path)),
  ]
    .map((path) => relative(root, path).split(sep).join('/'))
    .filter((path) => !NOT_BUILT.test(path))
    .sort();
  const hash = createHash('sha256').update(process.versions.modules);
  for (const file of files) {
    const bytes = readFileSync(join(root, file));
    hash.update(`\n${file}\n${bytes.length}\n`).update(bytes);
  }
  return hash.digest('hex');
}

/** Whether the stamp file holds exactly this stamp. */
export function isStamped(file, stamp) {
  return existsSync(file) && readFileSync(file, 'utf8').trim() === stamp;
}

export function writeStamp(file, stamp) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${stamp}\n`);
}
