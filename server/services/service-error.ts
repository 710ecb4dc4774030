// What a caller did wrong, by a closed table of codes; everything else that is thrown is a bug.

export const ERROR_CODES = [
  'invalid_request',
  'cursor_mismatch',
  'reserved_type',
  'unsafe_url',
  'unauthorized',
  'forbidden',
  'wrong_environment',
  'not_found',
  'method_not_allowed',
  'environment_mismatch',
  'no_webhook',
  'endpoint_disabled',
  'idempotency_conflict',
  'idempotency_in_progress',
  'invalid_state',
  'rotation_overlap',
  'replay_running',
  'last_owner',
  'conflict',
  'payload_too_large',
  'unsupported_media_type',
  'rate_limited',
  'internal',
  'unavailable',
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

export interface ErrorDetail {
  /** Dotted path of the input field, or the rule's name. */
  path: string;
  message: string;
}

/** What was refused to whom: for the audit log, never for the caller. */
export interface Denial {
  objectId: string | null;
  /** Null: the actor's own organization is noted. */
  organizationId: string | null;
  appId: number | null;
}

interface ErrorExtras {
  details?: readonly ErrorDetail[];
  /** Whole seconds for `Retry-After`. */
  retryAfterS?: number;
  denial?: Denial;
}

/** An expected refusal. `message` says what to do and is shown as it is. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ErrorCode;
  readonly details: readonly ErrorDetail[] | undefined;
  readonly retryAfterS: number | undefined;
  readonly denial: Denial | undefined;

  constructor(code: ErrorCode, message: string, extras: ErrorExtras = {}) {
    super(message);
    this.code = code;
    this.details = extras.details;
    this.retryAfterS = extras.retryAfterS;
    this.denial = extras.denial;
  }
}

/** Unknown, malformed and foreign ids answer alike (D02); a foreign one is noted in the audit log. */
export function notFound(foreignId?: string): ServiceError {
  const denial =
    foreignId === undefined ? undefined : { objectId: foreignId, organizationId: null, appId: null };
  return new ServiceError('not_found', 'Nothing has this id here. Check the id and the app.', { denial });
}

/** One field that is wrong. */
export function invalid(path: string, message: string): ServiceError {
  return new ServiceError(
    'invalid_request',
    'The request is not valid. Correct the fields named in details.',
    {
      details: [{ path, message }],
    },
  );
}
