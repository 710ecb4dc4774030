import { expect, it } from 'vitest';
import type { TestSendAnswer } from '@/server/services/contract';
import { allowedAgainAt, testVerdict } from './test-answer';

const ended: TestSendAnswer = {
  ok: true,
  status_code: 204,
  error: null,
  duration_ms: 38.4,
  delivery_id: 'dlv_1',
  event_id: 'evt_1',
  state: 'ended',
};

it.each([
  ['arrived', {}, 'good', 'Arrived: the receiver answered 204 in 38 ms.', null],
  [
    'refused',
    { ok: false, status_code: 422, error: 'unprocessable', duration_ms: 1_204 },
    'bad',
    'Not accepted: the receiver answered 422 in 1,204 ms. It is retried as the policy says.',
    'unprocessable',
  ],
  [
    'no answer',
    { ok: false, status_code: null, error: 'No answer within 10 s.', duration_ms: 10_000 },
    'bad',
    'No answer after 10,000 ms. It is retried as the policy says.',
    'No answer within 10 s.',
  ],
  [
    'not started',
    { ok: false, status_code: null, duration_ms: null, state: 'pending' },
    'wait',
    'It has not started within 5 s: the endpoint’s slots are taken. It goes out as soon as one is free.',
    null,
  ],
] as const)('R-RES-3 what a test came to: %s', (_what, over, tone, text, detail) => {
  const verdict = testVerdict({ ...ended, ...over }, true);
  expect(verdict).toMatchObject({ tone, text, detail });
});

it('R-BRK-9 a disabled endpoint gets the test and none of its retries', () => {
  const { text } = testVerdict({ ...ended, ok: false, status_code: 503 }, false);
  expect(text).toBe(
    'Not accepted: the receiver answered 503 in 38 ms. Nothing more is sent while the endpoint is disabled.',
  );
});

it('R-RES-3 the limit says when the next one can go; no other refusal does', () => {
  const limited = { data: { serviceCode: 'rate_limited', retryAfterS: 24 } };
  expect(allowedAgainAt(limited, 1_000)).toBe(25_000);
  expect(allowedAgainAt({ data: { serviceCode: 'forbidden', retryAfterS: null } }, 1_000)).toBeNull();
  expect(allowedAgainAt({ data: null }, 1_000)).toBeNull();
  expect(allowedAgainAt(new Error('offline'), 1_000)).toBeNull();
});
