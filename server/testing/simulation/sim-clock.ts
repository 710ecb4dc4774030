import type { Clock } from '@/server/ports/clock';

interface Timer {
  at: number;
  due: number;
  order: number;
  fn: () => void;
}

/** A clock that the simulation moves from timer to timer. */
export interface SimClock extends Clock {
  /** Ms until the next timer is due; null: none waits. */
  readonly nextInMs: number | null;
  /** Moves time to the next timer and calls it. */
  fireNext(): void;
  /** Moves time without calling anything; no timer may be due before. */
  moveBy(ms: number): void;
  /** Steps the wall clock alone (R-TIM-1). Timers run by the monotonic one, as Node's do. */
  stepWall(ms: number): void;
}

export function createSimClock(startAt: number = Date.UTC(2026, 0, 1)): SimClock {
  let wall = startAt;
  let monotonic = 0;
  let order = 0;
  const timers = new Set<Timer>();

  const arm = (timer: Timer) => {
    timer.due = monotonic + Math.max(timer.at - wall, 0);
    timers.add(timer);
  };
  const first = (): Timer | null => {
    let best: Timer | null = null;
    for (const timer of timers) {
      if (best === null || timer.due < best.due || (timer.due === best.due && timer.order < best.order)) {
        best = timer;
      }
    }
    return best;
  };
  const moveTo = (to: number) => {
    if (to <= monotonic) return;
    wall += to - monotonic;
    monotonic = to;
  };

  return {
    now: () => wall,
    monotonic: () => monotonic,
    setTimer(at, fn) {
      order += 1;
      const timer: Timer = { at, due: 0, order, fn };
      arm(timer);
      return () => void timers.delete(timer);
    },
    get nextInMs() {
      const next = first();
      return next === null ? null : Math.max(0, next.due - monotonic);
    },
    fireNext() {
      const timer = first();
      if (timer === null) return;
      timers.delete(timer);
      moveTo(timer.due);
      // After a step back it has woken early, and waits on.
      if (wall < timer.at) arm(timer);
      else timer.fn();
    },
    moveBy: (ms) => moveTo(monotonic + ms),
    stepWall(ms) {
      wall += ms;
    },
  };
}
