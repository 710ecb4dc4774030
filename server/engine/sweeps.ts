// Invariant: sweeps only end what no sender is needed for, in small transactions, and stand still after a clock
// jump until it is confirmed or an hour has passed (R-TIM-1).
import type { Clock } from '@/server/ports/clock';
import type { Logger } from '@/server/ports/logger';
import type { Store } from '@/server/ports/store';

const EVERY_MS = 60_000;
const ROWS = 1_000;
const JUMP_MS = 3_600_000;

export interface Sweeps {
  /** Sweeps when a minute has passed since the last time. */
  expiry(): Promise<void>;
  /** Goes on with the drains of closed breakers (R-BRK-4), those of a killed engine too. */
  drain(): Promise<void>;
  /** Says that the present wall clock is right, so that a jump forward no longer holds the sweeps. */
  confirmClock(): void;
}

export function createSweeps(deps: {
  store: Pick<Store, 'sweep' | 'drain'>;
  clock: Clock;
  log: Logger;
}): Sweeps {
  const { store, clock, log } = deps;
  const offset = () => clock.now() - clock.monotonic();
  let trustedOffset = offset();
  let jumpedAt: number | null = null;
  let lastAt: number | null = null;

  const isTrusted = () => {
    const ahead = offset() - trustedOffset;
    if (ahead <= JUMP_MS) {
      trustedOffset = offset();
      jumpedAt = null;
      return true;
    }
    if (jumpedAt === null) {
      jumpedAt = clock.monotonic();
      log.warn('clock_jumped', { ahead_ms: ahead, sweeps: 'stand still for an hour' });
    }
    if (clock.monotonic() - jumpedAt < JUMP_MS) return false;
    trustedOffset = offset();
    jumpedAt = null;
    return true;
  };

  return {
    async expiry() {
      const monotonic = clock.monotonic();
      if (lastAt !== null && monotonic - lastAt < EVERY_MS) return;
      if (!isTrusted()) return;
      lastAt = monotonic;
      for (;;) {
        const swept = await store.sweep({ now: clock.now(), limit: ROWS });
        if (swept.skipped + swept.failed > 0) log.info('swept', swept);
        if (!swept.more) return;
      }
    },
    async drain() {
      while (await store.drain({ now: clock.now(), limit: ROWS }));
    },
    confirmClock() {
      trustedOffset = offset();
      jumpedAt = null;
    },
  };
}
