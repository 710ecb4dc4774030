import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createServiceWorld,
  ORGANIZATION,
  OTHER_ORGANIZATION,
  person,
  type ServiceWorld,
} from '@/server/testing/service-world';
import type { TestStore } from '@/server/testing/temp-store';
import { type Actor, MEMBER_ROLES, MERCHANT_SCOPES, PLATFORM_SCOPES } from './actor';
import { VERBS } from './registry';
import { deliveryId } from './render/delivery';
import { ServiceError } from './service-error';
import type { CallContext } from './verb';

let world: ServiceWorld;
let samples: Record<string, object>;

/** The verbs as the walk calls them: whatever their input. */
interface AnyVerb {
  name: string;
  kind: string;
  target: string;
  access: (typeof VERBS)[number]['access'];
  call(context: CallContext, request: object): Promise<unknown>;
}
const verbs: readonly AnyVerb[] = VERBS;

beforeEach(async () => {
  world = await createServiceWorld({ answer: () => 500 });
  const endpoint = await world.addEndpoint();
  const event = await world.publish();
  const delivery = event.deliveries[0];
  if (delivery === undefined) throw new Error('no delivery');
  const draft = {
    type: 'a.b',
    body: Buffer.from('1'),
    contentType: 'application/json',
    occurredAt: null,
  };
  samples = {
    'me.get': {},
    'nav.counts': {},
    'apps.list': {},
    'apps.get': {},
    'eventTypes.list': {},
    'events.publish': draft,
    'events.publishBatch': { events: [draft] },
    'events.list': {},
    'events.get': { eventId: event.publicId },
    'events.attempts': { eventId: event.publicId },
    'deliveries.list': {},
    'deliveries.newer': {},
    'deliveries.types': {},
    'deliveries.get': { deliveryId: deliveryId(delivery) },
    'deliveries.detail': { deliveryId: deliveryId(delivery) },
    'deliveries.attempts': { deliveryId: deliveryId(delivery) },
    'deliveries.resend': { eventId: event.publicId },
    'endpoints.list': {},
    'endpoints.get': { endpointId: endpoint.publicId },
    'endpoints.pending': { endpointId: endpoint.publicId },
    'endpoints.create': { url: 'https://shop.example.com/' },
    'endpoints.update': { endpointId: endpoint.publicId, description: 'new' },
    'endpoints.remove': { endpointId: endpoint.publicId },
    'endpoints.sendTest': { endpointId: endpoint.publicId },
    'breakers.list': {},
    'support.breakers': {},
    'app.create': { name: 'New' },
    'key.create': { name: 'k', environment: 'test', scopes: ['events:write'] },
    'key.create_platform': { name: 'k', scopes: ['apps:write'] },
    'live.changes': {},
  };
});

/** An open breaker, as only attempts make one. */
async function openBreaker() {
  world.engine.start();
  for (let n = 0; n < 5; n += 1) await world.publish();
  await world.run(100);
  await world.engine.stop();
  const [row] = await world.store.read.breakers({ appId: world.app.id, environment: 'test' });
  if (row === undefined) throw new Error('no breaker');
  samples['breakers.get'] = { breakerId: row.publicId };
  samples['breakers.reset'] = { breakerId: row.publicId, reason: 'because' };
}

afterEach(async () => {
  await world.close();
});

async function outcome(verb: AnyVerb, actor: Actor, target: object = ownTarget(verb)): Promise<string> {
  const context = { actor, deps: world.deps, requestId: 'req_walk' };
  const calling = verb.call(context, { ...target, input: samples[verb.name] });
  // A test send waits for its attempt, which no engine makes here.
  const settled = calling.then(
    () => 'ok',
    (error: unknown) => {
      if (error instanceof ServiceError) return error.code;
      throw error;
    },
  );
  if (verb.name !== 'endpoints.sendTest') return settled;
  await world.run(6_000);
  return settled;
}

function ownTarget(verb: AnyVerb): object {
  switch (verb.target) {
    case 'none':
      return {};
    case 'organization':
      return { organizationId: ORGANIZATION };
    default:
      return { appId: world.app.publicId, environment: 'test' };
  }
}

/** Everything that the verbs could have changed. */
async function picture() {
  const scope = { appId: world.app.id, environment: 'test' as const };
  const { read } = world.store;
  return {
    events: await read.events({ ...scope, limit: 100 }),
    deliveries: await read.deliveries({ ...scope, limit: 100 }),
    endpoints: await read.endpoints(scope),
    breakers: await read.breakers(scope),
    apps: await read.appsOf(ORGANIZATION),
    keys: await read.apiKeys(ORGANIZATION),
    done: (await world.audit()).filter((row) => row.result === 'ok'),
  };
}

const key = (scopes: readonly string[], change: Partial<Extract<Actor, { kind: 'key' }>> = {}): Actor => ({
  kind: 'key',
  keyId: 'key_walk',
  organizationId: ORGANIZATION,
  appId: null,
  environment: 'test',
  scopes,
  ...change,
});

