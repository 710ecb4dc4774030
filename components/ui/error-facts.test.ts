import { expect, it } from 'vitest';
import { errorCode, errorFacts } from './error-facts';

const failed = (code: string, message = 'internal detail') =>
  Object.assign(new Error(message), { data: { code, requestId: 'req_1' } });

it('an error says what it means, names its request, and offers another try only where that can help', () => {
  expect(errorFacts(failed('INTERNAL_SERVER_ERROR'))).toMatchObject({ requestId: 'req_1', canRetry: true });
  expect(errorFacts(failed('INTERNAL_SERVER_ERROR')).message).not.toContain('internal detail');
  expect(errorFacts(failed('NOT_FOUND'))).toMatchObject({ canRetry: false, requestId: 'req_1' });
  expect(errorFacts(failed('FORBIDDEN')).canRetry).toBe(false);
  expect(errorFacts(failed('CONFLICT', 'The endpoint is disabled.')).message).toBe(
    'The endpoint is disabled.',
  );
});

it('what never reached the server is said to be the line, not the server', () => {
  expect(errorFacts(new TypeError('fetch failed'))).toMatchObject({ requestId: null, canRetry: true });
  expect(errorFacts(new TypeError('fetch failed')).message).toMatch(/cannot be reached/);
  expect([errorCode(failed('UNAUTHORIZED')), errorCode(new Error('x')), errorCode(null)]).toEqual([
    'UNAUTHORIZED',
    null,
    null,
  ]);
});
