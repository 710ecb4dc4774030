// How an installation gets its people, organizations, apps and keys: `npm run admin` and the demo do it through
// here, as the actor `system`, every act with its line in the audit log (D37).
import { z } from 'zod';
import { hashKey, makeApiKey, parseApiKey } from '@/server/core/api-key';
import { DEFAULT_CATALOGUE } from '@/server/core/default-catalogue';
import { makeId } from '@/server/core/ids';
import { type Policy, PRESETS, type PresetName } from '@/server/core/policy';
import type { EventTypeRow } from '@/server/ports/records';
import { MERCHANT_SCOPES, type MemberRole, PLATFORM_SCOPES, type PlatformRole } from './actor';
import { environmentSchema } from './contract';
import type { ServiceDeps } from './deps';
import { notFound, ServiceError } from './service-error';
import { type CallContext, defineVerb } from './verb';

export interface User {
  id: string;
  email: string;
  name: string;
  platformRole: PlatformRole | null;
}

export interface Organization {
  id: string;
  name: string;
  slug: string;
}

/** People and organizations, which server/auth keeps. Methods throw ServiceError where a person can mend it. */
export interface Accounts {
  userByEmail(email: string): Promise<User | null>;
  /** @throws ServiceError conflict, invalid_request */
  createUser(user: { email: string; name: string; password: string }): Promise<User>;
  /** Ends every session of the user. */
  setPassword(userId: string, password: string): Promise<void>;
  /** Ends every session of the user (D13). */
  setPlatformRole(userId: string, role: PlatformRole | null): Promise<void>;
  organization(idOrSlug: string): Promise<Organization | null>;
  createOrganization(name: string): Promise<Organization>;
  /** A member's role is replaced. */
  addMember(member: { organizationId: string; userId: string; role: MemberRole }): Promise<void>;
}

export interface AdminDeps {
  deps: ServiceDeps;
  accounts: Accounts;
}

const SYSTEM = { kind: 'system' } as const;

/** The product itself as a caller of verbs. */
export function asSystem(deps: ServiceDeps, requestId = 'admin'): CallContext {
  return { actor: SYSTEM, deps, requestId };
}

/* ---------- people and organizations ---------- */

/** Makes a user; without a password one is drawn, and only here it is seen. D10, D44. */
export async function createUser(
  admin: AdminDeps,
  user: { email: string; name: string; password?: string | undefined },
): Promise<{ user: User; password: string }> {
  const password = user.password ?? drawPassword(admin.deps.random.bytes(PASSWORD_GROUPS * GROUP_LENGTH));
  const made = await admin.accounts.createUser({ ...user, password });
  await record(admin.deps, { action: 'user.created', objectId: made.id, detail: { email: made.email } });
  return { user: made, password };
}

/** Sets a user's password, drawn when none is given; returns it. Ends every session of theirs (D09). */
export async function setPassword(admin: AdminDeps, user: User, given?: string): Promise<string> {
  const password = given ?? drawPassword(admin.deps.random.bytes(PASSWORD_GROUPS * GROUP_LENGTH));
  await admin.accounts.setPassword(user.id, password);
  await record(admin.deps, { action: 'user.password_set', objectId: user.id, detail: { email: user.email } });
  return password;
}

export async function createOrganization(admin: AdminDeps, name: string): Promise<Organization> {
  const made = await admin.accounts.createOrganization(name);
  await record(admin.deps, {
    action: 'organization.created',
    organizationId: made.id,
    objectId: made.id,
    detail: { name },
  });
  return made;
}

export async function addMember(
  admin: AdminDeps,
  member: { organizationId: string; user: User; role: MemberRole },
): Promise<void> {
  const { organizationId, user, role } = member;
  await admin.accounts.addMember({ organizationId, userId: user.id, role });
  await record(admin.deps, {
    action: 'member.added',
    organizationId,
    objectId: user.id,
    detail: { email: user.email, role },
  });
}

/** Gives or takes a platform role; the user signs in anew. */
export async function setPlatformRole(
  admin: AdminDeps,
  user: User,
  role: PlatformRole | null,
): Promise<void> {
  await admin.accounts.setPlatformRole(user.id, role);
  await record(admin.deps, {
    action: role === null ? 'platform_role.revoked' : 'platform_role.granted',
    objectId: user.id,
    detail: { email: user.email, role: role ?? user.platformRole },
  });
}

interface Act {
  action: string;
  organizationId?: string;
  objectId: string;
  detail: Record<string, unknown>;
}

async function record(deps: ServiceDeps, act: Act): Promise<void> {
  const row = {
    organizationId: act.organizationId ?? null,
    appId: null,
    environment: null,
    at: deps.clock.now(),
    actorKind: 'system',
    actorId: 'system',
    action: act.action,
    objectId: act.objectId,
    result: 'ok',
    requestId: 'admin',
    detail: act.detail,
  } as const;
  await deps.store.transact((tx) => tx.insertAudit(row));
}

/* ---------- apps ---------- */

const presetNames = Object.keys(PRESETS) as [PresetName, ...PresetName[]];

export const appCreateInput = z.strictObject({
  name: z.string().trim().min(1).max(100),
  policy: z.enum(presetNames).default('standard'),
});

