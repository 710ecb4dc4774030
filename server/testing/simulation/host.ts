import type { Clock } from '@/server/ports/clock';
import type { Store } from '@/server/ports/store';
import { type AroundCall, aroundStore, type Injection, type StoreCall, withInjection } from '../faulty-store';
import type { SimClock } from './sim-clock';

/** What may happen to one call of a store, drawn when it is made. */
export interface CallFate {
  injection: Injection | null;
  /** The process dies before the call takes effect, or after it has. */
  dies: 'before' | 'after' | null;
  delayBeforeMs: number;
  delayAfterMs: number;
}

export interface HostHooks {
  clock: SimClock;
  fate(host: Host, call: StoreCall): CallFate;
  /** A call begins or ends in real time: the simulation waits for it before it moves on. */
  busy(by: 1 | -1): void;
  /** Something came into a process. */
  stir(): void;
  onDeath(host: Host): void;
}

/**
 * One process of the installation. Everything that comes into it (timers, answers of the store and of receivers) comes
 * through `enter`: held while the process is stopped, dropped once it is dead.
 */
export class Host {
  state: 'running' | 'paused' | 'dead' = 'running';
  private held: (() => void)[] = [];

  constructor(
    readonly name: string,
    private readonly hooks: HostHooks,
  ) {}

  enter(fn: () => void): void {
    this.hooks.stir();
    if (this.state === 'dead') return;
    if (this.state === 'paused') this.held.push(fn);
    else fn();
  }

  /** SIGSTOP */
  pause(): void {
    if (this.state === 'running') this.state = 'paused';
  }

  /** SIGCONT: what came meanwhile comes now, in order. */
  resume(): void {
    if (this.state !== 'paused') return;
    this.state = 'running';
    const held = this.held;
    this.held = [];
    for (const fn of held) this.enter(fn);
  }

  /** SIGKILL */
  kill(): void {
    if (this.state === 'dead') return;
    this.state = 'dead';
    this.held = [];
    this.hooks.onDeath(this);
  }

  clock(): Clock {
    const { clock } = this.hooks;
    return {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      setTimer: (at, fn) => {
        let live = true;
        const cancel = clock.setTimer(at, () => this.enter(() => void (live && fn())));
        return () => {
          live = false;
          cancel();
        };
      },
    };
  }

  /** The store as this process has it. `watch` sees each call that took effect, whatever the process gets to know. */
  store(store: Store, watch: (call: StoreCall, result: unknown) => void): Store {
    const around: AroundCall = (call, work) => {
      const fate = this.hooks.fate(this, call);
      return new Promise((resolve, reject) => {
        const answer = (tell: () => void) => {
          if (fate.dies === 'after') this.kill();
          this.later(fate.delayAfterMs, tell);
        };
        const run = () => {
          if (fate.dies === 'before') return this.kill();
          this.hooks.busy(1);
          const watched = async () => {
            const result = await work();
            watch(call, result);
            return result;
          };
          withInjection(fate.injection, watched)
            .then(
              (result) => answer(() => resolve(result)),
              (error: unknown) => answer(() => reject(error)),
            )
            .finally(() => this.hooks.busy(-1));
        };
        this.later(fate.delayBeforeMs, run);
      });
    };
    return {
      ...aroundStore(store, around),
      onChange: (listener) => store.onChange((changes) => this.enter(() => listener(changes))),
    };
  }

  private later(ms: number, fn: () => void): void {
    if (ms === 0) return this.enter(fn);
    const { clock } = this.hooks;
    clock.setTimer(clock.now() + ms, () => this.enter(fn));
  }
}
