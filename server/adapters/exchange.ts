// Invariant: an exchange ends once and drains once, in this order; between the two it holds its connection, after them
// it holds nothing. It is the one handler object that undici calls, and it never throws.
import type { Dispatcher as Undici } from 'undici';
import type { UrlTarget } from '@/server/core/url-guard';
import type { Dispatch, DispatchEnd, DispatchRequest, DispatchTiming } from '@/server/ports/dispatcher';
import { locationOf, retryAfterOf } from './answer-headers';
import type { Carried, Connection, ConnectionPool } from './connection-pool';
import type { Deadlined, DeadlineSweep } from './deadline-sweep';
import { DispatchFailure, exchangeFailure, looksStale, seconds } from './error-class';
import type { ConnectLimits } from './guarded-connect';

/** R-ATT-2: how much of an answer's body is read, and for how long, before the socket is dropped. */
const DRAIN_BYTES = 65_536;
const DRAIN_MS = 1_000;
/** R-ATT-5. */
const KEPT_BYTES = 4_096;
/** A flood of interim answers costs us a parser's work for each: past these it is no HTTP. */
const MAX_INTERIM = 1_000;
const DEFAULT_STEP_MS = 5_000;

/** What all exchanges share. */
export interface ExchangeMeans {
  sweep: DeadlineSweep;
  pool: ConnectionPool;
}

export class Exchange implements Dispatch, Deadlined, Carried {
  readonly end: Promise<DispatchEnd>;
  readonly drained: Promise<void>;
  readonly timing: DispatchTiming = {};
  deadlineAt: number;
  readonly #means: ExchangeMeans;
  readonly #request: DispatchRequest;
  readonly #target: UrlTarget;
  readonly #startedAt: number;
  readonly #options: Undici.DispatchOptions;
  #resolveEnd: (end: DispatchEnd) => void = never;
  #resolveDrained: () => void = never;
  #state: 'waiting' | 'draining' | 'over' = 'waiting';
  #connection: Connection;
  #abortRequest: (() => void) | null = null;
  #isReused = false;
  #answerBegan = false;
  #retriedStale = false;
  #interim = 0;
  #received = 0;
  #kept: Buffer[] | null;

