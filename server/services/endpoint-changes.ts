// Creating, editing and deleting endpoints (R-FAIL-8, R-DEL-4).
import { type EndpointResource, endpointCreateInput, endpointPatchInput } from './contract';
import { endpointInput, idInput } from './inputs';
import { defineVerb } from './verb';

const WRITE = { scope: 'endpoints:write', role: 'admin' } as const;

export const createEndpoint = defineVerb({
  name: 'endpoints.create',
  kind: 'command',
  target: 'environment',
  access: WRITE,
  input: endpointCreateInput.omit({ environment: true }),
  audit: { action: 'endpoint.created', object: (result) => result.id },
  wakes: true,
  handler: async (): Promise<EndpointResource> => {
    throw new Error('not built yet');
  },
});

export const updateEndpoint = defineVerb({
  name: 'endpoints.update',
  kind: 'command',
  target: 'app',
  access: WRITE,
  input: endpointPatchInput.extend({ endpointId: idInput }),
  audit: { action: 'endpoint.updated', object: (_result, input) => input.endpointId },
  wakes: true,
  handler: async (): Promise<EndpointResource> => {
    throw new Error('not built yet');
  },
});

export const removeEndpoint = defineVerb({
  name: 'endpoints.remove',
  kind: 'command',
  target: 'app',
  access: WRITE,
  input: endpointInput,
  audit: { action: 'endpoint.removed', object: (_result, input) => input.endpointId },
  handler: async (): Promise<{ deleted_deliveries: number }> => {
    throw new Error('not built yet');
  },
});
