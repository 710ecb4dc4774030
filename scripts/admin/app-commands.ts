// Commands that make apps and keys.
import { ENVIRONMENTS } from '@/server/core/model';
import { PRESETS, type PresetName } from '@/server/core/policy';
import { MERCHANT_SCOPES, PLATFORM_SCOPES } from '@/server/services/actor';
import {
  type AdminDeps,
  asSystem,
  createApiKey,
  createApp,
  createPlatformKey,
} from '@/server/services/admin';
import { readExpiry, readWord, readWords, UsageError, type Values } from './args';
import { type Command, organizationOf, orgOption } from './command';

const PRESET_NAMES = Object.keys(PRESETS) as PresetName[];

const appCreate: Command = {
  name: 'app create',
  help: 'make an app with both environments',
  options: {
    org: orgOption,
    name: { value: 'NAME', required: true, help: 'name of the app' },
    policy: { value: PRESET_NAMES.join('|'), help: 'how deliveries are retried; standard when left out' },
  },
  async run(host, values) {
    const policy = readWord('policy', values.text('policy') ?? 'standard', PRESET_NAMES);
    const admin = await host.open();
    const organization = await organizationOf(admin, values.need('org'));
    const { rowId: _, ...app } = await createApp.call(asSystem(admin.deps), {
      organizationId: organization.id,
      input: { name: values.need('name'), policy },
    });
    return { lines: [`App ${app.name} made: ${app.id} (policy ${app.policy})`], data: { app } };
  },
};

const keyCreate: Command = {
  name: 'key create',
  help: 'make an API key and show it once',
  options: {
    ops: { help: 'a platform key, of no organization' },
    org: { value: 'ORG', help: 'id or short name of the organization' },
    app: { value: 'APP', help: 'id of the one app it is for; every app when left out' },
    env: { value: ENVIRONMENTS.join('|'), help: 'the environment it is bound to' },
    scopes: {
      value: 'A,B',
      required: true,
      help: `of ${[...MERCHANT_SCOPES, ...PLATFORM_SCOPES].join(' ')}`,
    },
    name: { value: 'NAME', help: 'what it is for' },
    expires: { value: '90d|DATE', help: 'when it ends; never when left out' },
  },
  async run(host, values) {
    const asked = readWords('scopes', values.need('scopes'), [...MERCHANT_SCOPES, ...PLATFORM_SCOPES]);
    const admin = await host.open();
    const expires = values.text('expires');
    const common = {
      name: values.text('name') ?? 'made by npm run admin',
      expiresAt: expires === undefined ? null : readExpiry(expires, admin.deps.clock.now()),
    };
    const key = values.flag('ops')
      ? await platformKey(admin, { ...common, scopes: asked }, values)
      : await merchantKey(
          admin,
          { ...common, scopes: readWords('scopes', asked.join(), MERCHANT_SCOPES) },
          values,
        );
    return {
      lines: [
        `Key ${key.id} with ${key.scopes.join(' ')}`,
        key.key,
        'It is shown this once and stored nowhere.',
      ],
      data: { key },
    };
  },
};

type KeyWish<S> = { name: string; expiresAt: number | null; scopes: S[] };

function platformKey(
  admin: AdminDeps,
  wish: KeyWish<(typeof MERCHANT_SCOPES)[number] | (typeof PLATFORM_SCOPES)[number]>,
  values: Values,
) {
  for (const name of ['org', 'app', 'env']) {
    if (values.text(name) !== undefined)
      throw new UsageError(`A platform key has no --${name}. Leave it out.`);
  }
  return createPlatformKey.call(asSystem(admin.deps), { input: wish });
}

async function merchantKey(
  admin: AdminDeps,
  wish: KeyWish<(typeof MERCHANT_SCOPES)[number]>,
  values: Values,
) {
  const environment = readWord('env', values.need('env'), ENVIRONMENTS);
  const organization = await organizationOf(admin, values.need('org'));
  return createApiKey.call(asSystem(admin.deps), {
    organizationId: organization.id,
    input: { ...wish, environment, appId: values.text('app') },
  });
}

export const appCommands: readonly Command[] = [appCreate, keyCreate];
