import type { Clock } from '@/server/ports/clock';
import type { Logger } from '@/server/ports/logger';

/** How often the offset is measured again, ms (R-TIM-1). */
export const MEASURED_EVERY_MS = 30_000;
/** One measurement is several, of which the quickest is right by the least error. */
const SAMPLES = 5;

export interface ServerClock extends Clock {
  /** Measures at once, and from then on every 30 s. @throws where the server does not answer the first time: it goes on. */
  start(): Promise<void>;
  stop(): void;
}

export interface ServerClockDeps {
  /** This machine's clock. */
  clock: Clock;
  /** The server's now, epoch ms. */
  measure: () => Promise<number>;
  log: Logger;
}

interface Sample {
  /** The server's now less this machine's monotonic clock, ms. */
  offsetMs: number;
  tookMs: number;
}

async function sample({ clock, measure }: ServerClockDeps): Promise<Sample> {
  const startedAt = clock.monotonic();
  const serverNow = await measure();
  const tookMs = clock.monotonic() - startedAt;
  // The server looked halfway between question and answer.
  return { offsetMs: serverNow - startedAt - tookMs / 2, tookMs };
}

async function measureOffset(deps: ServerClockDeps): Promise<number> {
  let best = await sample(deps);
  for (let nth = 1; nth < SAMPLES; nth += 1) {
    const found = await sample(deps);
    if (found.tookMs < best.tookMs) best = found;
  }
  return best.offsetMs;
}

/**
 * The database server's clock, so that engines on several machines agree on what is due and which lease is over
 * (R-TIM-1): this machine's monotonic clock and its distance to the server's, measured again every 30 s. A step of this
 * machine's wall clock moves nothing; a measurement that fails leaves the distance as it was.
 */
export function createServerClock(deps: ServerClockDeps): ServerClock {
  const { clock, log } = deps;
  let offsetMs = clock.now() - clock.monotonic();
  let stopped = false;
  let cancel: () => void = () => undefined;
  const now = () => Math.round(clock.monotonic() + offsetMs);

  const measureAgain = async () => {
    try {
      offsetMs = await measureOffset(deps);
    } catch (error) {
      log.warn('server_clock_unread', { error: String(error) });
    }
    schedule();
  };

  const schedule = () => {
    if (stopped) return;
    cancel = clock.setTimer(clock.now() + MEASURED_EVERY_MS, () => void measureAgain());
  };

  return {
    now,
    monotonic: () => clock.monotonic(),
    setTimer: (at, fn) => setServerTimer(clock, { at, now, fn }),
    async start() {
      try {
        offsetMs = await measureOffset(deps);
      } finally {
        schedule();
      }
    },
    stop() {
      stopped = true;
      cancel();
    },
  };
}

/** Fires when the server's clock has reached `at`: where it turned out to be behind meanwhile, it waits on. */
function setServerTimer(
  clock: Clock,
  { at, now, fn }: { at: number; now: () => number; fn: () => void },
): () => void {
  let cancel: () => void = () => undefined;
  const arm = () => {
    cancel = clock.setTimer(clock.now() + at - now(), () => {
      if (now() < at) arm();
      else fn();
    });
  };
  arm();
  return () => cancel();
}
