// The engine with its adapters: the same in a worker thread of the console's process and as a process of its own.
import { createTargetGuard } from '@/server/adapters/target-guard';
import { createUndiciDispatcher } from '@/server/adapters/undici-dispatcher';
import { decider } from '@/server/core/decide';
import { leaseMs } from '@/server/core/gates';
import type { KillPoint } from '@/server/engine/attempt';
import { createEngine } from '@/server/engine/engine';
import { ENGINE_DEFAULTS, type Engine, type EngineOptions } from '@/server/engine/options';
import { createSigner } from '@/server/engine/signer';
import { isLoopbackHost } from '@/server/env-fields';
import type { Runtime } from '@/server/runtime';

const TOKENS_FRESH_MS = 2_000;
/** How often commits of other processes are looked for. */
const WATCH_MS = 50;

export interface EngineRuntime {
  engine: Engine;
  close(): Promise<void>;
}

export interface EngineRuntimeOptions {
  options?: Partial<EngineOptions>;
  announce?: (point: KillPoint) => Promise<void>;
  /** Other processes commit to the same database: look for their commits (a kick reaches this process alone). */
  watch: boolean;
}

/** Starts nothing; `engine.start()` does. */
export async function createEngineRuntime(
  runtime: Runtime,
  { options, announce, watch }: EngineRuntimeOptions,
): Promise<EngineRuntime> {
  const { env, store, clock, random, log, secretBox } = runtime;
  const tokens = await liveTokens(runtime);
  const guard = createTargetGuard({
    allowNetworks: env.allowNetworks,
    ownListeners: ownListenersOf(env),
    publicUrl: env.publicUrl,
    receiverTokenAlive: (token) => tokens.has(token),
  });
  const dispatcher = createUndiciDispatcher({ guard });
  const engine = createEngine({
    store,
    dispatcher,
    decider,
    signer: createSigner({
      secretBox,
      userAgent: `Hookladder/1 (+${env.publicUrl})`,
      spanId: () => Buffer.from(random.bytes(8)).toString('hex'),
    }),
    clock,
    random,
    log,
    options: {
      ...ENGINE_DEFAULTS,
      concurrency: env.concurrency,
      endpointConcurrency: env.endpointConcurrency,
      leaseMs,
      ...options,
    },
    announce,
  });
  const unwatch = watch ? watchCommits(runtime, () => engine.kick()) : () => undefined;
  return {
    engine,
    async close() {
      unwatch();
      await engine.stop();
      tokens.stop();
      await dispatcher.close();
    },
  };
}

/**
 * Where this installation listens on this machine. An engine alone listens nowhere; it knows the console's listener
 * only where both share the machine, that is where PUBLIC_URL is loopback.
 */
function ownListenersOf(env: Runtime['env']) {
  const shared = env.role !== 'engine' || isLoopbackHost(new URL(env.publicUrl).hostname);
  return shared ? [{ host: env.host, port: env.port }] : [];
}

/** The tokens of built-in receivers, from memory, never older than two seconds (R-ATT-16). */
async function liveTokens({ store, clock, log }: Runtime) {
  let known = new Set<string>();
  let stopped = false;
  const refresh = async () => {
    try {
      known = new Set((await store.read.receivers()).map(({ token }) => token));
    } catch (error) {
      log.error('receivers_unread', { error: String(error) });
    }
  };
  const again = () => {
    if (!stopped) clock.setTimer(clock.now() + TOKENS_FRESH_MS, () => void refresh().then(again));
  };
  await refresh();
  again();
  return {
    has: (token: string) => known.has(token),
    stop() {
      stopped = true;
    },
  };
}

function watchCommits({ store, clock }: Runtime, changed: () => void): () => void {
  let version = store.version();
  let stopped = false;
  const look = () => {
    if (stopped) return;
    const now = store.version();
    if (now !== version) {
      version = now;
      changed();
    }
    clock.setTimer(clock.now() + WATCH_MS, look);
  };
  look();
  return () => {
    stopped = true;
  };
}
