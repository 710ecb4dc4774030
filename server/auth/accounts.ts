// People and organizations as Better Auth keeps them, behind the interfaces that the services know.
import type { MemberRole, PlatformRole } from '@/server/services/actor';
import type { Accounts, Organization, User } from '@/server/services/admin';
import type { Directory } from '@/server/services/deps';
import { ServiceError } from '@/server/services/service-error';
import type { Auth } from './config';
import { PASSWORD_PROBLEMS, passwordProblem } from './password-rules';

interface UserRecord {
  id: string;
  email: string;
  name: string;
  platformRole?: string | null;
}

interface OrganizationRecord {
  id: string;
  name: string;
  slug: string;
}

type Context = Awaited<Auth['$context']>;
type Adapter = Context['adapter'];

/** What the admin commands and the demo do to accounts. `now` is epoch ms. */
export function createAccounts(auth: Auth, now: () => number): Accounts {
  const context = () => auth.$context;
  const adapter = async (): Promise<Adapter> => (await auth.$context).adapter;
  return {
    async userByEmail(email) {
      const user = await (await adapter()).findOne<UserRecord>({
        model: 'user',
        where: [{ field: 'email', value: email.trim().toLowerCase() }],
      });
      return user && userOf(user);
    },
    createUser: async (user) => createUser(await context(), user),
    async setPassword(userId, password) {
      const { internalAdapter, password: hashing } = await context();
      const user = await internalAdapter.findUserById(userId);
      if (user === null) throw new ServiceError('not_found', 'There is no such user.');
      refuseWeak(password, user);
      await internalAdapter.updatePassword(userId, await hashing.hash(password));
      await internalAdapter.deleteUserSessions(userId);
    },
    async setPlatformRole(userId, role) {
      const { internalAdapter } = await context();
      await internalAdapter.updateUser(userId, { platformRole: role });
      // A session is made anew where rights change (D13).
      await internalAdapter.deleteUserSessions(userId);
    },
    async organization(idOrSlug) {
      const db = await adapter();
      const field = idOrSlug.startsWith('org_') ? 'id' : 'slug';
      return db.findOne<OrganizationRecord>({ model: 'organization', where: [{ field, value: idOrSlug }] });
    },
    createOrganization: async (name) => createOrganization(await adapter(), name, now),
    addMember: async (member) => addMember(await adapter(), member, now),
  };
}

/** Names for audit lines, attempts and `me`. */
export function createDirectory(auth: Auth): Directory {
  return {
    async user(userId) {
      const user = await (await auth.$context).internalAdapter.findUserById(userId);
      return user && { email: user.email, name: user.name };
    },
    async organizations(ids) {
      if (ids.length === 0) return [];
      const { adapter } = await auth.$context;
      const rows = await adapter.findMany<OrganizationRecord>({
        model: 'organization',
        where: [{ field: 'id', operator: 'in', value: [...ids] }],
        limit: ids.length,
      });
      return rows.map(({ id, name }) => ({ id, name }));
    },
  };
}

async function createUser(
  { internalAdapter, password: hashing }: Context,
  user: { email: string; name: string; password: string },
): Promise<User> {
  const email = user.email.trim().toLowerCase();
  refuseWeak(user.password, { email, name: user.name });
  if ((await internalAdapter.findUserByEmail(email)) !== null) {
    throw new ServiceError('conflict', `A user with the address ${email} exists already.`);
  }
  const hash = await hashing.hash(user.password);
  const created = await internalAdapter.createUser(
    { email, name: user.name, emailVerified: true },
    { method: 'admin' },
  );
  await internalAdapter.linkAccount({
    userId: created.id,
    accountId: created.id,
    providerId: 'credential',
    password: hash,
  });
  return { id: created.id, email, name: user.name, platformRole: null };
}

async function createOrganization(db: Adapter, name: string, now: () => number): Promise<Organization> {
  const base = slugOf(name);
  for (let n = 1; ; n += 1) {
    const slug = n === 1 ? base : `${base}-${n}`;
    const taken = await db.findOne({ model: 'organization', where: [{ field: 'slug', value: slug }] });
    if (taken !== null) continue;
    const data = { name, slug, createdAt: new Date(now()) };
    return db.create<typeof data, OrganizationRecord>({ model: 'organization', data });
  }
}

async function addMember(
  db: Adapter,
  member: { organizationId: string; userId: string; role: MemberRole },
  now: () => number,
): Promise<void> {
  const { organizationId, userId, role } = member;
  const where = [
    { field: 'organizationId', value: organizationId },
    { field: 'userId', value: userId },
  ];
  const known = await db.findOne<{ id: string }>({ model: 'member', where });
  if (known === null) {
    await db.create({ model: 'member', data: { ...member, createdAt: new Date(now()) } });
    return;
  }
  await db.update({ model: 'member', where: [{ field: 'id', value: known.id }], update: { role } });
}

function refuseWeak(password: string, whose: { email: string; name: string }): void {
  const problem = passwordProblem(password, whose);
  if (problem === null) return;
  throw new ServiceError('invalid_request', PASSWORD_PROBLEMS[problem], {
    details: [{ path: 'password', message: PASSWORD_PROBLEMS[problem] }],
  });
}

function userOf({ id, email, name, platformRole }: UserRecord): User {
  return { id, email, name, platformRole: isPlatformRole(platformRole) ? platformRole : null };
}

function isPlatformRole(text: string | null | undefined): text is PlatformRole {
  return text === 'support' || text === 'operator';
}

/** Latin letters and digits with hyphens between; `org` where nothing is left. */
function slugOf(name: string): string {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 48);
  return slug === '' ? 'org' : slug;
}
