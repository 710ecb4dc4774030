// Deliveries as lists and pages show them.
import type { AttemptResource, DeliveryDetail, DeliveryResource } from './contract';
import {
  type BoundedCount,
  deliveryInput,
  deliveryListVerbInput,
  deliveryNewerVerbInput,
  noInput,
  type Page,
} from './inputs';
import { defineVerb } from './verb';

const READ = { scope: 'deliveries:read', role: 'viewer' } as const;
const query = { kind: 'query', audit: 'none', access: READ } as const;

export const listDeliveries = defineVerb({
  ...query,
  name: 'deliveries.list',
  target: 'environment',
  input: deliveryListVerbInput,
  handler: async (): Promise<Page<DeliveryResource>> => {
    throw new Error('not built yet');
  },
});

export const newerDeliveries = defineVerb({
  ...query,
  name: 'deliveries.newer',
  target: 'environment',
  input: deliveryNewerVerbInput,
  handler: async (): Promise<BoundedCount> => {
    throw new Error('not built yet');
  },
});

export const typesInUse = defineVerb({
  ...query,
  name: 'deliveries.types',
  target: 'environment',
  input: noInput,
  handler: async (): Promise<string[]> => {
    throw new Error('not built yet');
  },
});

export const getDelivery = defineVerb({
  ...query,
  name: 'deliveries.get',
  target: 'app',
  input: deliveryInput,
  handler: async (): Promise<DeliveryResource> => {
    throw new Error('not built yet');
  },
});

export const getDeliveryDetail = defineVerb({
  ...query,
  name: 'deliveries.detail',
  target: 'app',
  input: deliveryInput,
  handler: async (): Promise<DeliveryDetail> => {
    throw new Error('not built yet');
  },
});

export const listAttempts = defineVerb({
  ...query,
  name: 'deliveries.attempts',
  target: 'app',
  input: deliveryInput,
  handler: async (): Promise<AttemptResource[]> => {
    throw new Error('not built yet');
  },
});
