// Waiting for another part of the product to commit something, without ever holding a transaction.
import type { Scope } from '@/server/ports/queries';
import type { Change } from '@/server/ports/store';
import type { ServiceDeps } from './deps';

/** A commit of another process may go unheard: it is looked for this often anyway. */
const LOOK_AGAIN_MS = 500;

interface Wait {
  /** Epoch ms; asked anew after each look, so that it may move. */
  endsAt(): number;
  /** Looks once; true: there is nothing more to wait for. */
  done(): Promise<boolean>;
}

/** Looks now, after each commit of the scope, and every half second, until it is done or over. */
export async function untilChanged(
  deps: Pick<ServiceDeps, 'clock' | 'changes'>,
  scope: Scope,
  wait: Wait,
): Promise<void> {
  const { clock, changes } = deps;
  let heard = false;
  let wake: () => void = () => {};
  const unsubscribe = changes.subscribe((batch) => {
    if (!batch.some((change) => change.appId === scope.appId && change.environment === scope.environment))
      return;
    heard = true;
    wake();
  });
  try {
    while (!(await wait.done()) && clock.now() < wait.endsAt()) {
      if (heard) {
        heard = false;
        continue;
      }
      await new Promise<void>((resolve) => {
        const at = Math.min(clock.now() + LOOK_AGAIN_MS, wait.endsAt());
        const cancel = clock.setTimer(at, resolve);
        wake = () => {
          cancel();
          resolve();
        };
      });
      heard = false;
    }
  } finally {
    unsubscribe();
  }
}

/** Whether commits may have touched a scope; an empty list is a commit of another process, which names nothing. */
export function concerns(batch: readonly Change[], scope: Scope): boolean {
  if (batch.length === 0) return true;
  return batch.some((change) => change.appId === scope.appId && change.environment === scope.environment);
}
