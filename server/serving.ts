// How the console's process begins and ends: the engine starts with it, SIGTERM stops both in order, a second one at
// once (O32).
import { getContainer } from '@/server/container';
import { beginDemoTraffic } from '@/server/demo-traffic';
import { ConfigurationError } from '@/server/env';
import { onceOrForced } from '@/server/signals';

export function beginServing(): void {
  const container = containerOrExit();
  const { env, log } = container.runtime;
  container.startEngine();
  const stopTraffic = env.demo ? beginDemoTraffic(container) : () => undefined;
  const isFirst = onceOrForced(() => container.runtime.clock.monotonic());
  const stop = (signal: NodeJS.Signals) => {
    if (!isFirst()) return;
    log.info('stopping', { signal });
    stopTraffic();
    void container
      .close()
      .catch((error: unknown) => log.error('stop_failed', { error: String(error) }))
      .then(() => {
        log.info('stopped');
        process.exit(0);
      });
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

function containerOrExit() {
  try {
    return getContainer();
  } catch (error) {
    process.stderr.write(`${error instanceof ConfigurationError ? error.message : String(error)}\n`);
    process.exit(1);
  }
}
