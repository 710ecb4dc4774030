import { describe, expect, it } from 'vitest';
import { createSignInLimit, FAILURE_WINDOW_MS, waitAfter } from './sign-in-limit';

function limitAt(start: number) {
  let at = start;
  const limit = createSignInLimit(() => at);
  return { limit, pass: (ms: number) => (at += ms) };
}

describe('guessing passwords', () => {
  it.each([
    [0, 0],
    [4, 0],
    [5, 1_000],
    [6, 2_000],
    [7, 4_000],
    [10, 32_000],
    [11, 60_000],
    [500, 60_000],
  ])('D12 after %d failures the wait is %d ms', (count, ms) => {
    expect(waitAfter(count)).toBe(ms);
  });

  it('D12 five failures are free, the sixth try waits, and never longer than a minute', () => {
    const { limit, pass } = limitAt(1_000);
    for (let i = 0; i < 4; i += 1) limit.failed('a@x.example');
    expect(limit.waitMs('a@x.example')).toBe(0);
    limit.failed('A@X.example ');
    expect(limit.waitMs('a@x.example')).toBe(1_000);
    pass(999);
    expect(limit.waitMs('a@x.example')).toBe(1);
    pass(1);
    expect(limit.waitMs('a@x.example')).toBe(0);
    for (let i = 0; i < 100; i += 1) limit.failed('a@x.example');
    expect(limit.waitMs('a@x.example')).toBe(60_000);
  });

  it('D12 another account waits for nobody, success and a quiet quarter of an hour forget', () => {
    const { limit, pass } = limitAt(1_000);
    for (let i = 0; i < 8; i += 1) limit.failed('a@x.example');
    expect(limit.waitMs('b@x.example')).toBe(0);
    limit.succeeded('a@x.example');
    expect(limit.waitMs('a@x.example')).toBe(0);
    for (let i = 0; i < 8; i += 1) limit.failed('a@x.example');
    pass(FAILURE_WINDOW_MS);
    limit.failed('a@x.example');
    expect(limit.waitMs('a@x.example')).toBe(0);
  });

  it('D12 a flood of names does not grow without end', () => {
    const { limit } = limitAt(1_000);
    for (let i = 0; i < 6; i += 1) limit.failed('first@x.example');
    for (let i = 0; i < 10_000; i += 1) limit.failed(`${i}@x.example`);
    expect(limit.waitMs('first@x.example')).toBe(0);
  });
});
