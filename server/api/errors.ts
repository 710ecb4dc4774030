// The one table of errors: a code has one HTTP status and one tRPC code, and there is no code outside it.
import type { ErrorCode } from '@/server/services/service-error';

interface ErrorFacts {
  status: 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 429 | 500 | 503;
  trpc:
    | 'BAD_REQUEST'
    | 'UNAUTHORIZED'
    | 'FORBIDDEN'
    | 'NOT_FOUND'
    | 'METHOD_NOT_SUPPORTED'
    | 'CONFLICT'
    | 'PAYLOAD_TOO_LARGE'
    | 'UNSUPPORTED_MEDIA_TYPE'
    | 'TOO_MANY_REQUESTS'
    | 'INTERNAL_SERVER_ERROR'
    | 'SERVICE_UNAVAILABLE';
}

const BAD_REQUEST = { status: 400, trpc: 'BAD_REQUEST' } as const;
const FORBIDDEN = { status: 403, trpc: 'FORBIDDEN' } as const;
const CONFLICT = { status: 409, trpc: 'CONFLICT' } as const;

export const ERROR_TABLE: Record<ErrorCode, ErrorFacts> = {
  invalid_request: BAD_REQUEST,
  cursor_mismatch: BAD_REQUEST,
  reserved_type: BAD_REQUEST,
  unsafe_url: BAD_REQUEST,
  unauthorized: { status: 401, trpc: 'UNAUTHORIZED' },
  forbidden: FORBIDDEN,
  wrong_environment: FORBIDDEN,
  not_found: { status: 404, trpc: 'NOT_FOUND' },
  method_not_allowed: { status: 405, trpc: 'METHOD_NOT_SUPPORTED' },
  environment_mismatch: CONFLICT,
  no_webhook: CONFLICT,
  endpoint_disabled: CONFLICT,
  idempotency_conflict: CONFLICT,
  idempotency_in_progress: CONFLICT,
  invalid_state: CONFLICT,
  rotation_overlap: CONFLICT,
  replay_running: CONFLICT,
  last_owner: CONFLICT,
  conflict: CONFLICT,
  payload_too_large: { status: 413, trpc: 'PAYLOAD_TOO_LARGE' },
  unsupported_media_type: { status: 415, trpc: 'UNSUPPORTED_MEDIA_TYPE' },
  rate_limited: { status: 429, trpc: 'TOO_MANY_REQUESTS' },
  internal: { status: 500, trpc: 'INTERNAL_SERVER_ERROR' },
  unavailable: { status: 503, trpc: 'SERVICE_UNAVAILABLE' },
};

export const INTERNAL_MESSAGE =
  'Something went wrong on our side. Try again; tell us the request id if it stays.';
