// Apps and their catalogues, as programs and the console list them.
import type { MoneyRule } from '@/server/core/money';
import type { AppRow } from '@/server/ports/records';
import type { Actor } from './actor';
import type { AppResource } from './contract';
import type { ServiceDeps } from './deps';
import { noInput } from './inputs';
import { iso } from './render/delivery';
import { defineVerb } from './verb';

export interface EventTypeResource {
  type: string;
  description: string;
  money: MoneyRule | null;
  example: string | null;
}

export function renderApp(row: AppRow): AppResource {
  return {
    id: row.publicId,
    name: row.name,
    organization_id: row.organizationId,
    created_at: iso(row.createdAt),
  };
}

/** The apps that an actor may enter as a member or by its key; staff enter by id. */
export async function appsOfActor(deps: Pick<ServiceDeps, 'store'>, actor: Actor): Promise<AppRow[]> {
  const rows: AppRow[] = [];
  for (const organizationId of organizationsOf(actor)) {
    rows.push(...(await deps.store.read.appsOf(organizationId)));
  }
  return actor.kind === 'key' && actor.appId !== null ? rows.filter((row) => row.id === actor.appId) : rows;
}

function organizationsOf(actor: Actor): string[] {
  switch (actor.kind) {
    case 'key':
      return actor.organizationId === null ? [] : [actor.organizationId];
    case 'user':
      return actor.memberships.map((membership) => membership.organizationId);
    case 'system':
      return [];
    default:
      return actor satisfies never;
  }
}

export const listApps = defineVerb({
  name: 'apps.list',
  kind: 'query',
  audit: 'none',
  target: 'none',
  access: { scope: 'endpoints:read', role: 'any' },
  input: noInput,
  handler: async ({ deps, actor }): Promise<AppResource[]> => (await appsOfActor(deps, actor)).map(renderApp),
});

export const getApp = defineVerb({
  name: 'apps.get',
  kind: 'query',
  audit: 'none',
  target: 'app',
  access: { scope: 'endpoints:read', role: 'viewer' },
  input: noInput,
  handler: async ({ app }): Promise<AppResource> => renderApp(app),
});

export const listEventTypes = defineVerb({
  name: 'eventTypes.list',
  kind: 'query',
  audit: 'none',
  target: 'app',
  access: { scope: 'endpoints:read', role: 'viewer' },
  input: noInput,
  handler: async ({ deps, app }): Promise<EventTypeResource[]> => {
    const rows = await deps.store.read.eventTypes(app.id);
    return rows.map(({ type, description, money, example }) => ({ type, description, money, example }));
  },
});
