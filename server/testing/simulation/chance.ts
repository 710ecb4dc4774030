import type { Random } from '@/server/ports/random';
import { createSeededRandom } from '../seeded-random';

/** Draws of one part of a simulation; parts do not disturb each other's. */
export interface Chance {
  random: Random;
  /** True with this probability. */
  odds(probability: number): boolean;
  /** A whole number, both ends included. */
  int(from: number, to: number): number;
  pick<T>(from: readonly [T, ...T[]] | readonly T[]): T;
  /** By weight. */
  weighted<T extends string>(weights: Readonly<Record<T, number>>): T;
  /** A gap of a random process with this mean, ms, at least 1. */
  gapMs(meanMs: number): number;
}

export function createChance(seed: number, part: string): Chance {
  const random = createSeededRandom(mix(seed, part));
  const int = (from: number, to: number) => from + Math.floor(random.next() * (to - from + 1));
  return {
    random,
    odds: (probability) => random.next() < probability,
    int,
    pick<T>(from: readonly T[]): T {
      const picked = from[int(0, from.length - 1)];
      if (picked === undefined) throw new Error('nothing to pick from');
      return picked;
    },
    weighted<T extends string>(weights: Readonly<Record<T, number>>): T {
      const entries = Object.entries(weights) as [T, number][];
      let left = random.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [name, weight] of entries) {
        left -= weight;
        if (left < 0) return name;
      }
      const [last] = entries.slice(-1);
      if (last === undefined) throw new Error('nothing to weigh');
      return last[0];
    },
    gapMs: (meanMs) => Math.max(1, Math.round(-Math.log(1 - random.next()) * meanMs)),
  };
}

/** FNV-1a over the part's name, begun from the seed. */
function mix(seed: number, part: string): number {
  let hash = (0x811c9dc5 ^ seed) >>> 0;
  for (const char of `${seed}/${part}`) {
    hash ^= char.charCodeAt(0);
    hash = Math.imul(hash, 0x01000193) >>> 0;
  }
  return hash;
}
