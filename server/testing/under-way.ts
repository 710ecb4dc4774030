import { setTimeout as wait } from 'node:timers/promises';
import type { Store } from '@/server/ports/store';
import { aroundStore } from './faulty-store';

/** A call that takes longer waits for something that only the test can do. */
const AS_LONG_AS_MS = 2_000;

/** A store whose calls can be waited for: a database's answer comes in real time, whatever the fake clock says. */
export function createUnderWay(real: Store) {
  const calls = new Set<Promise<unknown>>();
  const store = aroundStore(real, (_call, work) => {
    const call = work();
    const over = () => void calls.delete(call);
    calls.add(call);
    call.then(over, over);
    return call;
  });
  return {
    store,
    /** Waits for the calls that are under way. False: there were none, or they do not end by themselves. */
    async ended(): Promise<boolean> {
      if (calls.size === 0) return false;
      const all = Promise.allSettled([...calls]).then(() => true);
      const given = new AbortController();
      const late = wait(AS_LONG_AS_MS, false, { signal: given.signal }).catch(() => false);
      const ended = await Promise.race([all, late]);
      given.abort();
      return ended;
    },
  };
}
