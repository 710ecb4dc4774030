// What the signed-in person may see, and the counts beside the navigation.
import { breakerStateAt } from '@/server/core/breaker';
import type { EndpointRow } from '@/server/ports/records';
import { appsOfActor, renderApp } from './apps';
import type { Me } from './contract';
import { type BoundedCount, noInput } from './inputs';
import { ServiceError } from './service-error';
import { defineVerb } from './verb';

export interface NavCounts {
  pending: BoundedCount;
  endpoints: number;
  /** Failing, disabled by the product, or unsigned. */
  endpoints_unwell: number;
  breakers_not_closed: number;
}

const PENDING_LIMIT = 1_000;

export const getMe = defineVerb({
  name: 'me.get',
  kind: 'query',
  audit: 'none',
  target: 'none',
  access: { scope: 'session', role: 'any' },
  input: noInput,
  handler: async ({ actor, deps }): Promise<Me> => {
    if (actor.kind !== 'user') throw new ServiceError('forbidden', 'Only a person has a profile.');
    const user = await deps.directory.user(actor.userId);
    if (user === null) throw new ServiceError('unauthorized', 'Sign in again.');
    const ids = actor.memberships.map((membership) => membership.organizationId);
    const names = new Map((await deps.directory.organizations(ids)).map(({ id, name }) => [id, name]));
    return {
      user: { id: actor.userId, ...user, platformRole: actor.platformRole },
      organizations: actor.memberships.map(({ organizationId, role }) => ({
        id: organizationId,
        name: names.get(organizationId) ?? organizationId,
        role,
      })),
      apps: (await appsOfActor(deps, actor)).map(renderApp),
      demo: deps.demo,
    };
  },
});

export const navCounts = defineVerb({
  name: 'nav.counts',
  kind: 'query',
  audit: 'none',
  target: 'environment',
  access: { scope: 'session', role: 'viewer' },
  input: noInput,
  handler: async ({ deps, scope, now }): Promise<NavCounts> => {
    const queries = deps.store.read;
    const pending = await queries.pendingOfEnvironment(scope, PENDING_LIMIT);
    const endpoints = await queries.endpoints(scope);
    const breakers = await queries.breakers(scope);
    return {
      pending: { count: pending, capped: pending >= PENDING_LIMIT },
      endpoints: endpoints.length,
      endpoints_unwell: endpoints.filter(isUnwell).length,
      breakers_not_closed: breakers.filter((breaker) => breakerStateAt(breaker, now) !== 'closed').length,
    };
  },
});

function isUnwell(endpoint: EndpointRow): boolean {
  return (
    endpoint.status === 'auto_disabled' || endpoint.failingSince !== null || endpoint.unsignedSince !== null
  );
}
