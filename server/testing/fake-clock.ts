import { setImmediate as realSetImmediate } from 'node:timers';
import type { Clock } from '@/server/ports/clock';

/** Turns of the event loop that are given to promise chains and immediates between two timers. */
const TURNS = 8;

interface FakeTimer {
  at: number;
  dueMonotonic: number;
  order: number;
  fn: () => void;
}

/** A clock that only tests move. `advance` and `runUntil` fire due timers in order and let their work finish. */
export interface FakeClock extends Clock {
  /** Moves time forward by `ms`, firing each timer at its own instant. */
  advance(ms: number): Promise<void>;
  /** As `advance`, to an instant (epoch ms); one that has passed only lets pending work finish. */
  runUntil(at: number): Promise<void>;
  /** Lets promise chains and immediates finish; time stands still. */
  settle(): Promise<void>;
  /** Steps the wall clock alone, as an operator or NTP does (R-TIM-1). */
  stepWall(ms: number): void;
  /** How many timers are waiting. */
  readonly pending: number;
  /** How many timers were ever set. */
  readonly timersSet: number;
  /** The instant of the next timer, epoch ms, or null. */
  readonly nextTimerAt: number | null;
}

/** @param startAt epoch ms of the first instant, 2026-01-01T00:00:00Z unless told. */
export function createFakeClock(startAt: number = Date.UTC(2026, 0, 1)): FakeClock {
  let wall = startAt;
  let monotonic = 0;
  let timersSet = 0;
  const timers = new Set<FakeTimer>();

  const arm = (timer: FakeTimer) => {
    timer.dueMonotonic = monotonic + Math.max(timer.at - wall, 0);
    timers.add(timer);
  };
  const move = (toMonotonic: number) => {
    wall += toMonotonic - monotonic;
    monotonic = toMonotonic;
  };
  const first = (): FakeTimer | null => {
    let best: FakeTimer | null = null;
    for (const timer of timers) if (best === null || isBefore(timer, best)) best = timer;
    return best;
  };
  const fire = (timer: FakeTimer) => {
    timers.delete(timer);
    move(Math.max(timer.dueMonotonic, monotonic));
    if (wall < timer.at) arm(timer);
    else timer.fn();
  };
  const runToMonotonic = async (target: number) => {
    await settle();
    for (let next = first(); next !== null && next.dueMonotonic <= target; next = first()) {
      fire(next);
      await settle();
    }
    move(Math.max(target, monotonic));
    await settle();
  };

  return {
    now: () => wall,
    monotonic: () => monotonic,
    setTimer(at, fn) {
      timersSet += 1;
      const timer: FakeTimer = { at, dueMonotonic: 0, order: timersSet, fn };
      arm(timer);
      return () => void timers.delete(timer);
    },
    advance: (ms) => runToMonotonic(monotonic + ms),
    runUntil: (at) => runToMonotonic(monotonic + Math.max(at - wall, 0)),
    settle,
    stepWall(ms) {
      wall += ms;
    },
    get pending() {
      return timers.size;
    },
    get timersSet() {
      return timersSet;
    },
    get nextTimerAt() {
      return first()?.at ?? null;
    },
  };
}

function isBefore(a: FakeTimer, b: FakeTimer): boolean {
  return a.dueMonotonic < b.dueMonotonic || (a.dueMonotonic === b.dueMonotonic && a.order < b.order);
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) await new Promise<void>((done) => realSetImmediate(done));
}
