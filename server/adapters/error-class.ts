// Invariant: whatever goes wrong on the way becomes one class and one plain sentence of ours; a message of Node,
// undici or OpenSSL is never read and never passed on, only codes are (R-ATT-18).
import { errors } from 'undici';
import type { NetworkErrorClass } from '@/server/core/model';

/** A failure that has its class. Its message is fit for a merchant's eyes. */
export class DispatchFailure extends Error {
  readonly errorClass: NetworkErrorClass;

  constructor(errorClass: NetworkErrorClass, message: string) {
    super(message);
    this.name = 'DispatchFailure';
    this.errorClass = errorClass;
  }
}

const OURS = 'An internal error of ours. Nothing is wrong with the receiver.';

/** What was thrown, if it has its class; anything else is a fault of ours (O17). */
export function failureFrom(error: unknown): DispatchFailure {
  return error instanceof DispatchFailure ? error : new DispatchFailure('internal', OURS);
}

/** R-ATT-7: said for every refused target, without the address and without the rule. */
export const REFUSED = 'refused: not a public address';
export const REFUSED_SELF = 'refused: the URL points at this installation itself';
export const REFUSED_PLAIN = 'refused: a live endpoint must use https';

/** `0.3 s`, `10 s`. */
export function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}

const DNS_MESSAGES: Record<string, string> = {
  ENOTFOUND: 'The host name does not exist in DNS.',
  ENODATA: 'The host name has no address in DNS.',
  EAI_AGAIN: 'The name server did not answer for the host name.',
  ETIMEOUT: 'The name server did not answer for the host name.',
  ETIMEDOUT: 'The name server did not answer for the host name.',
};

/** What a resolver threw. Always class `dns`, so that a broken look-up is retried and sends nothing (O28). */
export function dnsFailure(error: unknown): DispatchFailure {
  return new DispatchFailure('dns', DNS_MESSAGES[codeOf(error)] ?? 'The host name could not be resolved.');
}

const NO_ROUTE = 'There is no route to the receiver.';
const OUT_OF_MEANS = 'We ran out of sockets or memory. Nothing is wrong with the receiver.';

const CONNECT_FAILURES: Record<string, readonly [NetworkErrorClass, string]> = {
  ECONNREFUSED: ['connect_refused', 'The receiver refused the connection: nothing listens on that port.'],
  ECONNRESET: ['reset', 'The receiver reset the connection while it was being made.'],
  ETIMEDOUT: ['connect_timeout', 'The receiver did not answer the connection in time.'],
  EMFILE: ['internal', OUT_OF_MEANS],
  ENFILE: ['internal', OUT_OF_MEANS],
  ENOBUFS: ['internal', OUT_OF_MEANS],
  ENOMEM: ['internal', OUT_OF_MEANS],
};

const ROUTE_CODES = [
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'EACCES',
  'EPERM',
];

/** What a socket said while TCP was being connected. */
export function connectFailure(error: unknown): DispatchFailure {
  const code = codeOf(error);
  const known = CONNECT_FAILURES[code];
  if (known !== undefined) return new DispatchFailure(...known);
  if (ROUTE_CODES.includes(code)) return new DispatchFailure('connect_refused', NO_ROUTE);
  return new DispatchFailure('connect_refused', 'The connection to the receiver could not be made.');
}

const TOO_OLD = 'The receiver speaks only TLS versions that are too old. TLS 1.2 or later is needed.';
const UNKNOWN_ISSUER = "The certificate's issuer is unknown or its chain is incomplete.";

