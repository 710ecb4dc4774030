// What an operator makes in an empty installation, with the operator's own commands; run by server.mjs.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { runAdmin } from '@/scripts/admin/run';
import { createContainer } from '@/server/container';
import { readEnv } from '@/server/env';
import { type App, type Facts, PEOPLE, SCOPES } from './facts';

process.env['LOG_LEVEL'] ??= 'error';
const container = createContainer('admin');

async function admin(...words: string[]): Promise<unknown> {
  const said: string[] = [];
  const code = await runAdmin([...words, '--json'], {
    print: (line) => said.push(line),
    container: {
      databaseFile: () => readEnv().databaseFile,
      open: async () => ({ deps: container.services, accounts: container.accounts }),
    },
  });
  if (code !== 0) throw new Error(`${words.join(' ')}: ${said.join('\n')}`);
  return JSON.parse(said.join('\n'));
}

async function person(email: string, name: string): Promise<{ email: string; password: string }> {
  const made = (await admin('user', 'create', '--email', email, '--name', name)) as { password: string };
  return { email, password: made.password };
}

async function app(organization: string, name: string, policy = 'standard'): Promise<App> {
  const made = (await admin('app', 'create', '--org', organization, '--name', name, '--policy', policy)) as {
    app: { id: string };
  };
  const key = async (environment: 'test' | 'live') => {
    const words = ['--org', organization, '--app', made.app.id, '--env', environment, '--scopes', SCOPES];
    return ((await admin('key', 'create', ...words)) as { key: { key: string } }).key.key;
  };
  return { id: made.app.id, name, keys: { test: await key('test'), live: await key('live') } };
}

async function main(): Promise<void> {
  const owner = await person('sarnai@steppe.example', 'Sarnai Bold');
  const viewer = await person('temur@steppe.example', 'Temur Ganzorig');
  const support = await person('nomin@hookladder.example', 'Nomin Support');
  const stranger = await person('pavel@other.example', 'Pavel Other');
  await admin('org', 'create', '--name', 'Steppe Goods', '--owner', owner.email);
  await admin('org', 'create', '--name', 'Other', '--owner', stranger.email);
  await admin('org', 'add-member', '--org', 'steppe-goods', '--email', viewer.email, '--role', 'viewer');
  await admin('support', 'grant', '--email', support.email);
  const facts: Facts = {
    people: { owner, viewer, support, stranger },
    apps: {
      shop: await app('steppe-goods', 'Online shop'),
      // Twenty test sends a minute are an app's: what uses them up has one of its own.
      limits: await app('steppe-goods', 'Limits'),
      gallery: await app('steppe-goods', 'Caravan travel'),
      other: await app('other', 'Other shop'),
    },
  };
  if (PEOPLE.some((who) => !facts.people[who])) throw new Error('somebody is missing');
  const file = process.env['E2E_FACTS'];
  if (!file) throw new Error('E2E_FACTS names no file');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(facts), { mode: 0o600 });
}

main().then(
  async () => {
    await container.close();
    process.exit(0);
  },
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
