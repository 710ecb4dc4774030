// Every answer of the REST door: JSON, never cached, with the request's id.
import type { Logger } from '@/server/ports/logger';
import { refusalOf } from '@/server/services/refusal';
import { ERROR_TABLE, INTERNAL_MESSAGE } from '../errors';

export interface Answer {
  status: number;
  /** What is written as JSON, or text that is JSON already. */
  body: unknown;
  headers?: Record<string, string>;
}

/** JSON text that must go out as it is. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export function toResponse(answer: Answer, requestId: string): Response {
  const text = answer.body instanceof JsonText ? answer.body.text : JSON.stringify(answer.body);
  return new Response(text, {
    status: answer.status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-request-id': requestId,
      ...answer.headers,
    },
  });
}

/** A refusal in the one shape; what is no refusal is a bug: logged whole, shown as `internal`. */
export function errorResponse(error: unknown, requestId: string, log: Logger): Response {
  const known = refusalOf(error);
  if (known === null) log.error('rest.failed', { requestId, cause: error });
  else if (known.code === 'unavailable') log.warn('rest.unavailable', { requestId, cause: error });
  const code = known?.code ?? 'internal';
  const body = {
    error: {
      code,
      message: known?.message ?? INTERNAL_MESSAGE,
      request_id: requestId,
      ...(known?.details === undefined ? {} : { details: known.details }),
    },
  };
  const headers: Record<string, string> = {};
  if (known?.retryAfterS !== undefined) headers['retry-after'] = String(known.retryAfterS);
  if (code === 'unauthorized') headers['www-authenticate'] = 'Bearer';
  return toResponse({ status: ERROR_TABLE[code].status, body, headers }, requestId);
}
