import { expect, it } from 'vitest';
import type { Decider } from '@/server/ports/store';
import { decider } from './decide';

it('R-LAD-6 the decider is the one that the store takes', () => {
  const port: Decider = decider;
  expect(port).toBe(decider);
});
