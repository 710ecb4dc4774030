// Invariant: a socket is opened to an address of the very answer that was judged, or not at all; DNS, TCP and TLS each
// have their own limit; the caller is always called back later, never within its call (a synchronous call-back
// that fails takes undici and the process with it).
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, createSecureContext, type SecureContext } from 'node:tls';
import type { UrlTarget } from '@/server/core/url-guard';
import type { DispatchTiming } from '@/server/ports/dispatcher';
import type { Deadlined, DeadlineSweep } from './deadline-sweep';
import { connectFailure, DispatchFailure, dnsFailure, failureFrom, seconds, tlsFailure } from './error-class';
import type { TargetGuard } from './target-guard';

export interface ConnectLimits {
  connectTimeoutMs: number;
  tlsTimeoutMs: number;
}

/** What a connection is made for: its limits, and where its times are noted. */
export interface ConnectFor {
  readonly limits: ConnectLimits;
  readonly timing: DispatchTiming;
}

/** What all connections share. */
export interface ConnectMeans {
  guard: TargetGuard;
  sweep: DeadlineSweep;
  secureContext: SecureContext;
}

/** TLS 1.2 and up; certificates are always verified, whatever the environment of the process says (R-ATT-8). */
export function createTlsContext(ca?: string): SecureContext {
  return createSecureContext({ minVersion: 'TLSv1.2', ...(ca === undefined ? {} : { ca }) });
}

/** An address that does not answer leaves the next ones at least this share of the connect limit. */
const LEAST_SHARE_MS = 1_000;

type Phase = 'dns' | 'connect' | 'tls';

/** One connection being made. Ends once, by `done`. */
export class GuardedConnect implements Deadlined {
  /** The address last tried. */
  address: string | null = null;
  deadlineAt = 0;
  readonly #means: ConnectMeans;
  readonly #target: UrlTarget;
  readonly #limits: ConnectLimits;
  readonly #timing: DispatchTiming;
  #phase: Phase = 'dns';
  #reject: ((failure: DispatchFailure) => void) | null = null;
  #aborted = false;

  constructor(means: ConnectMeans, target: UrlTarget, purpose: ConnectFor) {
    this.#means = means;
    this.#target = target;
    this.#limits = purpose.limits;
    this.#timing = purpose.timing;
  }

