// Invariant: an end that was handed over is written, however often the store has to be asked; while the store cannot
// write, nothing new is claimed (R-DEL-11).
import type { Clock } from '@/server/ports/clock';
import type { Logger } from '@/server/ports/logger';
import type { Decider, Settled, SettleEnd, Store } from '@/server/ports/store';
import { StoreUnavailable } from '@/server/ports/store-unavailable';

const GROUP = 200;
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 5_000;
const ASIDE_MS = 30_000;

export interface SettlerDeps {
  store: Pick<Store, 'settle'>;
  decider: Decider;
  clock: Clock;
  random: () => number;
  log: Logger;
  onSettled: (settled: readonly Settled[]) => void;
}

export interface Settler {
  add(end: SettleEnd): void;
  /** The last write failed and is being tried again: claim nothing. */
  readonly blocked: boolean;
  readonly waiting: number;
  /** Resolves when everything handed over so far is written. */
  flushed(): Promise<void>;
}

/**
 * Group commit: ends gather while the transaction before them runs and until the next turn of the event loop, at
 * most 200, never on a timer; then one transaction settles them all.
 */
export function createSettler(deps: SettlerDeps): Settler {
  const queue: SettleEnd[] = [];
  let running = false;
  let waitMs = 0;
  /** Ends that are settled one by one, because a group that they were in could not be. */
  let singly = 0;
  let idle: (() => void)[] = [];

  const schedule = () => {
    if (running || queue.length === 0) return;
    running = true;
    setImmediate(() => void run());
  };

  const run = async () => {
    const group = queue.slice(0, singly > 0 ? 1 : GROUP);
    try {
      const settled = await deps.store.settle(group, deps.decider, deps.random);
      queue.splice(0, group.length);
      singly = Math.max(0, singly - group.length);
      waitMs = 0;
      deps.onSettled(settled);
      next();
    } catch (error) {
      if (error instanceof StoreUnavailable) again(group, error);
      else if (group.length > 1) {
        singly = group.length;
        next();
      } else setAside(error);
    }
  };

  /** The store cannot write now: the same again, later, and nothing new meanwhile. */
  const again = (group: readonly SettleEnd[], error: StoreUnavailable) => {
    waitMs = Math.min(Math.max(waitMs * 2, FIRST_WAIT_MS), LONGEST_WAIT_MS);
    deps.log.error('settle_failed', { ends: group.length, again_in_ms: waitMs, fault: error.fault });
    deps.clock.setTimer(deps.clock.now() + waitMs, () => void run());
  };

  /** This end alone cannot be settled, which is a fault of ours: it is kept, and stops no other. */
  const setAside = (error: unknown) => {
    const [end] = queue.splice(0, 1);
    singly = Math.max(0, singly - 1);
    deps.log.error('settle_broken', { delivery: end?.deliveryId, error: String(error) });
    if (end) deps.clock.setTimer(deps.clock.now() + ASIDE_MS, () => add(end));
    next();
  };

  const next = () => {
    running = false;
    if (queue.length > 0) return schedule();
    const done = idle;
    idle = [];
    for (const resolve of done) resolve();
  };

  const add = (end: SettleEnd) => {
    queue.push(end);
    schedule();
  };

  return {
    add,
    get blocked() {
      return waitMs > 0;
    },
    get waiting() {
      return queue.length;
    },
    flushed() {
      if (queue.length === 0 && !running) return Promise.resolve();
      return new Promise((resolve) => idle.push(resolve));
    },
  };
}
