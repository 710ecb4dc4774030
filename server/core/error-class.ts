// Invariant: total by type; no class shares its sentence with another, and none quotes a library's message.
import type { ErrorClass } from './model';

export type Attribution = 'receiver' | 'network' | 'dns' | 'tls' | 'address' | 'us';

export interface ErrorClassInfo {
  /** Whose side the cause lies on. */
  attribution: Attribution;
  /** One plain sentence with what to do. */
  sentence: string;
}

/** R-ATT-18: what each error class means and what to do about it. */
export const ERROR_CLASSES = {
  http_4xx: {
    attribution: 'receiver',
    sentence:
      'The receiver refused the request: check the path, the authentication and the signature check at the endpoint.',
  },
  http_429: {
    attribution: 'receiver',
    sentence:
      'The receiver is limiting its rate: let it take more requests, or give the endpoint a lower concurrency.',
  },
  http_5xx: {
    attribution: 'receiver',
    sentence:
      'The receiver failed while handling the request: look into its logs at the time of the attempt.',
  },
  redirect: {
    attribution: 'receiver',
    sentence: 'The receiver redirects, and redirects are never followed: enter the final address as the URL.',
  },
  dns: {
    attribution: 'dns',
    sentence: 'The host name could not be resolved: check its spelling and its DNS records.',
  },
  refused_address: {
    attribution: 'address',
    sentence:
      'refused: not a public address. Let the host name point to public addresses only, or ask the operator to allow the network.',
  },
  connect_refused: {
    attribution: 'network',
    sentence:
      'Nothing accepts connections at this address and port: start the receiver or correct the port and the firewall.',
  },
  connect_timeout: {
    attribution: 'network',
    sentence:
      'No connection came about in time: check that the firewall lets our requests in and that the host is up.',
  },
  tls: {
    attribution: 'tls',
    sentence:
      'The secure connection failed: check that the certificate is valid, complete and made for this host name.',
  },
  reset: {
    attribution: 'network',
    sentence:
      'The connection was reset before an answer came: look for a crash, a proxy or a firewall that cuts connections.',
  },
  closed: {
    attribution: 'network',
    sentence:
      'The connection was closed without an answer: check the receiver, and whether it demands a client certificate.',
  },
  timeout: {
    attribution: 'receiver',
    sentence: 'No answer came within the time limit: answer with a 2xx first and do the work afterwards.',
  },
  protocol: {
    attribution: 'receiver',
    sentence:
      'The answer was not valid HTTP: check that the port speaks HTTP and that a proxy does not garble it.',
  },
  unsigned: {
    attribution: 'us',
    sentence:
      'The signing secret could not be opened, so nothing was sent: nothing to do here, the operators have been told.',
  },
  internal: {
    attribution: 'us',
    sentence:
      'An error of ours ended the attempt: nothing to do here, it is tried again and costs no attempt.',
  },
  lost: {
    attribution: 'us',
    sentence:
      'The result is unknown because the sending process stopped: it is tried again, and may arrive twice with the same id.',
  },
  corrupt: {
    attribution: 'us',
    sentence: 'The stored delivery could not be read: ask support, the event itself can be resent.',
  },
} as const satisfies Record<ErrorClass, ErrorClassInfo>;

/** R-ATT-18: whose side an error class lies on. */
export function attributionOf(errorClass: ErrorClass): Attribution {
  return ERROR_CLASSES[errorClass].attribution;
}

/**
 * The sentence of one failed attempt, with its status code, and for a redirect where it pointed (R-ATT-4, R-ATT-18).
 * `message` is the attempt's: of a redirect its target, else the plain reason that the dispatcher found.
 */
export function sentenceFor(
  errorClass: ErrorClass,
  attempt: { statusCode: number | null; message: string | null },
): string {
  const { sentence } = ERROR_CLASSES[errorClass];
  const facts = [
    attempt.statusCode === null ? null : `Status ${attempt.statusCode}`,
    errorClass === 'redirect' && attempt.message !== null ? `to ${attempt.message}` : null,
    errorClass === 'tls' && attempt.message !== null ? `Reason: ${attempt.message}` : null,
  ].filter((fact) => fact !== null);
  return facts.length === 0 ? sentence : `${facts.join(' ')}. ${sentence}`;
}
