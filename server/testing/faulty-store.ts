import type { Store } from '@/server/ports/store';
import { type StoreFault, StoreUnavailable } from '@/server/ports/store-unavailable';

/** The calls by which a store is written to, or asked in order to write. */
export const STORE_CALLS = [
  'publish',
  'transact',
  'claim',
  'settle',
  'release',
  'expiredLeases',
  'sweep',
  'drain',
  'setUnsigned',
  'retryUnsigned',
] as const;
export type StoreCall = (typeof STORE_CALLS)[number];

/** `before`: nothing took effect, and the caller is told so. `after`: it is committed, and the answer is lost. */
export interface Injection {
  when: 'before' | 'after';
  fault: Exclude<StoreFault, 'closed'>;
}

/** What a cut connection leaves behind: nobody knows whether it was committed. It was. */
export class AnswerLost extends Error {
  readonly code = 'answer_lost';

  constructor(fault: Injection['fault']) {
    super(`The store's answer was lost after its commit (${fault}).`);
    this.name = 'AnswerLost';
  }
}

/** Runs one call of a store, or something in its place. */
export type AroundCall = <R>(call: StoreCall, work: () => Promise<R>) => Promise<R>;

/** The same store with every call of `STORE_CALLS` led through `around`. */
export function aroundStore(store: Store, around: AroundCall): Store {
  return {
    ...store,
    dialect: store.dialect,
    read: store.read,
    publish: (unit) => around('publish', () => store.publish(unit)),
    transact: (work) => around('transact', () => store.transact(work)),
    claim: (request) => around('claim', () => store.claim(request)),
    settle: (ends, decider, random) => around('settle', () => store.settle(ends, decider, random)),
    release: (claims, now) => around('release', () => store.release(claims, now)),
    expiredLeases: (query) => around('expiredLeases', () => store.expiredLeases(query)),
    sweep: (query) => around('sweep', () => store.sweep(query)),
    drain: (query) => around('drain', () => store.drain(query)),
    setUnsigned: (endpointId, gate) => around('setUnsigned', () => store.setUnsigned(endpointId, gate)),
    retryUnsigned: (now) => around('retryUnsigned', () => store.retryUnsigned(now)),
  };
}

/** A call that fails as `injection` says; null: it goes through. */
export async function withInjection<R>(injection: Injection | null, work: () => Promise<R>): Promise<R> {
  if (injection?.when === 'before') throw new StoreUnavailable(injection.fault);
  const result = await work();
  if (injection !== null) throw new AnswerLost(injection.fault);
  return result;
}

/** A real store of which single calls fail: `judge` is asked with the call's name and its number, counted from 1. */
export function createFaultyStore(
  store: Store,
  judge: (call: StoreCall, nth: number) => Injection | null,
): Store {
  const made = new Map<StoreCall, number>();
  return aroundStore(store, (call, work) => {
    const nth = (made.get(call) ?? 0) + 1;
    made.set(call, nth);
    return withInjection(judge(call, nth), work);
  });
}
