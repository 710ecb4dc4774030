// Endpoints as lists and pages show them.
import type { EndpointResource } from './contract';
import { type BoundedCount, endpointInput, noInput } from './inputs';
import { findEndpoint } from './lookup';
import { renderEndpoint } from './render/endpoint';
import { hidesQueries, loadView } from './render/view';
import { defineVerb } from './verb';

const READ = { scope: 'endpoints:read', role: 'viewer' } as const;

/** Pending deliveries of an endpoint are counted up to here. */
const PENDING_LIMIT = 10_000;

export const listEndpoints = defineVerb({
  name: 'endpoints.list',
  kind: 'query',
  audit: 'none',
  access: READ,
  target: 'environment',
  input: noInput,
  handler: async ({ deps, scope, now, actor, app }): Promise<EndpointResource[]> => {
    const hides = hidesQueries(actor, app.organizationId);
    const view = await loadView({ queries: deps.store.read, scope, now, hidesQueries: hides });
    const rows = [...view.endpoints.values()].sort((a, b) => a.number - b.number);
    return rows.map((row) => renderEndpoint(row, view));
  },
});

export const getEndpoint = defineVerb({
  name: 'endpoints.get',
  kind: 'query',
  audit: 'none',
  access: READ,
  target: 'app',
  input: endpointInput,
  handler: async (context): Promise<EndpointResource> => {
    const { deps, input, now, actor, app } = context;
    const queries = deps.store.read;
    const row = await findEndpoint(context, queries, input.endpointId);
    const scope = { appId: row.appId, environment: row.environment };
    const hides = hidesQueries(actor, app.organizationId);
    return renderEndpoint(row, await loadView({ queries, scope, now, hidesQueries: hides }));
  },
});

export const endpointPending = defineVerb({
  name: 'endpoints.pending',
  kind: 'query',
  audit: 'none',
  access: READ,
  target: 'app',
  input: endpointInput,
  handler: async (context): Promise<BoundedCount> => {
    const { deps, input } = context;
    const row = await findEndpoint(context, deps.store.read, input.endpointId);
    const count = await deps.store.read.pendingOf(row.id, PENDING_LIMIT);
    return { count, capped: count >= PENDING_LIMIT };
  },
});
