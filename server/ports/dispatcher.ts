/**
 * Invariant: one request in, one end out. Nothing is followed, decoded or queued, nothing is sent to an address
 * that the guard has not judged, and no message of Node, undici or OpenSSL comes through (R-ATT-18).
 */
import type { NetworkErrorClass } from '@/server/core/model';

/** One request, complete and signed. */
export interface DispatchRequest {
  /** As stored. Judged again at every send (R-ATT-7); its fragment, if any, is not sent. */
  url: string;
  environment: 'test' | 'live';
  method?: 'POST';
  /** Complete, signed, in this order; `host`, `connection` and `content-length` are the dispatcher's. */
  headers: readonly (readonly [string, string])[];
  body: Uint8Array;
  /** Bounds everything from the call to the final headers (R-ATT-2, R-ATT-3). */
  timeoutMs: number;
  /** Bounds the DNS look-up and, by itself, the TCP connect; 5,000 unless given. */
  connectTimeoutMs?: number;
  /** Bounds the TLS handshake; 5,000 unless given. */
  tlsTimeoutMs?: number;
  /** The endpoint's cap: as many idle connections to its origin are kept, no more. */
  connections: number;
  /** Keep the first 4 KiB of the answer's body (R-ATT-5). */
  keepBody?: boolean;
}

/** Whole ms. The first three are absent on a reused connection; `firstByteMs` counts from the call. */
export interface DispatchTiming {
  dnsMs?: number;
  connectMs?: number;
  tlsMs?: number;
  firstByteMs?: number;
}

interface DispatchFacts {
  timing: DispatchTiming;
  /** From the call to the end, whole ms. */
  durationMs: number;
  /** The address connected to (or last tried); null if it came to none. */
  address: string | null;
  /** A stale reused connection was replaced by a fresh one inside this attempt (R-ATT-15). */
  retriedStale: boolean;
}

/** What became of a request. `answered` is any final status from 200 to 599, never interpreted here. */
export type DispatchEnd =
  | (DispatchFacts & {
      kind: 'answered';
      statusCode: number;
      /** Every `Retry-After` value of an answer that is no 2xx, each cut at 128 characters, unparsed. */
      retryAfter: readonly string[];
      /** Where a 3xx pointed, as text, cut at 2,048 characters (R-ATT-4). */
      location: string | null;
    })
  | (DispatchFacts & {
      kind: 'failed';
      errorClass: NetworkErrorClass;
      /** A plain sentence of ours; it names no address (R-ATT-7). */
      message: string;
    });

/** A request on its way. */
export interface Dispatch {
  /** Resolves when the final headers are in, or it failed. Never rejects. */
  end: Promise<DispatchEnd>;
  /** Resolves, never before `end`, when the slot may be used again: the drain is over (R-ATT-2). */
  drained: Promise<void>;
  /** Cuts it off: an open `end` resolves as `failed`/`internal`, the connection is dropped. Repeatable. */
  abort(): void;
  /** The first ≤ 4,096 bytes of the answer, whole once `drained`; null unless asked for, or without a body. */
  body(): Uint8Array | null;
}

/** Sends signed requests to receivers. */
export interface Dispatcher {
  /**
   * Starts at once: nothing queues inside, the caller's slots are the only limit. Never throws.
   * R-ATT-2, R-ATT-3, R-ATT-4, R-ATT-5, R-ATT-7, R-ATT-8, R-ATT-15, R-ATT-16, R-ATT-18.
   */
  send(request: DispatchRequest): Dispatch;
  /** Cuts off what is under way and closes every connection; later sends fail as `internal`. */
  close(): Promise<void>;
}
