// Many commits become few ticks: one at once, then at most one every 250 ms.
import type { Scope } from '@/server/ports/queries';
import type { Change } from '@/server/ports/store';
import type { ServiceDeps } from '@/server/services/deps';
import { concerns } from '@/server/services/waiting';

export const TICK_MS = 250;
/** How often a running stream asks again whether it may go on (D09). */
export const RECHECK_MS = 1_000;

interface Tick {
  /** What changed; empty where another process did it. */
  kinds: Change['kind'][];
  at: number;
}

interface TickSource {
  deps: Pick<ServiceDeps, 'clock' | 'changes'>;
  /** @throws ServiceError when the actor may not watch (any more) */
  admit(): Promise<Scope>;
  signal: AbortSignal | undefined;
  /** Something may have changed already. */
  stirred?: boolean;
}

/** Ticks until the signal aborts. @throws ServiceError as `admit` does */
export async function* ticks(source: TickSource): AsyncGenerator<Tick> {
  const { clock, changes } = source.deps;
  const scope = await source.admit();
  const gathered = new Set<Change['kind']>();
  let stirred = source.stirred ?? false;
  const bell = makeBell();
  const unsubscribe = changes.subscribe((batch) => {
    if (!concerns(batch, scope)) return;
    stirred = true;
    for (const change of batch) {
      if (change.appId === scope.appId && change.environment === scope.environment) gathered.add(change.kind);
    }
    bell.ring();
  });
  source.signal?.addEventListener('abort', bell.ring);
  try {
    let admittedAt = clock.now();
    while (!source.signal?.aborted) {
      if (!stirred) await waitFor(bell, source, clock.now() + RECHECK_MS);
      if (source.signal?.aborted) return;
      if (clock.now() - admittedAt >= RECHECK_MS) {
        await source.admit();
        admittedAt = clock.now();
      }
      if (!stirred) continue;
      const kinds = [...gathered];
      stirred = false;
      gathered.clear();
      yield { kinds, at: clock.now() };
      await pause(source, TICK_MS);
    }
  } finally {
    unsubscribe();
    source.signal?.removeEventListener('abort', bell.ring);
  }
}

interface Bell {
  ring(): void;
  /** Resolves with the next ring. */
  next(): Promise<void>;
}

function makeBell(): Bell {
  let wake: () => void = () => {};
  return {
    ring: () => wake(),
    next: () =>
      new Promise((resolve) => {
        wake = resolve;
      }),
  };
}

async function waitFor(bell: Bell, source: TickSource, until: number): Promise<void> {
  const rung = bell.next();
  const cancel = source.deps.clock.setTimer(until, bell.ring);
  await rung;
  cancel();
}

function pause(source: TickSource, ms: number): Promise<void> {
  const { clock } = source.deps;
  return new Promise((resolve) => {
    const done = () => {
      cancel();
      source.signal?.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.setTimer(clock.now() + ms, done);
    source.signal?.addEventListener('abort', done);
  });
}
