// Invariant: an end that was handed over is written, however often the store has to be asked; until it is, nothing
// new is claimed (R-DEL-11).
import type { Clock } from '@/server/ports/clock';
import type { Logger } from '@/server/ports/logger';
import type { Decider, Settled, SettleEnd, Store } from '@/server/ports/store';

const GROUP = 200;
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 5_000;

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
  let idle: (() => void)[] = [];

  const schedule = () => {
    if (running || queue.length === 0) return;
    running = true;
    setImmediate(() => void run());
  };

  const run = async () => {
    const group = queue.slice(0, GROUP);
    try {
      const settled = await deps.store.settle(group, deps.decider, deps.random);
      queue.splice(0, group.length);
      waitMs = 0;
      deps.onSettled(settled);
      next();
    } catch (error) {
      waitMs = Math.min(Math.max(waitMs * 2, FIRST_WAIT_MS), LONGEST_WAIT_MS);
      deps.log.error('settle_failed', { ends: group.length, again_in_ms: waitMs, error: String(error) });
      deps.clock.setTimer(deps.clock.now() + waitMs, () => void run());
    }
  };

  const next = () => {
    running = false;
    if (queue.length > 0) return schedule();
    const done = idle;
    idle = [];
    for (const resolve of done) resolve();
  };

  return {
    add(end) {
      queue.push(end);
      schedule();
    },
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
