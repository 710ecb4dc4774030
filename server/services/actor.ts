// Who acts: made by server/auth from a session, by `authenticateKey` from a bearer, or the product itself.
import type { Environment } from '@/server/core/model';

export const MEMBER_ROLES = ['viewer', 'developer', 'admin', 'owner'] as const;
/** From the weakest to the strongest: each may what those before it may. */
export type MemberRole = (typeof MEMBER_ROLES)[number];

export type PlatformRole = 'support' | 'operator';

export const MERCHANT_SCOPES = [
  'events:write',
  'events:read',
  'deliveries:read',
  'deliveries:write',
  'endpoints:read',
  'endpoints:write',
  'sandbox:write',
] as const;
export const PLATFORM_SCOPES = ['apps:write', 'catalogue:write', 'breakers:reset'] as const;
export type KeyScope = (typeof MERCHANT_SCOPES)[number] | (typeof PLATFORM_SCOPES)[number];

export interface KeyActor {
  kind: 'key';
  /** `key_…` */
  keyId: string;
  /** Null for a platform key. */
  organizationId: string | null;
  /** The app's row number where the key is bound to one. */
  appId: number | null;
  /** Null for a platform key alone. */
  environment: Environment | null;
  scopes: readonly string[];
}

export interface Membership {
  organizationId: string;
  role: MemberRole;
}

export interface UserActor {
  kind: 'user';
  userId: string;
  platformRole: PlatformRole | null;
  memberships: readonly Membership[];
}

/** The product itself and `npm run admin`: everything is allowed, nothing is left out of the audit log. */
export interface SystemActor {
  kind: 'system';
}

export type Actor = KeyActor | UserActor | SystemActor;

/** The name under which an actor stands in the audit log and beside the attempts it caused. */
export function actorId(actor: Actor): string {
  switch (actor.kind) {
    case 'key':
      return actor.keyId;
    case 'user':
      return actor.userId;
    case 'system':
      return 'system';
    default:
      return actor satisfies never;
  }
}

export function isMemberRole(text: string): text is MemberRole {
  return MEMBER_ROLES.some((role) => role === text);
}

/** The role of a user in an organization; null: no member. */
export function roleIn(actor: UserActor, organizationId: string): MemberRole | null {
  return actor.memberships.find((membership) => membership.organizationId === organizationId)?.role ?? null;
}

export function hasRole(actual: MemberRole | null, needed: MemberRole): boolean {
  return actual !== null && MEMBER_ROLES.indexOf(actual) >= MEMBER_ROLES.indexOf(needed);
}
