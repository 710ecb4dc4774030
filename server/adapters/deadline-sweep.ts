// Invariant: one timer bounds everything that the dispatcher has under way, however much that is; a signal or a
// timer for each request would cost as much as sending it does.
import { performance } from 'node:perf_hooks';

/** Time for the dispatcher: a clock that never steps, in ms, and a timer. */
export interface Scheduler {
  nowMs(): number;
  /** Calls `fn` once after `delayMs`; returns what cancels it. Keeps no process alive. */
  setTimer(fn: () => void, delayMs: number): () => void;
}

export const systemScheduler: Scheduler = {
  nowMs: () => performance.now(),
  setTimer: (fn, delayMs) => {
    const timer = setTimeout(fn, delayMs).unref();
    return () => clearTimeout(timer);
  },
};

/** Something that ends at an instant of the scheduler's clock; the instant may be moved while it is watched. */
export interface Deadlined {
  deadlineAt: number;
  /** The deadline has passed; it is no longer watched. */
  expire(): void;
  /** It is cut off from outside. */
  abort(): void;
}

/** The longest time between two looks: how late a deadline that was moved nearer may be noticed. */
const GRAIN_MS = 100;
const FINEST_MS = 5;

export class DeadlineSweep {
  readonly #scheduler: Scheduler;
  readonly #watched = new Set<Deadlined>();
  #nextLookAt = Number.POSITIVE_INFINITY;
  #cancel: (() => void) | null = null;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  nowMs(): number {
    return this.#scheduler.nowMs();
  }

  /** Watches an entry until it expires or is taken out; `limitMs` is how far its deadline lies ahead. */
  add(entry: Deadlined, limitMs: number): void {
    this.#watched.add(entry);
    const now = this.#scheduler.nowMs();
    const wantedAt = now + grainFor(limitMs);
    // A ms of slack: without it every call would arm the timer anew.
    if (wantedAt < this.#nextLookAt - 1) this.#arm(wantedAt, now);
  }

  delete(entry: Deadlined): void {
    this.#watched.delete(entry);
  }

  /** Cuts off everything that is watched. */
  abortAll(): void {
    for (const entry of [...this.#watched]) entry.abort();
  }

  get size(): number {
    return this.#watched.size;
  }

  #arm(at: number, now: number): void {
    this.#cancel?.();
    this.#nextLookAt = at;
    this.#cancel = this.#scheduler.setTimer(() => this.#look(), at - now);
  }

  #look(): void {
    const now = this.#scheduler.nowMs();
    this.#cancel = null;
    this.#nextLookAt = Number.POSITIVE_INFINITY;
    let nearest = Number.POSITIVE_INFINITY;
    for (const entry of this.#watched) {
      if (entry.deadlineAt > now) {
        nearest = Math.min(nearest, entry.deadlineAt - now);
        continue;
      }
      this.#watched.delete(entry);
      entry.expire();
    }
    if (this.#watched.size === 0) return;
    const at = now + grainFor(nearest);
    if (at < this.#nextLookAt) this.#arm(at, now);
  }
}

function grainFor(limitMs: number): number {
  return Math.min(GRAIN_MS, Math.max(FINEST_MS, limitMs));
}
