import { expect, it } from 'vitest';
import { answersTally, answerText } from './answers';

const code = (status_code: number) =>
  ({ status_code, error_class: 'http_5xx', outcome: 'unavailable' }) as const;
const timeout = { status_code: null, error_class: 'timeout', outcome: 'unavailable' } as const;
const unknown = { status_code: null, error_class: null, outcome: 'unknown' } as const;

it('R-BRK-8 an answer is its code, else its class, else its outcome', () => {
  expect([code(503), timeout, unknown].map(answerText)).toEqual(['503', 'timeout', 'unknown']);
});

it('R-BRK-8 what opened it is told by answer, the most frequent first', () => {
  expect(answersTally([timeout, code(503), code(503), timeout, code(503)])).toBe('3 × 503, 2 × timeout');
  expect(answersTally([])).toBe('');
});
