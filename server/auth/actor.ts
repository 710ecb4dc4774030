// From a session's cookie to the person who acts, read anew on every call: a role that is taken, a member who is
// removed and a session that is ended count from the next request on (D09).
import { isMemberRole, type Membership, type PlatformRole, type UserActor } from '@/server/services/actor';
import type { Auth } from './config';

export interface ActorDeps {
  auth: Auth;
  /** A page that renders cannot set a cookie, so it must not renew the session either. */
  renewsSession?: boolean;
}

/** Memberships that are read of one person. */
const MEMBERSHIPS_READ = 1_000;

/**
 * The person behind a console request, or null. Only the session's cookie counts: an `Authorization` header is not
 * even looked at, so that a key never works on the console (D20).
 */
export async function actorFromHeaders(headers: Headers, deps: ActorDeps): Promise<UserActor | null> {
  const { auth, renewsSession = true } = deps;
  const cookie = headers.get('cookie');
  if (cookie === null) return null;
  const found = await auth.api.getSession({
    headers: new Headers({ cookie }),
    query: { disableRefresh: !renewsSession },
  });
  if (found === null) return null;
  return {
    kind: 'user',
    userId: found.user.id,
    platformRole: platformRole(found.user.platformRole),
    memberships: await membershipsOf(auth, found.user.id),
  };
}

interface MemberRecord {
  organizationId: string;
  role: string;
}

async function membershipsOf(auth: Auth, userId: string): Promise<readonly Membership[]> {
  const { adapter } = await auth.$context;
  const members = await adapter.findMany<MemberRecord>({
    model: 'member',
    where: [{ field: 'userId', value: userId }],
    limit: MEMBERSHIPS_READ,
  });
  return members.flatMap(({ organizationId, role }) =>
    isMemberRole(role) ? [{ organizationId, role }] : [],
  );
}

/** An unknown word in the column is no role. */
function platformRole(text: unknown): PlatformRole | null {
  return text === 'support' || text === 'operator' ? text : null;
}
