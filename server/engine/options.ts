// Invariant: what an engine is made of and may be told; nothing here runs.
import type { Clock } from '@/server/ports/clock';
import type { Dispatcher } from '@/server/ports/dispatcher';
import type { Logger } from '@/server/ports/logger';
import type { Random } from '@/server/ports/random';
import type { Decider, Settled, Store } from '@/server/ports/store';
import type { KillPoint } from './attempt';
import type { Signer } from './signer';

export interface EngineOptions {
  /** Attempts in flight of this engine. */
  concurrency: number;
  /** Attempts in flight per endpoint over all engines, unless the endpoint says otherwise. */
  endpointConcurrency: number;
  /** Lease of an attempt with this time-out, ms (R-DEL-8). */
  leaseMs: (timeoutMs: number) => number;
  /** No lease is longer: one that ends further ahead has expired (R-TIM-1). */
  maxLeaseMs: number;
  longestSleepMs: number;
  /** How long a stop waits for attempts in flight. */
  graceMs: number;
}

export const ENGINE_DEFAULTS = {
  concurrency: 256,
  endpointConcurrency: 8,
  maxLeaseMs: 50_000,
  longestSleepMs: 5_000,
  graceMs: 12_000,
} as const;

export interface EngineDeps {
  store: Store;
  dispatcher: Dispatcher;
  decider: Decider;
  signer: Signer;
  clock: Clock;
  random: Random;
  log: Logger;
  options: EngineOptions;
  announce?: (point: KillPoint) => Promise<void>;
  /** Seen after each group is settled, in this process. */
  onSettled?: (settled: readonly Settled[]) => void;
}

export interface EngineStatus {
  running: boolean;
  inFlight: number;
  suspects: number;
  /** Ends that wait to be written. */
  unsettled: number;
  /** When the loop last turned, epoch ms. */
  lastTurnAt: number | null;
}

export interface Engine {
  /** Idempotent. */
  start(): void;
  /** There may be work: looks on the next turn of the event loop. */
  kick(): void;
  status(): EngineStatus;
  /** Stops claiming, waits for attempts in flight up to the grace, cuts off the rest, settles. Idempotent. */
  stop(): Promise<void>;
}
