// `npm run engine`: the engine as its own process. SIGTERM stops it gracefully, a second one at once.

import { createEngineRuntime } from '@/server/engine-runtime';
import { readEnv } from '@/server/env';
import { createRuntime } from '@/server/runtime';
import { onceOrForced } from '@/server/signals';

async function main() {
  const runtime = createRuntime(readEnv(), 'engine');
  const { engine, close } = await createEngineRuntime(runtime, { watch: true });
  const isFirst = onceOrForced(() => runtime.clock.monotonic());
  const stop = (signal: string) => {
    if (!isFirst()) return;
    runtime.log.info('stopping', { signal });
    void close()
      .then(() => runtime.store.close())
      .then(() => process.exit(0));
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  engine.start();
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
