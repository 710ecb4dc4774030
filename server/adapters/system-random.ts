import { randomBytes } from 'node:crypto';
import type { Random } from '@/server/ports/random';

/** The machine's chance: `next` is quick and for jitter alone, `bytes` is cryptographic. */
export function createSystemRandom(): Random {
  return { next: () => Math.random(), bytes: (n) => randomBytes(n) };
}
