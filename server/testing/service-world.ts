import { hashKey, makeApiKey, parseApiKey } from '@/server/core/api-key';
import { makeId } from '@/server/core/ids';
import type { Environment } from '@/server/core/model';
import type { Policy } from '@/server/core/policy';
import { PRESETS } from '@/server/core/policy';
import type { AppRow, EventTypeRow } from '@/server/ports/records';
import type { Actor, KeyScope, MemberRole, PlatformRole } from '@/server/services/actor';
import { MERCHANT_SCOPES, PLATFORM_SCOPES } from '@/server/services/actor';
import type { ServiceDeps } from '@/server/services/deps';
import { createWorld, type WorldOptions } from './world';

export const ORGANIZATION = 'org_test';
export const OTHER_ORGANIZATION = 'org_other';

export interface LoggedLine {
  level: 'info' | 'warn' | 'error';
  event: string;
  fields: object | undefined;
}

/** An installation as the doors see it: the world of the engine, the verbs' dependencies, keys and people. */
export async function createServiceWorld(options: WorldOptions & { engine?: never; runs?: boolean } = {}) {
  const { runs = false, ...worldOptions } = options;
  const world = await createWorld(worldOptions);
  const { clock, random, store } = world;
  const lines: LoggedLine[] = [];
  const log = {
    info: (event: string, fields?: object) => void lines.push({ level: 'info', event, fields }),
    warn: (event: string, fields?: object) => void lines.push({ level: 'warn', event, fields }),
    error: (event: string, fields?: object) => void lines.push({ level: 'error', event, fields }),
  };
  let kicks = 0;
  const deps: ServiceDeps = {
    store,
    clock,
    random,
    secretBox: world.secretBox,
    log,
    guard: { allowNetworks: [], ownHosts: [{ host: 'hooks.local.example', port: 443 }] },
    engine: {
      kick: () => {
        kicks += 1;
        if (runs) world.engine.kick();
      },
      status: () => ({ running: runs, inFlight: 0, due: 0 }),
    },
    changes: { subscribe: (listener) => store.onChange(listener) },
    directory: {
      user: async (id) => (id === 'nobody' ? null : { email: `${id}@example.com`, name: id }),
      organizations: async (ids) => ids.map((id) => ({ id, name: `Name of ${id}` })),
    },
    publicUrl: 'https://hooks.local.example',
    demo: false,
  };
  if (runs) world.engine.start();

  const id = (prefix: string) => makeId(prefix, clock.now(), random.bytes(10));

  async function addApp(
    change: { organizationId?: string; policy?: Policy; eventTypes?: readonly Partial<EventTypeRow>[] } = {},
  ): Promise<AppRow> {
    return store.transact((tx) =>
      tx.insertApp({
        publicId: id('app'),
        organizationId: change.organizationId ?? ORGANIZATION,
        name: 'Shop',
        policy: change.policy ?? PRESETS.standard,
        eventTypes: (change.eventTypes ?? []).map((entry) => ({
          type: 'payment.succeeded',
          description: '',
          money: null,
          example: null,
          ...entry,
        })),
        now: clock.now(),
      }),
    );
  }

  async function key(
    change: {
      organizationId?: string | null;
      environment?: Environment | null;
      scopes?: readonly KeyScope[];
      app?: AppRow;
      expiresAt?: number | null;
    } = {},
  ) {
    const isPlatform = change.organizationId === null;
    const environment = isPlatform ? null : (change.environment ?? 'test');
    const text = makeApiKey(environment ?? 'ops', random.bytes(32));
    const parts = parseApiKey(text);
    const row = await store.transact((tx) =>
      tx.insertApiKey({
        publicId: id('key'),
        organizationId: isPlatform ? null : (change.organizationId ?? ORGANIZATION),
        appId: change.app?.id ?? null,
        environment,
        name: 'Test key',
        scopes: change.scopes ?? (isPlatform ? PLATFORM_SCOPES : MERCHANT_SCOPES),
        prefix: parts?.prefix ?? '',
        last4: parts?.last4 ?? '',
        hash: hashKey(text),
        createdAt: clock.now(),
        expiresAt: change.expiresAt ?? null,
      }),
    );
    const actor: Actor = {
      kind: 'key',
      keyId: row.publicId,
      organizationId: row.organizationId,
      appId: row.appId,
      environment: row.environment,
      scopes: row.scopes,
    };
    return { text, row, actor };
  }

  return {
    ...world,
    deps,
    lines,
    addApp,
    key,
    id,
    get kicks() {
      return kicks;
    },
    /** Everything that was noted, oldest first; queued writes are waited for. */
    async audit(organizationId: string = ORGANIZATION) {
      await store.transact(async () => undefined);
      return store.read.audit({ organizationId, limit: 100 });
    },
  };
}

export type ServiceWorld = Awaited<ReturnType<typeof createServiceWorld>>;

export function person(
  role: MemberRole | null,
  change: { organizationId?: string; platformRole?: PlatformRole } = {},
): Actor {
  const organizationId = change.organizationId ?? ORGANIZATION;
  return {
    kind: 'user',
    userId: `usr_${role ?? change.platformRole ?? 'none'}`,
    platformRole: change.platformRole ?? null,
    memberships: role === null ? [] : [{ organizationId, role }],
  };
}
