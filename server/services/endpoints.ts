// Endpoints as lists and pages show them.
import type { EndpointResource } from './contract';
import { type BoundedCount, endpointInput, noInput } from './inputs';
import { defineVerb } from './verb';

const query = {
  kind: 'query',
  audit: 'none',
  access: { scope: 'endpoints:read', role: 'viewer' },
} as const;

export const listEndpoints = defineVerb({
  ...query,
  name: 'endpoints.list',
  target: 'environment',
  input: noInput,
  handler: async (): Promise<EndpointResource[]> => {
    throw new Error('not built yet');
  },
});

export const getEndpoint = defineVerb({
  ...query,
  name: 'endpoints.get',
  target: 'app',
  input: endpointInput,
  handler: async (): Promise<EndpointResource> => {
    throw new Error('not built yet');
  },
});

export const endpointPending = defineVerb({
  ...query,
  name: 'endpoints.pending',
  target: 'app',
  input: endpointInput,
  handler: async (): Promise<BoundedCount> => {
    throw new Error('not built yet');
  },
});
