// npm run migrations -- verb_phrase: writes the next migration of each dialect from the schema, under one name.
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from './lib/run.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const name = process.argv[2];

if (!name || !/^[a-z]+(_[a-z0-9]+)+$/.test(name)) {
  console.error(
    'Say what the migration does, as a verb and what follows: npm run migrations -- add_endpoint_rate',
  );
  process.exit(1);
}

const configs = readdirSync(join(root, 'db')).filter((file) => /^drizzle\.[a-z]+\.config\.ts$/.test(file));
for (const config of configs) {
  const { code } = await run(
    join(root, 'node_modules', '.bin', 'drizzle-kit'),
    ['generate', '--config', join('db', config), '--name', name],
    { cwd: root },
  );
  if (code !== 0) process.exit(code);
}
