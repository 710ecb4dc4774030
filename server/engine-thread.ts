// The engine in a worker thread of the console's process: pages stay quick while it drains.
import { parentPort } from 'node:worker_threads';
import { createEngineRuntime } from '@/server/engine-runtime';
import { readEnv } from '@/server/env';
import { createRuntime } from '@/server/runtime';
import type { FromEngine, ToEngine } from './engine-link';

const STATUS_EVERY_MS = 500;

async function main(port: NonNullable<typeof parentPort>) {
  const runtime = createRuntime(readEnv(), 'engine');
  const { engine, close } = await createEngineRuntime(runtime, { watch: true });
  const post = (message: FromEngine) => port.postMessage(message);
  const report = () => {
    post({ kind: 'status', status: engine.status() });
    runtime.clock.setTimer(runtime.clock.now() + STATUS_EVERY_MS, report);
  };
  runtime.store.onChange((changes) => post({ kind: 'changes', changes: [...changes] }));
  port.on('message', (message: ToEngine) => {
    switch (message.kind) {
      case 'kick':
        return engine.kick();
      case 'stop':
        return void close()
          .then(() => runtime.store.close())
          .then(() => {
            post({ kind: 'stopped' });
            process.exit(0);
          });
      default:
        return message satisfies never;
    }
  });
  engine.start();
  report();
}

if (parentPort) {
  const port = parentPort;
  main(port).catch((error: unknown) => {
    port.postMessage({ kind: 'failed', message: String(error) } satisfies FromEngine);
    process.exit(1);
  });
}