/** What a new app's catalogue starts with, beside the types that events bring along. */
type CatalogueEntry = Omit<EventTypeRow, 'appId' | 'createdAt'>;

export interface MadeApp {
  /** The row's number: for what is made in the same breath (receivers, demo). */
  rowId: number;
  id: string;
  organizationId: string;
  name: string;
  policy: PresetName;
}

/** Makes an app with both environments under a preset. */
export const createApp = defineVerb({
  kind: 'command',
  name: 'app.create',
  target: 'organization',
  access: { scope: 'apps:write', role: 'admin' },
  input: appCreateInput,
  audit: {
    action: 'app.created',
    object: (made: MadeApp) => made.id,
    detail: ({ name, policy }) => ({ name, policy }),
  },
  async handler({ tx, input, organizationId, now, deps }): Promise<MadeApp> {
    const policy: Policy = PRESETS[input.policy];
    const publicId = makeId('app', now, deps.random.bytes(10));
    const eventTypes: readonly CatalogueEntry[] = DEFAULT_CATALOGUE;
    const row = await tx.insertApp({ publicId, organizationId, name: input.name, policy, eventTypes, now });
    return { rowId: row.id, id: publicId, organizationId, name: row.name, policy: input.policy };
  },
});

/* ---------- API keys ---------- */

const expiry = z.number().int().positive().nullable().default(null);
const keyName = z.string().trim().min(1).max(100);

export const keyCreateInput = z.strictObject({
  name: keyName,
  /** Left out: every app of the organization. */
  appId: z.string().max(120).optional(),
  environment: environmentSchema,
  scopes: z.array(z.enum(MERCHANT_SCOPES)).min(1),
  expiresAt: expiry,
});

export const platformKeyCreateInput = z.strictObject({
  name: keyName,
  scopes: z.array(z.enum([...MERCHANT_SCOPES, ...PLATFORM_SCOPES])).min(1),
  expiresAt: expiry,
});

export interface MadeKey {
  id: string;
  /** The key itself: in this answer and nowhere else. */
  key: string;
  prefix: string;
  last4: string;
  scopes: readonly string[];
}

const keyAudit = {
  action: 'key.created',
  object: (made: MadeKey) => made.id,
  detail: ({ prefix, last4, scopes }: MadeKey) => ({ prefix, last4, scopes }),
};

/** Makes a merchant's key, bound to one environment and optionally to one app. D19. */
export const createApiKey = defineVerb({
  kind: 'command',
  name: 'key.create',
  target: 'organization',
  access: { scope: 'session', role: 'admin' },
  input: keyCreateInput,
  audit: keyAudit,
  async handler({ tx, input, organizationId, now, deps }): Promise<MadeKey> {
    const app = input.appId === undefined ? null : await tx.app(input.appId);
    if (input.appId !== undefined && app?.organizationId !== organizationId) throw notFound();
    const { row, made } = drawKey(input.environment, { ...input, now, deps });
    await tx.insertApiKey({ ...row, organizationId, appId: app?.id ?? null, environment: input.environment });
    return made;
  },
});

/** Makes a platform key, of no organization: `hk_ops_…`. */
export const createPlatformKey = defineVerb({
  kind: 'command',
  name: 'key.create_platform',
  target: 'none',
  access: { scope: 'internal', role: 'none' },
  input: platformKeyCreateInput,
  audit: keyAudit,
  async handler({ tx, input, now, deps }): Promise<MadeKey> {
    const { row, made } = drawKey('ops', { ...input, now, deps });
    await tx.insertApiKey({ ...row, organizationId: null, appId: null, environment: null });
    return made;
  },
});

interface KeyWish {
  name: string;
  scopes: readonly string[];
  expiresAt: number | null;
  now: number;
  deps: ServiceDeps;
}

function drawKey(kind: 'test' | 'live' | 'ops', { name, scopes, expiresAt, now, deps }: KeyWish) {
  if (expiresAt !== null && expiresAt <= now) {
    throw new ServiceError('invalid_request', 'The key would be over before it begins. Choose a later end.');
  }
  const key = makeApiKey(kind, deps.random.bytes(32));
  const parts = parseApiKey(key);
  if (parts === null) throw new Error('A key that was just made does not parse.');
  const id = makeId('key', now, deps.random.bytes(10));
  const { prefix, last4 } = parts;
  return {
    row: { publicId: id, name, scopes, prefix, last4, hash: hashKey(key), createdAt: now, expiresAt },
    made: { id, key, prefix, last4, scopes },
  };
}

/* ---------- passwords ---------- */

const PASSWORD_GROUPS = 4;
const GROUP_LENGTH = 5;
/** Crockford's base 32: no sign is mistaken for another when it is read out. */
const SIGNS = '0123456789abcdefghjkmnpqrstvwxyz';

/** A password of 100 random bits in groups that can be read out: `k4t9x-…`. One byte a sign. */
export function drawPassword(bytes: Uint8Array): string {
  const signs = Array.from(bytes, (byte) => SIGNS[byte % SIGNS.length] ?? '');
  const groups = Array.from({ length: PASSWORD_GROUPS }, (_, n) =>
    signs.slice(n * GROUP_LENGTH, (n + 1) * GROUP_LENGTH).join(''),
  );
  return groups.join('-');
}
