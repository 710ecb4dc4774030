import type { Random } from '@/server/ports/random';

/** Chance that repeats itself: the same seed gives the same draws. For tests and simulations only. */
export function createSeededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next32 = () => {
    state = (state + 0x9e3779b9) >>> 0;
    let x = state;
    x = Math.imul(x ^ (x >>> 16), 0x21f0aaad);
    x = Math.imul(x ^ (x >>> 15), 0x735a2d97);
    return (x ^ (x >>> 15)) >>> 0;
  };
  return {
    next: () => next32() / 2 ** 32,
    bytes(n) {
      const out = new Uint8Array(n);
      for (let i = 0; i < n; i += 1) out[i] = next32() >>> 24;
      return out;
    },
  };
}
