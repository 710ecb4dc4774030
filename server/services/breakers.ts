// Breakers: reading them, and the reset by hand (R-BRK-6, R-BRK-8).
import type { BreakerDetail, BreakerResource } from './contract';
import { breakerInput, breakerResetInput, noInput } from './inputs';
import { defineVerb } from './verb';

export interface SupportBreaker {
  breaker: BreakerResource;
  app: { id: string; name: string; organization_id: string };
  endpoint_label: string | null;
}

const query = { kind: 'query', audit: 'none' } as const;
const READ = { scope: 'deliveries:read', role: 'viewer', platform: ['support'] } as const;

export const listBreakers = defineVerb({
  ...query,
  name: 'breakers.list',
  target: 'environment',
  access: READ,
  input: noInput,
  handler: async (): Promise<BreakerResource[]> => {
    throw new Error('not built yet');
  },
});

export const getBreaker = defineVerb({
  ...query,
  name: 'breakers.get',
  target: 'app',
  access: READ,
  input: breakerInput,
  handler: async (): Promise<BreakerDetail> => {
    throw new Error('not built yet');
  },
});

export const resetBreaker = defineVerb({
  name: 'breakers.reset',
  kind: 'command',
  target: 'app',
  access: { scope: 'breakers:reset', role: 'none', platform: ['support'] },
  input: breakerResetInput,
  audit: {
    action: 'breaker.reset',
    object: (_result, input) => input.breakerId,
    detail: (_result, input) => ({ reason: input.reason }),
  },
  wakes: true,
  handler: async (): Promise<BreakerResource> => {
    throw new Error('not built yet');
  },
});

export const supportBreakers = defineVerb({
  ...query,
  name: 'support.breakers',
  target: 'none',
  access: { scope: 'session', role: 'none', platform: ['support'] },
  input: noInput,
  handler: async (): Promise<SupportBreaker[]> => {
    throw new Error('not built yet');
  },
});
