// Creating, editing and deleting endpoints (R-FAIL-8, R-DEL-4).
import { disable, enable, healthOf } from '@/server/core/endpoint-health';
import { makeId } from '@/server/core/ids';
import type { EndpointHealth } from '@/server/core/model';
import { secretIdentity } from '@/server/core/sealed-identity';
import { newSecret } from '@/server/core/signature';
import type { EndpointRow } from '@/server/ports/records';
import type { Tx } from '@/server/ports/store';
import { actorId } from './actor';
import { moveBreakerOf, resetWhenNobodyIsDown } from './breaker-moves';
import { type EndpointResource, endpointCreateInput, endpointPatchInput } from './contract';
import type { ServiceDeps } from './deps';
import { acceptHeaders, acceptTypes, acceptUrl, sealHeaders } from './endpoint-fields';
import { endpointInput, idInput } from './inputs';
import { findEndpoint } from './lookup';
import { policyInForce } from './policies';
import { renderEndpoint } from './render/endpoint';
import { loadView } from './render/view';
import { ServiceError } from './service-error';
import { defineVerb } from './verb';
import { assignRest, assignWaiting } from './waiting-rows';

const WRITE = { scope: 'endpoints:write', role: 'admin' } as const;

/** D27: endpoints of one environment. */
export const MAX_ENDPOINTS = 50;
const SECRET_BYTES = 32;

export const createEndpoint = defineVerb({
  name: 'endpoints.create',
  kind: 'command',
  target: 'environment',
  access: WRITE,
  input: endpointCreateInput.omit({ environment: true }),
  wakes: true,
  handler: async ({ deps, tx, scope, input, now }): Promise<EndpointResource> => {
    const { environment } = scope;
    const url = await acceptUrl(input.url, { deps, queries: tx, environment });
    const types = acceptTypes(input.types);
    const { policy } = await policyInForce(tx, { ...scope, policyId: null });
    const headers = acceptHeaders(input.headers, policy);
    if ((await tx.endpoints(scope)).length >= MAX_ENDPOINTS) {
      throw new ServiceError(
        'conflict',
        `An environment has at most ${MAX_ENDPOINTS} endpoints. Delete one first.`,
      );
    }
    const bare = await tx.insertEndpoint({
      publicId: makeId('ep', now, deps.random.bytes(10)),
      scope,
      url,
      description: input.description,
      types,
      headerNames: [],
      sealedHeaders: null,
      policyId: null,
      concurrency: input.concurrency,
      now,
    });
    // The row's number is part of what the values are sealed for.
    const row =
      headers.length === 0 ? bare : await tx.updateEndpoint(bare.id, sealHeaders(headers, bare, deps), now);
    const secret = await insertFirstSecret(tx, row, { deps, now });
    await assignWaiting(tx, { endpoint: row, now, after: 0 });
    const view = await loadView({ queries: tx, scope, now, hidesQueries: false });
    return { ...renderEndpoint(row, view), secret };
  },
  finish: assignedRest,
  audit: { action: 'endpoint.created', object: (result) => result.id },
});

/** R-PUB-3: more than one batch may have waited for this endpoint. */
async function assignedRest(
  { deps, now }: { deps: ServiceDeps; now: number },
  result: EndpointResource,
): Promise<EndpointResource> {
  await assignRest(deps.store, { endpointId: result.id, now });
  deps.engine.kick();
  return result;
}

async function insertFirstSecret(
  tx: Tx,
  row: EndpointRow,
  at: { deps: ServiceDeps; now: number },
): Promise<string> {
  const { id: endpointId, appId, environment } = row;
  const secret = newSecret(at.deps.random.bytes(SECRET_BYTES));
  const version = 1;
  const sealed = at.deps.secretBox.seal(secret, secretIdentity({ appId, endpointId, version }));
  await tx.insertSecret({
    endpointId,
    appId,
    environment,
    version,
    sealed,
    createdAt: at.now,
    expiresAt: null,
  });
  return secret;
}

const NOBODY_DOWN = 'no endpoint behind it is down any more';

export const updateEndpoint = defineVerb({
  name: 'endpoints.update',
  kind: 'command',
  target: 'app',
  access: WRITE,
  input: endpointPatchInput.extend({ endpointId: idInput }),
  wakes: true,
  handler: async (context): Promise<EndpointResource> => {
    const { tx, input, now, deps, actor } = context;
    const { endpointId, ...patch } = input;
    const row = await findEndpoint(context, tx, endpointId);
    const { environment } = row;
    const { policy } = await policyInForce(tx, row);
    const change: Parameters<Tx['updateEndpoint']>[1] = {};
    if (patch.url !== undefined) change.url = await acceptUrl(patch.url, { deps, queries: tx, environment });
    if (patch.description !== undefined) change.description = patch.description;
    if (patch.types !== undefined) change.types = acceptTypes(patch.types);
    if (patch.concurrency !== undefined) change.concurrency = patch.concurrency;
    if (patch.headers !== undefined) {
      Object.assign(change, sealHeaders(acceptHeaders(patch.headers, policy), row, deps));
    }
    const health = nextHealth(row, patch.status);
    if (health !== null) Object.assign(change, health);
    const next = await tx.updateEndpoint(row.id, change, now);
    const by = { actor: actorId(actor), reason: null, now };
    if (next.url !== row.url) await moveBreakerOf(tx, row, { kind: 'url_edited', ...by });
    if (health?.status === 'active') {
      await moveBreakerOf(tx, row, { kind: 'enabled', ...by });
      await assignWaiting(tx, { endpoint: next, now, after: 0 });
    }
    if (health?.status === 'disabled') await resetWhenNobodyIsDown(tx, row, { ...by, reason: NOBODY_DOWN });
    const scope = { appId: row.appId, environment };
    return renderEndpoint(next, await loadView({ queries: tx, scope, now, hidesQueries: false }));
  },
  finish: async (context, result) =>
    context.input.status === 'active' ? assignedRest(context, result) : result,
  audit: {
    action: 'endpoint.updated',
    object: (_result, input) => input.endpointId,
    detail: (_result, { endpointId: _id, ...patch }) => ({
      fields: Object.keys(patch),
      ...(patch.status === undefined ? {} : { status: patch.status }),
    }),
  },
});

/** R-FAIL-8: what a person's switch makes of the endpoint; null: it is so already. */
function nextHealth(row: EndpointRow, status: 'active' | 'disabled' | undefined): EndpointHealth | null {
  if (status === undefined || status === row.status) return null;
  return status === 'active' ? enable(healthOf(row)) : disable(healthOf(row));
}

export const removeEndpoint = defineVerb({
  name: 'endpoints.remove',
  kind: 'command',
  target: 'app',
  access: WRITE,
  input: endpointInput,
  handler: async (context): Promise<{ deleted_deliveries: number }> => {
    const { tx, now, actor } = context;
    const row = await findEndpoint(context, tx, context.input.endpointId);
    const deleted = await tx.deleteEndpoint(row.id);
    await resetWhenNobodyIsDown(tx, row, { actor: actorId(actor), reason: NOBODY_DOWN, now });
    return { deleted_deliveries: deleted };
  },
  audit: {
    action: 'endpoint.removed',
    object: (_result, input) => input.endpointId,
    detail: (result) => ({ deleted_deliveries: result.deleted_deliveries }),
  },
});
