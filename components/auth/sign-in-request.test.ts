import { describe, expect, it } from 'vitest';
import { signIn as t } from './messages';
import { missingField, problemOf } from './sign-in-request';

const answer = { status: 401, code: null, retryAfter: null };
const own = 'https://hooks.example.com';

describe('what a refused sign-in says', () => {
  it('D12 a wrong password and an unknown address read the same', () => {
    const wrong = problemOf({ ...answer, code: 'INVALID_EMAIL_OR_PASSWORD' }, own);
    expect(problemOf({ ...answer, code: 'USER_NOT_FOUND' }, own)).toEqual(wrong);
    expect(wrong).toEqual({ message: t.errors.wrong, field: 'password' });
  });

  it('D12 too many tries name the wait', () => {
    expect(problemOf({ ...answer, status: 429, retryAfter: '4' }, own).message).toContain('4 seconds');
    expect(problemOf({ ...answer, status: 429, retryAfter: 'soon' }, own).message).toContain('10 seconds');
  });

  it('D15 another origin is told which address to open', () => {
    const problem = problemOf({ ...answer, status: 403, code: 'INVALID_ORIGIN' }, own);
    expect(problem.message).toContain(own);
  });

  it('D38 an error of ours is none of the person’s', () => {
    expect(problemOf({ ...answer, status: 500 }, own)).toEqual({ message: t.errors.failed, field: null });
  });

  it.each([
    [{ email: ' ', password: 'x' }, 'email'],
    [{ email: 'a@b.example', password: '' }, 'password'],
    [{ email: 'a@b.example', password: ' ' }, null],
  ])('D10 %j: what is missing is %s', (entry, field) => {
    expect(missingField(entry)?.field ?? null).toBe(field);
  });
});
