// What the signed-in person may see, and the counts beside the navigation.
import type { Me } from './contract';
import { type BoundedCount, noInput } from './inputs';
import { defineVerb } from './verb';

export interface NavCounts {
  pending: BoundedCount;
  endpoints: number;
  /** Failing, disabled by the product, or unsigned. */
  endpoints_unwell: number;
  breakers_not_closed: number;
}

const query = { kind: 'query', audit: 'none' } as const;

export const getMe = defineVerb({
  ...query,
  name: 'me.get',
  target: 'none',
  access: { scope: 'session', role: 'any' },
  input: noInput,
  handler: async (): Promise<Me> => {
    throw new Error('not built yet');
  },
});

export const navCounts = defineVerb({
  ...query,
  name: 'nav.counts',
  target: 'environment',
  access: { scope: 'session', role: 'viewer' },
  input: noInput,
  handler: async (): Promise<NavCounts> => {
    throw new Error('not built yet');
  },
});
