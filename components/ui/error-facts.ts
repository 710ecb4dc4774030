import { t } from '../messages';

export interface ErrorFacts {
  title: string;
  message: string;
  requestId: string | null;
  /** False where the same request would only fail again. */
  canRetry: boolean;
}

interface ErrorData {
  code?: unknown;
  requestId?: unknown;
  request_id?: unknown;
}

function dataOf(error: unknown): ErrorData | null {
  if (typeof error !== 'object' || error === null || !('data' in error)) return null;
  const { data } = error;
  return typeof data === 'object' && data !== null ? data : null;
}

function requestIdOf(data: ErrorData): string | null {
  const id = data.requestId ?? data.request_id;
  return typeof id === 'string' ? id : null;
}

/** The procedure's own code, "UNAUTHORIZED"; null for what never reached the server. */
export function errorCode(error: unknown): string | null {
  const code = dataOf(error)?.code;
  return typeof code === 'string' ? code : null;
}

/** What a failed request says to the reader. An answer without data never reached us: the line is down. */
export function errorFacts(error: unknown): ErrorFacts {
  const data = dataOf(error);
  const { title, notFoundTitle, notFound, forbidden, internal, unreachable } = t.common.errors;
  if (!data) return { title, message: unreachable, requestId: null, canRetry: true };
  const requestId = requestIdOf(data);
  switch (data.code) {
    case 'NOT_FOUND':
      return { title: notFoundTitle, message: notFound, requestId, canRetry: false };
    case 'FORBIDDEN':
      return { title, message: forbidden, requestId, canRetry: false };
    case 'INTERNAL_SERVER_ERROR':
      return { title, message: internal, requestId, canRetry: true };
    default:
      return { title, message: messageOf(error) ?? internal, requestId, canRetry: true };
  }
}

/** The server's own message; those it sends are written for the reader (api.md). */
export function messageOf(error: unknown): string | null {
  return error instanceof Error && error.message ? error.message : null;
}