  /** R-ATT-2, R-ATT-7, R-ATT-16. `done` comes on a later turn, with one of the two. */
  start(done: (failure: DispatchFailure | null, socket: Socket | null) => void): void {
    this.#run().then(
      (socket) => done(null, socket),
      (error: unknown) => done(failureFrom(error), null),
    );
  }

  expire(): void {
    const { connectTimeoutMs, tlsTimeoutMs } = this.#limits;
    this.#reject?.(this.timeoutFailure(this.#phase === 'tls' ? tlsTimeoutMs : connectTimeoutMs));
  }

  abort(): void {
    this.#aborted = true;
    this.#reject?.(new DispatchFailure('internal', 'The attempt was cut off.'));
  }

  /** The failure that running out of time is in the present phase. */
  timeoutFailure(limitMs: number): DispatchFailure {
    const within = `within ${seconds(limitMs)}`;
    switch (this.#phase) {
      case 'dns':
        return new DispatchFailure('dns', `The name server did not answer ${within}.`);
      case 'connect':
        return new DispatchFailure(
          'connect_timeout',
          `The receiver did not accept the connection ${within}.`,
        );
      case 'tls':
        return new DispatchFailure(
          'connect_timeout',
          `The receiver did not finish the TLS handshake ${within}.`,
        );
      default:
        return this.#phase satisfies never;
    }
  }

  async #run(): Promise<Socket> {
    const own = this.#means.guard.dialFor(this.#target);
    if (own !== null)
      return this.#connectTo(own.host, {
        port: own.port,
        tls: false,
        limitMs: this.#limits.connectTimeoutMs,
      });
    const addresses = await this.#judgedAddresses();
    return this.#connectToAny(addresses);
  }

  async #judgedAddresses(): Promise<readonly string[]> {
    const addresses = this.#target.isLiteral ? [this.#target.hostname] : await this.#lookUp();
    const failure = this.#means.guard.judgeAnswer(this.#target, addresses);
    if (failure !== null) throw failure;
    return [...new Set(addresses)];
  }

  async #lookUp(): Promise<readonly string[]> {
    const startedAt = this.#means.sweep.nowMs();
    const addresses = await this.#step<readonly string[]>(
      'dns',
      this.#limits.connectTimeoutMs,
      (resolve, reject) => {
        const fail = (error: unknown) => reject(dnsFailure(error));
        try {
          this.#means.guard.resolve(this.#target.hostname).then(resolve, fail);
        } catch (error) {
          fail(error);
        }
      },
    );
    this.#timing.dnsMs = this.#since(startedAt);
    if (!Array.isArray(addresses)) throw dnsFailure(null);
    return addresses;
  }

  /** The addresses in order, all within one connect limit. */
  async #connectToAny(addresses: readonly string[]): Promise<Socket> {
    const giveUpAt = this.#means.sweep.nowMs() + this.#limits.connectTimeoutMs;
    let failure = connectFailure(null);
    for (const [index, address] of addresses.entries()) {
      const leftMs = giveUpAt - this.#means.sweep.nowMs();
      if (leftMs <= 0 || this.#aborted) break;
      const share = Math.min(leftMs, Math.max(LEAST_SHARE_MS, leftMs / (addresses.length - index)));
      const tls = this.#target.protocol === 'https:';
      try {
        return await this.#connectTo(address, { port: this.#target.port, tls, limitMs: share });
      } catch (error) {
        failure = failureFrom(error);
        // A receiver that was reached and then failed at TLS has answered for all its addresses.
        if (this.#phase === 'tls' || failure.errorClass === 'internal') throw failure;
      }
    }
    throw failure;
  }

  async #connectTo(address: string, to: { port: number; tls: boolean; limitMs: number }): Promise<Socket> {
    this.address = address;
    const startedAt = this.#means.sweep.nowMs();
    let failureOf = connectFailure;
    let failed: DispatchFailure | null = null;
    const socket = this.#open(address, to);
    const fail = (error: unknown) => {
      failed ??= failureOf(error);
      this.#reject?.(failed);
    };
    socket.on('error', fail).on('close', fail);
    try {
      await this.#step<void>('connect', to.limitMs, (resolve) => socket.once('connect', () => resolve()));
      const connectedAt = this.#means.sweep.nowMs();
      this.#timing.connectMs = Math.round(connectedAt - startedAt);
      if (to.tls) {
        failureOf = tlsFailure;
        await this.#step<void>('tls', this.#limits.tlsTimeoutMs, (resolve, reject) => {
          if (failed !== null) reject(failed);
          socket.once('secureConnect', () => resolve());
        });
        this.#timing.tlsMs = this.#since(connectedAt);
      }
    } catch (error) {
      socket.destroy();
      throw error;
    }
    socket.removeListener('error', fail).removeListener('close', fail).on('error', ignore);
    return socket;
  }

  #open(address: string, to: { port: number; tls: boolean }): Socket {
    const options = {
      host: address,
      port: to.port,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: 60_000,
    };
    if (!to.tls) return connectTcp(options);
    return connectTls({
      ...options,
      secureContext: this.#means.secureContext,
      rejectUnauthorized: true,
      ALPNProtocols: ['http/1.1'],
      // A literal has no SNI; its certificate must carry the address, which is then the host.
      ...(isIP(this.#target.hostname) === 0 ? { servername: this.#target.hostname } : {}),
    });
  }

  /** Runs one step under its own deadline; whichever comes first ends it. */
  #step<T>(
    phase: Phase,
    limitMs: number,
    begin: (resolve: (value: T) => void, reject: (failure: DispatchFailure) => void) => void,
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#phase = phase;
      const end = () => {
        this.#reject = null;
        this.#means.sweep.delete(this);
      };
      this.#reject = (failure) => {
        end();
        reject(failure);
      };
      if (this.#aborted) return this.abort();
      this.deadlineAt = this.#means.sweep.nowMs() + limitMs;
      this.#means.sweep.add(this, limitMs);
      const mine = this.#reject;
      begin(
        (value) => {
          if (this.#reject === mine) end();
          resolve(value);
        },
        (failure) => (this.#reject === mine ? mine(failure) : undefined),
      );
    });
  }

  #since(startedAt: number): number {
    return Math.round(this.#means.sweep.nowMs() - startedAt);
  }
}

function ignore(): void {
  // Whoever took the socket over hears of its errors by itself.
}