  constructor(means: ExchangeMeans, request: DispatchRequest, target: UrlTarget) {
    this.#means = means;
    this.#request = request;
    this.#target = target;
    this.#startedAt = means.sweep.nowMs();
    this.deadlineAt = this.#startedAt + request.timeoutMs;
    this.#kept = request.keepBody ? [] : null;
    this.#options = {
      path: target.path,
      method: request.method ?? 'POST',
      headers: flatten(request.headers),
      body: request.body,
    };
    this.end = new Promise((resolve) => {
      this.#resolveEnd = resolve;
    });
    this.drained = new Promise((resolve) => {
      this.#resolveDrained = resolve;
    });
    this.#connection = means.pool.take(target);
  }

  start(): void {
    this.#means.sweep.add(this, this.#request.timeoutMs);
    this.#connection.dispatch(this.#options, this);
  }

  get limits(): ConnectLimits {
    return {
      connectTimeoutMs: this.#request.connectTimeoutMs ?? DEFAULT_STEP_MS,
      tlsTimeoutMs: this.#request.tlsTimeoutMs ?? DEFAULT_STEP_MS,
    };
  }

  // Getters: whoever takes one of these apart from the exchange may call it alone, and nobody pays who does not.

  get abort(): () => void {
    return () => this.#fail(new DispatchFailure('internal', 'The attempt was cut off.'));
  }

  /** R-ATT-5: what was kept of the answer's body. */
  get body(): () => Uint8Array | null {
    return () => (this.#kept === null || this.#kept.length === 0 ? null : Buffer.concat(this.#kept));
  }

  expire(): void {
    const { timeoutMs } = this.#request;
    const connecting = this.#connection.connecting;
    const message = `The receiver did not answer within ${seconds(timeoutMs)}.`;
    this.#fail(connecting?.timeoutFailure(timeoutMs) ?? new DispatchFailure('timeout', message));
  }

  // What undici calls, in this order.

  onConnect(abort: () => void): void {
    this.#abortRequest = abort;
    if (this.#state === 'waiting') this.#isReused = this.#connection.begin();
    else abort();
  }

  onResponseStarted(): void {
    if (this.#answerBegan) return;
    this.#answerBegan = true;
    this.timing.firstByteMs = this.#elapsedMs();
  }

  onHeaders(statusCode: number, raw: Buffer[]): boolean {
    if (statusCode >= 200 && statusCode <= 599) this.#answered(statusCode, raw);
    else this.#interimAnswer(statusCode);
    return true;
  }

  onData(chunk: Buffer): boolean {
    if (this.#kept !== null && this.#received < KEPT_BYTES) {
      this.#kept.push(Buffer.from(chunk.subarray(0, KEPT_BYTES - this.#received)));
    }
    this.#received += chunk.length;
    if (this.#received > DRAIN_BYTES) this.#drop();
    return true;
  }

  onComplete(): void {
    if (this.#state !== 'draining') return;
    this.#state = 'over';
    this.#means.sweep.delete(this);
    this.#means.pool.release(this.#connection, this.#request.connections);
    this.#resolveDrained();
  }

  onError(error: Error): void {
    if (this.#state === 'over') return;
    const connection = this.#connection;
    const failure = exchangeFailure(error, {
      answerBegan: this.#answerBegan,
      sawSwitch: connection.sawSwitch,
      isTls: connection.isTls,
    });
    const isStale = this.#isReused && !this.#answerBegan && looksStale(failure);
    if (this.#state === 'waiting' && isStale && !this.#means.pool.isClosed) this.#retryOnFresh();
    else this.#fail(failure);
  }

  /** R-ATT-15: the request is sent once more, over a connection that nobody has used. */
  #retryOnFresh(): void {
    void this.#means.pool.drop(this.#connection);
    this.#retriedStale = true;
    this.#isReused = false;
    this.#abortRequest = null;
    this.#connection = this.#means.pool.takeFresh(this.#target);
    this.#connection.dispatch(this.#options, this);
  }

  #interimAnswer(statusCode: number): void {
    this.#interim += 1;
    if (statusCode === 101) {
      this.#fail(new DispatchFailure('protocol', 'The receiver switched protocols without being asked.'));
    } else if (statusCode < 100 || statusCode > 599) {
      this.#fail(
        new DispatchFailure('protocol', `The receiver answered with the impossible status ${statusCode}.`),
      );
    } else if (this.#interim > MAX_INTERIM) {
      this.#fail(new DispatchFailure('protocol', 'The receiver sent interim answers without end.'));
    }
  }

  #answered(statusCode: number, raw: readonly Buffer[]): void {
    if (this.#state !== 'waiting') return;
    this.#state = 'draining';
    const durationMs = this.#elapsedMs();
    this.deadlineAt = this.#startedAt + durationMs + DRAIN_MS;
    this.#resolveEnd({
      kind: 'answered',
      statusCode,
      retryAfter: statusCode < 300 ? [] : retryAfterOf(raw),
      location: statusCode >= 300 && statusCode < 400 ? locationOf(raw) : null,
      timing: this.timing,
      durationMs,
      address: this.#connection.address,
      retriedStale: this.#retriedStale,
    });
  }

  /** Ends it without an answer, or ends only the drain when the answer is in. */
  #fail(failure: DispatchFailure): void {
    if (this.#state === 'waiting') {
      this.#resolveEnd({
        kind: 'failed',
        errorClass: failure.errorClass,
        message: failure.message,
        timing: this.timing,
        durationMs: this.#elapsedMs(),
        address: this.#connection.connecting?.address ?? this.#connection.address,
        retriedStale: this.#retriedStale,
      });
    }
    this.#drop();
  }

  #drop(): void {
    if (this.#state === 'over') return;
    this.#state = 'over';
    this.#means.sweep.delete(this);
    this.#abortRequest?.();
    void this.#means.pool.drop(this.#connection);
    this.#resolveDrained();
  }

  #elapsedMs(): number {
    return Math.round(this.#means.sweep.nowMs() - this.#startedAt);
  }
}

/** A loop: it runs for every request, and `flat()` costs several times as much. */
function flatten(pairs: readonly (readonly [string, string])[]): string[] {
  const flat: string[] = [];
  for (const pair of pairs) flat.push(pair[0], pair[1]);
  return flat;
}

function never(): void {
  // Replaced before anything can call it: a promise runs its executor at once.
}
