// What must be there before the server starts: keys that are made once, a migrated database, and in the demo its
// organization, app, endpoints and people. Run by scripts/start.mjs; a second run changes nothing.
import { mkdirSync } from 'node:fs';
import { ensureFolderKeys } from '@/server/adapters/data-folder';
import { createSystemRandom } from '@/server/adapters/system-random';
import { createContainer } from '@/server/container';
import { fillDemo } from '@/server/demo';
import { readDemoFacts, writeDemoFacts } from '@/server/demo-folder';
import { ConfigurationError, type Env, readEnv } from '@/server/env';
import { migrateDatabase } from '@/server/storage';

const say = (line: string) => console.log(`hookladder: ${line}`);

async function main() {
  const env = readEnv();
  mkdirSync(env.dataFolder, { recursive: true, mode: 0o700 });
  if (env.demo && !readDemoFacts(env.dataFolder)) writeDemoFacts(env.dataFolder, {});
  makeKeys(env);
  const { applied, copy } = await migrateDatabase(env);
  if (copy) say(`a copy was made first: ${copy}`);
  say(applied.length > 0 ? `migrated: ${applied.join(', ')}.` : 'the database is up to date.');
  if (env.demo) await prepareDemo(env);
}

function makeKeys(env: Env) {
  const wanted = env.demo
    ? (['masterKey', 'sessionSecret', 'dispatchToken', 'metricsToken'] as const)
    : (['dispatchToken', 'metricsToken'] as const);
  const { made, keys } = ensureFolderKeys(env.dataFolder, wanted, createSystemRandom());
  if (made.length > 0) say(`made once, kept in the data folder for its owner alone: ${made.join(', ')}.`);
  if (made.includes('dispatchToken') && !env.dispatchToken)
    say(`token of POST /api/dispatch: ${keys.dispatchToken}`);
}

async function prepareDemo(env: Env) {
  let facts = readDemoFacts(env.dataFolder);
  if (!facts) {
    const container = createContainer('prepare');
    try {
      facts = await fillDemo(container);
      writeDemoFacts(env.dataFolder, facts);
      say('the demo is made: an organization, an app and five test endpoints on the built-in receiver.');
    } finally {
      await container.close();
    }
  }
  say(`DEMO  merchant  ${facts.merchant.email}  ${facts.merchant.password}`);
  say(`DEMO  support   ${facts.support.email}  ${facts.support.password}`);
  say(`DEMO  API key   ${facts.apiKey}`);
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error instanceof ConfigurationError ? error.message : error);
    process.exit(1);
  },
);
