// Invariant: the only place that sends to receivers. Every request passes the guard first, and every connection again.
import type { Dispatch, DispatchEnd, Dispatcher, DispatchRequest } from '@/server/ports/dispatcher';
import { ConnectionPool } from './connection-pool';
import { DeadlineSweep, type Scheduler, systemScheduler } from './deadline-sweep';
import { DispatchFailure } from './error-class';
import { Exchange, type ExchangeMeans } from './exchange';
import { createTlsContext } from './guarded-connect';
import { type TargetGuard, urlFailure } from './target-guard';

export interface UndiciDispatcherOptions {
  guard: TargetGuard;
  scheduler?: Scheduler;
  /** How long a connection may lie idle before it is closed; 4,000 unless given. */
  idleMs?: number;
  /** Certificates to trust instead of the system's, as PEM. */
  ca?: string;
}

/** What is open at the moment, for metrics and tests. */
export interface DispatcherStats {
  origins: number;
  connections: number;
  underWay: number;
}

export interface UndiciDispatcher extends Dispatcher {
  stats(): DispatcherStats;
}

const DEFAULT_IDLE_MS = 4_000;

/** The dispatcher over undici: R-ATT-2 to R-ATT-5, R-ATT-7, R-ATT-8, R-ATT-15, R-ATT-16, R-ATT-18. */
export function createUndiciDispatcher(options: UndiciDispatcherOptions): UndiciDispatcher {
  const { guard } = options;
  const scheduler = options.scheduler ?? systemScheduler;
  const sweep = new DeadlineSweep(scheduler);
  const connectMeans = { guard, sweep, secureContext: createTlsContext(options.ca) };
  const pool = new ConnectionPool(connectMeans, scheduler, options.idleMs ?? DEFAULT_IDLE_MS);
  const means: ExchangeMeans = { sweep, pool };

  return {
    send(request) {
      if (pool.isClosed) return failedAtOnce(new DispatchFailure('internal', 'The dispatcher is closed.'));
      try {
        return begin(guard, means, request);
      } catch {
        return failedAtOnce(new DispatchFailure('internal', 'An internal error of ours. Nothing was sent.'));
      }
    },
    async close() {
      const closed = pool.close();
      sweep.abortAll();
      await closed;
    },
    stats: () => ({ ...pool.size, underWay: sweep.size }),
  };
}

function begin(guard: TargetGuard, means: ExchangeMeans, request: DispatchRequest): Dispatch {
  const verdict = guard.judgeUrl(request.url, request.environment);
  if (!verdict.ok) return failedAtOnce(urlFailure(verdict));
  const exchange = new Exchange(means, request, verdict.target);
  exchange.start();
  return exchange;
}

function failedAtOnce(failure: DispatchFailure): Dispatch {
  const end: DispatchEnd = {
    kind: 'failed',
    errorClass: failure.errorClass,
    message: failure.message,
    timing: {},
    durationMs: 0,
    address: null,
    retriedStale: false,
  };
  return { end: Promise.resolve(end), drained: Promise.resolve(), abort: () => undefined, body: () => null };
}