describe.each(verbs.map((verb) => [verb.name, verb] as const))('%s', (_name, verb) => {
  beforeEach(async () => {
    if (verb.name.startsWith('breakers.')) await openBreaker();
  });

  it('D01 O34 nobody of another organization gets anything but not_found or forbidden, and nothing changes', async () => {
    const before = await picture();
    const strangers: Actor[] = [
      key(MERCHANT_SCOPES, { organizationId: OTHER_ORGANIZATION }),
      key(MERCHANT_SCOPES, { appId: world.app.id + 1_000 }),
      ...MEMBER_ROLES.map((role) => person(role, { organizationId: OTHER_ORGANIZATION })),
      person(null),
    ];
    for (const stranger of strangers) {
      const got = await outcome(verb, stranger);
      if (verb.target === 'none') continue;
      const bound = stranger.kind === 'key' && stranger.organizationId === ORGANIZATION;
      if (bound && verb.target === 'organization') continue;
      expect(got).toBe('not_found');
    }
    if (verb.target !== 'none' && verb.target !== 'organization') expect(await picture()).toEqual(before);
  });

  it('D02 D03 unknown and malformed targets are not found, whoever asks', async () => {
    if (verb.target === 'none') return;
    const owner = person('owner');
    for (const id of ['', 'nonsense', world.id('app')]) {
      const target =
        verb.target === 'organization' ? { organizationId: id } : { appId: id, environment: 'test' };
      expect(await outcome(verb, owner, target)).toBe('not_found');
    }
  });

  it('D03 a key needs exactly the scope of the verb', async () => {
    const { scope } = verb.access;
    const all = [...MERCHANT_SCOPES, ...PLATFORM_SCOPES];
    const without = all.filter((each) => each !== scope);
    expect(await outcome(verb, key(without))).toBe('forbidden');
    if (scope === 'session' || scope === 'internal') return;
    if (verb.name === 'breakers.reset') {
      expect(await outcome(verb, key([scope], { organizationId: null, environment: null }))).toBe('ok');
    } else expect(await outcome(verb, key([scope]))).toBe('ok');
  });

  it('D03 a member needs the role of the verb or a stronger one', async () => {
    const { role, scope } = verb.access;
    const needed =
      role === 'any' ? 0 : role === 'none' ? Number.POSITIVE_INFINITY : MEMBER_ROLES.indexOf(role);
    for (const [index, held] of MEMBER_ROLES.entries()) {
      const may = scope !== 'internal' && index >= needed;
      if (!may) expect(await outcome(verb, person(held)), held).toBe('forbidden');
    }
    const weakest = MEMBER_ROLES[needed];
    if (weakest !== undefined) expect(await outcome(verb, person(weakest))).toBe('ok');
  });

  it('D05 a key asks for the other environment in vain', async () => {
    if (verb.target !== 'environment' && verb.target !== 'app') return;
    const target = { appId: world.app.publicId, environment: 'live' };
    const { scope } = verb.access;
    const expected = scope === 'session' ? 'forbidden' : 'wrong_environment';
    expect(await outcome(verb, key([scope].filter((each) => each !== 'session')), target)).toBe(expected);
  });

  it('D37 a command leaves its line in the audit log, a query none', async () => {
    const outcomeForSystem = await outcome(verb, { kind: 'system' });
    const rows = [...(await world.audit()), ...(await platformAudit())].filter(
      (row) => row.requestId === 'req_walk',
    );
    if (verb.name === 'me.get') return;
    expect(outcomeForSystem).toBe('ok');
    expect(rows).toHaveLength(verb.kind === 'command' ? 1 : 0);
    if (verb.kind !== 'command') return;
    expect(rows[0]).toMatchObject({ actorKind: 'system', actorId: 'system', result: 'ok' });
    expect(JSON.stringify(rows[0]?.detail)).not.toMatch(/whsec_|hk_(test|live|ops)_[0-9A-Za-z]{20}/);
  });
});

/** Lines of acts that belong to no organization. */
async function platformAudit() {
  const { default: Database } = await import('better-sqlite3');
  const db = new Database((world.store as TestStore).path, { readonly: true });
  const rows = db
    .prepare(
      'SELECT actor_kind AS actorKind, actor_id AS actorId, result, request_id AS requestId, detail FROM audit_log WHERE organization_id IS NULL',
    )
    .all() as { actorKind: string; actorId: string; result: string; requestId: string; detail: unknown }[];
  db.close();
  return rows;
}

describe('the registry', () => {
  it('D03 every verb has a sample here, and a name of its own', async () => {
    await openBreaker();
    expect(Object.keys(samples).sort()).toEqual(verbs.map((verb) => verb.name).sort());
  });

  it('O34 a foreign id inside one’s own app is noted as denied', async () => {
    const other = await world.addApp({ organizationId: OTHER_ORGANIZATION });
    const foreign = await world.addEndpoint({ app: other });
    samples['endpoints.remove'] = { endpointId: foreign.publicId };
    const remove = verbs.find((verb) => verb.name === 'endpoints.remove');
    if (remove === undefined) throw new Error('no such verb');
    expect(await outcome(remove, key(['endpoints:write']))).toBe('not_found');
    expect(await world.audit()).toContainEqual(
      expect.objectContaining({ action: 'endpoints.remove', result: 'denied', objectId: foreign.publicId }),
    );
  });
});
