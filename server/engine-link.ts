// The console's end of the engine thread: kicks go in, changes and status come out; it is started once and restarted
// when it dies.
import { Worker } from 'node:worker_threads';
import type { EngineStatus } from '@/server/engine/options';
import type { Clock } from '@/server/ports/clock';
import type { Logger } from '@/server/ports/logger';
import type { Change } from '@/server/ports/store';

export type ToEngine = { kind: 'kick' } | { kind: 'stop' };
export type FromEngine =
  | { kind: 'status'; status: EngineStatus }
  | { kind: 'changes'; changes: Change[] }
  | { kind: 'failed'; message: string }
  | { kind: 'stopped' };

const RESTART_MS = 1_000;
const STOP_MS = 20_000;
const IDLE: EngineStatus = { running: false, inFlight: 0, suspects: 0, unsettled: 0, lastTurnAt: null };

export interface EngineLink {
  /** Idempotent: a loop that runs is left alone (O31). */
  start(): void;
  kick(): void;
  status(): EngineStatus;
  onChange(listener: (changes: readonly Change[]) => void): () => void;
  /** Resolves when the thread has settled and ended, or after 20 s. */
  stop(): Promise<void>;
}

/** Starts nothing until `start`. */
export function createEngineLink({ clock, log }: { clock: Clock; log: Logger }): EngineLink {
  const listeners = new Set<(changes: readonly Change[]) => void>();
  let worker: Worker | null = null;
  let status = IDLE;
  let stopping = false;

  const receive = (message: FromEngine) => {
    switch (message.kind) {
      case 'status':
        status = message.status;
        return;
      case 'changes':
        for (const listener of listeners) listener(message.changes);
        return;
      case 'failed':
        log.error('engine_failed', { error: message.message });
        return;
      case 'stopped':
        return;
      default:
        return message satisfies never;
    }
  };

  const spawn = () => {
    worker = new Worker(new URL('./engine-thread.ts', import.meta.url), { name: 'engine' });
    worker.on('message', receive);
    worker.on('error', (error) => log.error('engine_error', { error: String(error) }));
    worker.on('exit', (code) => {
      worker = null;
      status = IDLE;
      if (stopping) return;
      log.error('engine_ended', { code, again_in_ms: RESTART_MS });
      clock.setTimer(clock.now() + RESTART_MS, () => {
        if (!stopping && !worker) spawn();
      });
    });
  };
  const send = (message: ToEngine) => worker?.postMessage(message);

  return {
    start() {
      if (!worker && !stopping) spawn();
    },
    kick: () => send({ kind: 'kick' }),
    status: () => status,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async stop() {
      stopping = true;
      const running = worker;
      if (!running) return;
      const ended = new Promise<void>((resolve) => running.once('exit', () => resolve()));
      send({ kind: 'stop' });
      const late = new Promise<void>((resolve) => {
        clock.setTimer(clock.now() + STOP_MS, () => resolve());
      });
      await Promise.race([ended, late]);
    },
  };
}