const TLS_MESSAGES: Record<string, string> = {
  CERT_HAS_EXPIRED: 'The certificate has expired.',
  CERT_NOT_YET_VALID: 'The certificate is not yet valid.',
  CERT_REVOKED: 'The certificate was revoked.',
  CERT_REJECTED: UNKNOWN_ISSUER,
  CERT_UNTRUSTED: UNKNOWN_ISSUER,
  INVALID_CA: UNKNOWN_ISSUER,
  INVALID_PURPOSE: 'The certificate was not made for a server.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The certificate is self-signed.',
  SELF_SIGNED_CERT_IN_CHAIN: 'The certificate chain ends in a self-signed certificate that is not trusted.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_ISSUER,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_ISSUER,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_ISSUER,
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate is for another host name.',
  ERR_TLS_CERT_ALTNAME_FORMAT: 'The certificate is for another host name.',
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: TOO_OLD,
  ERR_SSL_UNSUPPORTED_PROTOCOL: TOO_OLD,
  ERR_SSL_VERSION_TOO_LOW: TOO_OLD,
  ERR_SSL_WRONG_VERSION_NUMBER: 'The receiver does not speak TLS on this port.',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'The receiver does not speak TLS on this port.',
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: 'The receiver asks for a client certificate.',
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: 'The receiver and we have no TLS settings in common.',
  ERR_SSL_TLSV1_UNRECOGNIZED_NAME: 'The receiver does not know the host name (SNI).',
  ERR_SSL_TLSV1_ALERT_UNRECOGNIZED_NAME: 'The receiver does not know the host name (SNI).',
  ECONNRESET: 'The receiver broke off the TLS handshake.',
  EPIPE: 'The receiver broke off the TLS handshake.',
};

/** What a socket said while TLS was being agreed on. */
export function tlsFailure(error: unknown): DispatchFailure {
  return new DispatchFailure('tls', TLS_MESSAGES[codeOf(error)] ?? 'The TLS handshake failed.');
}

/** What is known of an exchange when its connection fails. */
export interface ExchangeFacts {
  /** A byte of the answer has come. */
  answerBegan: boolean;
  sawSwitch: boolean;
  isTls: boolean;
}

const CLOSED = 'The receiver closed the connection before it answered.';
const CLOSED_TLS = `${CLOSED} One that asks for a client certificate does the same.`;
const RESET = 'The receiver reset the connection before it answered.';
const NOT_HTTP = 'The answer is not valid HTTP.';

/** What undici reports once a connection was there. */
export function exchangeFailure(error: unknown, facts: ExchangeFacts): DispatchFailure {
  if (error instanceof DispatchFailure) return error;
  const code = codeOf(error);
  if (facts.sawSwitch)
    return new DispatchFailure('protocol', 'The receiver switched protocols without being asked.');
  if (error instanceof errors.HTTPParserError || code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH') {
    return new DispatchFailure('protocol', NOT_HTTP);
  }
  switch (code) {
    case 'ECONNRESET':
    case 'EPIPE':
    case 'ECONNABORTED':
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'ENETDOWN':
      return new DispatchFailure('reset', RESET);
    case 'UND_ERR_SOCKET':
      return new DispatchFailure('closed', facts.isTls ? CLOSED_TLS : CLOSED);
    case 'UND_ERR_HEADERS_OVERFLOW':
      return new DispatchFailure('protocol', "The answer's headers are larger than 64 KiB.");
    case 'ERR_ASSERTION':
      // undici asserts what a receiver's bytes may break: that is the receiver's fault, not ours.
      if (facts.answerBegan) return new DispatchFailure('protocol', NOT_HTTP);
      break;
    default:
      if (facts.isTls && isTlsCode(code)) return tlsFailure(error);
  }
  return failureFrom(error);
}

/** R-ATT-15: whether the failure is one that a connection gone stale shows. */
export function looksStale(failure: DispatchFailure): boolean {
  return failure.errorClass === 'reset' || failure.errorClass === 'closed';
}

function isTlsCode(code: string): boolean {
  return code.startsWith('ERR_SSL') || code.startsWith('ERR_TLS') || code === 'EPROTO';
}

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('code' in error)) return '';
  return typeof error.code === 'string' ? error.code : '';
}
