// Who may call a verb on what. Tenancy comes first, so that a foreign id answers as an unknown one (D02).
import type { Environment } from '@/server/core/model';
import type { AppRow } from '@/server/ports/records';
import { type Actor, hasRole, type KeyScope, type MemberRole, type PlatformRole, roleIn } from './actor';
import { environmentSchema } from './contract';
import type { ServiceDeps } from './deps';
import { hotReads } from './hot-reads';
import { invalid, notFound, ServiceError } from './service-error';

/** `environment`: an app in one environment. `app`: an app, or an object of it that knows its environment. */
export type TargetKind = 'none' | 'organization' | 'app' | 'environment';

export interface Access {
  /** What a key must carry; `session`: keys are refused; `internal`: the product itself alone. */
  scope: KeyScope | 'session' | 'internal';
  /** The weakest member role that may; `any`: whoever is signed in; `none`: members may not. */
  role: MemberRole | 'any' | 'none';
  /** Platform roles that may, in every organization. */
  platform?: readonly PlatformRole[];
}

export interface Resolved {
  organizationId: string | null;
  appId: number | null;
  objectId: string | null;
  /** Environment asked for that the key is not bound to. */
  wrongEnvironment: boolean;
  /** What the handler is handed. */
  context: object;
}

interface Caller {
  actor: Actor;
  deps: ServiceDeps;
}

export interface RawTarget {
  organizationId?: unknown;
  appId?: unknown;
  environment?: unknown;
}

/** Finds what the call is aimed at. @throws ServiceError not_found, invalid_request */
export async function resolveTarget(kind: TargetKind, caller: Caller, raw: RawTarget): Promise<Resolved> {
  switch (kind) {
    case 'none':
      return { organizationId: null, appId: null, objectId: null, wrongEnvironment: false, context: {} };
    case 'organization':
      return resolveOrganization(caller.actor, raw);
    case 'app':
    case 'environment':
      return resolveApp(kind, caller, raw);
    default:
      return kind satisfies never;
  }
}

function resolveOrganization(actor: Actor, raw: RawTarget): Resolved {
  const id = raw.organizationId;
  if (typeof id !== 'string' || !mayEnter(actor, id)) throw notFound(typeof id === 'string' ? id : undefined);
  return {
    organizationId: id,
    appId: null,
    objectId: id,
    wrongEnvironment: false,
    context: { organizationId: id },
  };
}

async function resolveApp(kind: 'app' | 'environment', caller: Caller, raw: RawTarget): Promise<Resolved> {
  const { actor, deps } = caller;
  const app = typeof raw.appId === 'string' ? await hotReads(deps.store).app(raw.appId) : null;
  if (app === null) throw notFound();
  if (!mayEnterApp(actor, app)) throw notFound(app.publicId);
  const asked = readEnvironment(raw.environment);
  const bound = actor.kind === 'key' ? actor.environment : null;
  const environment = bound ?? asked;
  if (environment === null && kind === 'environment') {
    throw invalid('environment', 'Say which environment: test or live.');
  }
  const context = environment === null ? { app, environment } : appContext(app, environment);
  return {
    organizationId: app.organizationId,
    appId: app.id,
    objectId: app.publicId,
    wrongEnvironment: bound !== null && asked !== null && asked !== bound,
    context,
  };
}

function appContext(app: AppRow, environment: Environment) {
  return { app, environment, scope: { appId: app.id, environment } };
}

function readEnvironment(raw: unknown): Environment | null {
  if (raw === undefined || raw === null) return null;
  const parsed = environmentSchema.safeParse(raw);
  if (!parsed.success) throw invalid('environment', 'The environment is test or live.');
  return parsed.data;
}

/** Whether anything of the organization may be visible to the actor at all. */
function mayEnter(actor: Actor, organizationId: string): boolean {
  switch (actor.kind) {
    case 'system':
      return true;
    case 'key':
      return actor.organizationId === null || actor.organizationId === organizationId;
    case 'user':
      return actor.platformRole !== null || roleIn(actor, organizationId) !== null;
    default:
      return actor satisfies never;
  }
}

function mayEnterApp(actor: Actor, app: AppRow): boolean {
  if (actor.kind === 'key' && actor.appId !== null && actor.appId !== app.id) return false;
  return mayEnter(actor, app.organizationId);
}

/** Scope or role, then environment. @throws ServiceError forbidden, wrong_environment, not_found */
export function authorize(access: Access, actor: Actor, resolved: Resolved): void {
  const denial = {
    objectId: resolved.objectId,
    organizationId: resolved.organizationId,
    appId: resolved.appId,
  };
  if (!isAllowed(access, actor, resolved)) {
    // Staff without the role see a merchant's app as anybody else does.
    const member = actor.kind !== 'user' || resolved.organizationId === null;
    if (!member && roleIn(actor, resolved.organizationId ?? '') === null) {
      throw notFound(resolved.objectId ?? undefined);
    }
    throw new ServiceError('forbidden', refusalOf(access, actor), { denial });
  }
  if (resolved.wrongEnvironment) throw wrongEnvironment(denial.objectId, resolved);
}

/** A key was used on the environment that it is not bound to. */
export function wrongEnvironment(
  objectId: string | null,
  of: { organizationId: string | null; appId: number | null },
): ServiceError {
  return new ServiceError(
    'wrong_environment',
    'This key belongs to the other environment. Use its own key.',
    {
      denial: { objectId, organizationId: of.organizationId, appId: of.appId },
    },
  );
}

function isAllowed(access: Access, actor: Actor, resolved: Resolved): boolean {
  switch (actor.kind) {
    case 'system':
      return true;
    case 'key':
      return actor.scopes.includes(access.scope);
    case 'user':
      return isUserAllowed(access, actor, resolved.organizationId);
    default:
      return actor satisfies never;
  }
}

function isUserAllowed(
  access: Access,
  actor: Extract<Actor, { kind: 'user' }>,
  organizationId: string | null,
): boolean {
  if (access.scope === 'internal') return false;
  if (actor.platformRole !== null && access.platform?.includes(actor.platformRole)) return true;
  if (access.role === 'any') return true;
  if (access.role === 'none' || organizationId === null) return false;
  return hasRole(roleIn(actor, organizationId), access.role);
}

function refusalOf(access: Access, actor: Actor): string {
  if (actor.kind !== 'key') return 'Your role does not allow this. Ask an admin of the organization.';
  if (access.scope === 'session' || access.scope === 'internal') return 'An API key cannot do this.';
  return `This key lacks the scope ${access.scope}. Make a key that carries it.`;
}
