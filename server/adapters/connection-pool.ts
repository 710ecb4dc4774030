// Invariant: a connection carries one exchange at a time and nothing waits for one: who needs a connection takes an
// idle one of its origin or opens another. How many there are is the caller's number of slots (R-ATT-2).
import type { EventEmitter } from 'node:events';
import { type buildConnector, Client, type Dispatcher as Undici } from 'undici';
import type { UrlTarget } from '@/server/core/url-guard';
import type { Scheduler } from './deadline-sweep';
import { DispatchFailure } from './error-class';
import { type ConnectFor, type ConnectMeans, GuardedConnect } from './guarded-connect';
import { filterInterim, type InterimFilter } from './interim-filter';

const MAX_HEADER_BYTES = 65_536;

/** A second connect inside one exchange means that bytes or a close came before the request was written. */
const MAX_CONNECTS = 2;

/** What a connection needs to know of the exchange it carries. */
export interface Carried extends Undici.DispatchHandler, ConnectFor {}

/** One undici client: one socket at a time, made anew when it was closed. */
export class Connection {
  readonly origin: Origin;
  readonly isTls: boolean;
  /** The address of the present socket, or the last one tried. */
  address: string | null = null;
  idleSinceMs = 0;
  readonly #means: ConnectMeans;
  readonly #target: UrlTarget;
  readonly #client: Client;
  #carried: Carried | null = null;
  #connecting: GuardedConnect | null = null;
  #filter: InterimFilter | null = null;
  #connects = 0;
  /** Requests written to the present socket. */
  #written = 0;

  constructor(origin: Origin, means: ConnectMeans, idleMs: number) {
    this.origin = origin;
    this.#means = means;
    this.#target = origin.target;
    this.isTls = origin.target.protocol === 'https:';
    this.#client = new Client(origin.target.origin, {
      connect: (_options, callback) => this.#connect(callback),
      pipelining: 1,
      // Our own deadlines bound everything; undici's idle timers would only cost.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: idleMs,
      keepAliveMaxTimeout: idleMs,
      maxHeaderSize: MAX_HEADER_BYTES,
    });
    const emitter: EventEmitter = this.#client;
    emitter.on('error', ignore);
  }

  /** Sends; the connection must be free. */
  dispatch(options: Undici.DispatchOptions, carried: Carried): void {
    this.#carried = carried;
    this.#connects = 0;
    this.#client.dispatch(options, carried);
  }

  /** The request is about to be written. Returns whether the socket has carried another one before. */
  begin(): boolean {
    this.#filter?.begin();
    this.#written += 1;
    return this.#written > 1;
  }

  /** The exchange is over and left the connection usable. */
  free(): void {
    this.#carried = null;
  }

  get sawSwitch(): boolean {
    return this.#filter?.sawSwitch ?? false;
  }

  /** The connect under way, if the exchange still waits for one. */
  get connecting(): GuardedConnect | null {
    return this.#connecting;
  }

  /** Closes the socket now, whatever goes on over it. */
  destroy(): Promise<void> {
    this.#carried = null;
    this.#connecting?.abort();
    return this.#client.destroy().catch(ignore);
  }

  #connect(callback: buildConnector.Callback): void {
    const carried = this.#carried;
    this.#connects += 1;
    if (carried === null || this.#connects > MAX_CONNECTS) {
      const failure = new DispatchFailure(
        'closed',
        'The receiver closed the connection before the request was sent.',
      );
      queueMicrotask(() => callback(failure, null));
      return;
    }
    const connecting = new GuardedConnect(this.#means, this.#target, carried);
    this.#connecting = connecting;
    connecting.start((failure, socket) => {
      this.#connecting = null;
      this.address = connecting.address;
      if (socket === null) {
        callback(failure ?? new DispatchFailure('internal', 'The connection could not be made.'), null);
        return;
      }
      this.#written = 0;
      this.#filter = filterInterim(socket);
      callback(null, socket);
    });
  }
}

/** The connections to one origin that are free, the last used on top. */
export interface Origin {
  readonly key: string;
  readonly target: UrlTarget;
  readonly idle: Connection[];
  /** Free and taken together. */
  open: number;
}

export class ConnectionPool {
  readonly #means: ConnectMeans;
  readonly #scheduler: Scheduler;
  readonly #idleMs: number;
  readonly #origins = new Map<string, Origin>();
  #closed = false;
  #cancelEviction: (() => void) | null = null;

  constructor(means: ConnectMeans, scheduler: Scheduler, idleMs: number) {
    this.#means = means;
    this.#scheduler = scheduler;
    this.#idleMs = idleMs;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** How many origins and connections are kept, free and taken. */
  get size(): { origins: number; connections: number } {
    let connections = 0;
    for (const origin of this.#origins.values()) connections += origin.open;
    return { origins: this.#origins.size, connections };
  }

  /** A free connection to where the target lies, or a new one. */
  take(target: UrlTarget): Connection {
    const origin = this.#originOf(target);
    return origin.idle.pop() ?? this.#open(origin);
  }

  /** A new connection, whatever lies idle (R-ATT-15). */
  takeFresh(target: UrlTarget): Connection {
    return this.#open(this.#originOf(target));
  }

  /** Gives a usable connection back; at most `keep` of an origin lie idle. */
  release(connection: Connection, keep: number): void {
    connection.free();
    const { origin } = connection;
    if (this.#closed || origin.idle.length >= keep) return void this.drop(connection);
    connection.idleSinceMs = this.#scheduler.nowMs();
    origin.idle.push(connection);
    this.#cancelEviction ??= this.#scheduler.setTimer(() => this.#evict(), this.#idleMs);
  }

  /** Closes a connection that was taken. */
  drop(connection: Connection): Promise<void> {
    const { origin } = connection;
    origin.open -= 1;
    if (origin.open === 0) this.#origins.delete(origin.key);
    return connection.destroy();
  }

  /** Closes what lies idle; what is taken is its exchange's to drop. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelEviction?.();
    const idle = [...this.#origins.values()].flatMap((origin) => origin.idle.splice(0));
    await Promise.all(idle.map((connection) => this.drop(connection)));
  }

  #originOf(target: UrlTarget): Origin {
    // The built-in receiver is dialled at our own listener: its connections are no other target's.
    const key = target.receiverToken === null ? target.origin : `${target.origin} own`;
    const known = this.#origins.get(key);
    if (known !== undefined) return known;
    const origin: Origin = { key, target, idle: [], open: 0 };
    this.#origins.set(key, origin);
    return origin;
  }

  #open(origin: Origin): Connection {
    origin.open += 1;
    return new Connection(origin, this.#means, this.#idleMs);
  }

  #evict(): void {
    this.#cancelEviction = null;
    const staleAt = this.#scheduler.nowMs() - this.#idleMs;
    let left = 0;
    for (const origin of [...this.#origins.values()]) {
      const firstKept = origin.idle.findIndex((connection) => connection.idleSinceMs > staleAt);
      const stale = origin.idle.splice(0, firstKept === -1 ? origin.idle.length : firstKept);
      for (const connection of stale) void this.drop(connection);
      left += origin.idle.length;
    }
    if (left > 0) this.#cancelEviction = this.#scheduler.setTimer(() => this.#evict(), this.#idleMs);
  }
}

function ignore(): void {
  // Errors reach the exchange by its handler; what comes after it ended is nobody's.
}
