// Invariant: one timer at most is set, never further ahead than the longest sleep, and turns never overlap.
import type { Clock } from '@/server/ports/clock';

export interface Wakeups {
  /** Asks for a turn on the next turn of the event loop; asking twice is asking once. */
  kick(): void;
  stop(): Promise<void>;
}

export interface WakeupDeps {
  clock: Clock;
  /** No sleep is longer: what a lost kick costs at most (R-PUB-6). */
  longestSleepMs: number;
  /** Does what there is to do and says when there may be more (epoch ms); null: nothing is known to come. */
  turn: () => Promise<number | null>;
}

/** Sleeps until the next due instant or a kick. */
export function createWakeups({ clock, longestSleepMs, turn }: WakeupDeps): Wakeups {
  let asked = false;
  let stopped = false;
  let cancelTimer: (() => void) | null = null;
  let running: Promise<void> | null = null;

  const sleepUntil = (at: number | null) => {
    const latest = clock.now() + longestSleepMs;
    cancelTimer = clock.setTimer(at === null ? latest : Math.min(at, latest), kick);
  };

  const run = async () => {
    cancelTimer?.();
    cancelTimer = null;
    asked = false;
    const nextAt = await turn();
    running = null;
    if (stopped) return;
    if (asked) start();
    else sleepUntil(nextAt);
  };

  const start = () => {
    running = new Promise((resolve) => setImmediate(resolve)).then(run);
  };

  function kick() {
    asked = true;
    if (!running && !stopped) start();
  }

  return {
    kick,
    async stop() {
      stopped = true;
      cancelTimer?.();
      await running;
    },
  };
}
