import { describe, expect, it } from 'vitest';
import { passwordProblem } from './password-rules';

const whose = { email: 'dorj@altanpay.example', name: 'Dorj Bat' };

describe('passwords', () => {
  it.each([
    ['seven77', 'too_short'],
    ['', 'too_short'],
    ['🔑🔑🔑🔑🔑🔑🔑', 'too_short'],
    ['x'.repeat(129), 'too_long'],
    ['password', 'common'],
    ['Password1!', 'common'],
    ['qwertyuiop', 'common'],
    ['12345678', 'common'],
    ['1234567890', 'common'],
    ['987654321', 'common'],
    ['aaaaaaaaaaaa', 'common'],
    ['abcdefghij', 'common'],
    ['hookladder2026', 'context'],
    ['webhooks!!', 'context'],
    ['altanpay1', 'context'],
    ['dorj@altanpay.example', 'context'],
    ['Dorj Bat 1', 'context'],
    ['dorjbat99', 'context'],
  ])('D10 %s: %s', (password, problem) => {
    expect(passwordProblem(password, whose)).toBe(problem);
  });

  it.each([
    'tram-lantern-oxide',
    'нууц үг маань урт',
    'x7Kq mm2 pp',
    'a b c d e f',
    `${'long phrase '.repeat(10)}end!`,
    'zZzZzZzZ',
  ])('D10 %s is taken: no composition rules, spaces and any script', (password) => {
    expect(passwordProblem(password, whose)).toBeNull();
  });

  it('D10 64 characters and more are kept whole', () => {
    expect(passwordProblem(`${'ab c'.repeat(16)}`, whose)).toBeNull();
    expect(passwordProblem(`${'ab c'.repeat(32)}`, whose)).toBeNull();
  });
});
