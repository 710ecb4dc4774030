import { describe, expect, it } from 'vitest';
import { StoreUnavailable } from '@/server/ports/store-unavailable';
import { ERROR_CODES, ServiceError } from '@/server/services/service-error';
import { ERROR_TABLE } from './errors';
import { errorResponse, toResponse } from './rest/answer';

/** As api.md has it. */
const STATUSES = {
  invalid_request: 400,
  cursor_mismatch: 400,
  reserved_type: 400,
  unsafe_url: 400,
  unauthorized: 401,
  forbidden: 403,
  wrong_environment: 403,
  not_found: 404,
  method_not_allowed: 405,
  environment_mismatch: 409,
  no_webhook: 409,
  endpoint_disabled: 409,
  idempotency_conflict: 409,
  idempotency_in_progress: 409,
  invalid_state: 409,
  rotation_overlap: 409,
  replay_running: 409,
  last_owner: 409,
  conflict: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  internal: 500,
  unavailable: 503,
};

const silent = { info() {}, warn() {}, error() {} };

describe('the table of errors', () => {
  it('API-ERRORS one code has one status, and there is no code outside the table', () => {
    expect(
      Object.fromEntries(Object.entries(ERROR_TABLE).map(([code, { status }]) => [code, status])),
    ).toEqual(STATUSES);
    expect([...ERROR_CODES].sort()).toEqual(Object.keys(STATUSES).sort());
  });

  it('API-ERRORS a code outside the table does not type-check', () => {
    // @ts-expect-error no such code
    const error = new ServiceError('teapot', 'Short and stout.');
    expect(Object.hasOwn(ERROR_TABLE, error.code)).toBe(false);
  });

  it.each(ERROR_CODES)('API-ERRORS %s is answered in the one shape', async (code) => {
    const error = new ServiceError(code, 'What to do.', {
      details: [{ path: 'url', message: 'wrong' }],
      retryAfterS: 7,
    });
    const response = errorResponse(error, 'req_1', silent);
    expect(response.status).toBe(STATUSES[code]);
    expect(await response.json()).toEqual({
      error: {
        code,
        message: 'What to do.',
        request_id: 'req_1',
        details: [{ path: 'url', message: 'wrong' }],
      },
    });
    expect(response.headers.get('retry-after')).toBe('7');
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  it('D38 what is no refusal says nothing of itself', async () => {
    const body = await errorResponse(new Error('at /srv/app.ts:3'), 'req_2', silent).json();
    expect(body.error.code).toBe('internal');
    expect(JSON.stringify(body)).not.toContain('/srv');
  });

  it('API-503 a store that is busy, full or broken is unavailable, with Retry-After', async () => {
    for (const [fault, seconds] of [
      ['busy', '1'],
      ['full', '30'],
      ['io', '30'],
    ] as const) {
      const response = errorResponse(new StoreUnavailable(fault, new Error('SQLITE_X')), 'req_4', silent);
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, seconds]);
      expect(await response.text()).not.toContain('SQLITE');
    }
  });

  it('API-ERRORS every answer has its request id', () => {
    expect(toResponse({ status: 200, body: {} }, 'req_3').headers.get('x-request-id')).toBe('req_3');
  });
});
