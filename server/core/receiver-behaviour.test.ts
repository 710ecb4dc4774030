import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ReceiverBehaviour as StoredBehaviour } from '../ports/records';
import {
  isReceiverToken,
  RECEIVER_BEHAVIOURS,
  type ReceiverBehaviour,
  receiverAnswer,
  SLOW_ANSWER_MS,
} from './receiver-behaviour';

describe('what a built-in receiver answers', () => {
  it.each([
    ['healthy', 0, { status: 204, delayMs: 0 }],
    ['healthy', 0.999, { status: 204, delayMs: 0 }],
    ['flaky', 0, { status: 503, delayMs: 0 }],
    ['flaky', 0.2999, { status: 503, delayMs: 0 }],
    ['flaky', 0.3, { status: 204, delayMs: 0 }],
    ['flaky', 0.999, { status: 204, delayMs: 0 }],
    ['down', 0, { status: 503, delayMs: 0 }],
    ['down', 0.999, { status: 503, delayMs: 0 }],
    ['reject', 0, { status: 400, delayMs: 0 }],
    ['reject', 0.999, { status: 400, delayMs: 0 }],
    ['slow', 0, { status: 200, delayMs: 1_500 }],
    ['slow', 0.999, { status: 200, delayMs: 1_500 }],
  ] as const)('R-ATT-16 %s with draw %d answers %j', (behaviour, draw, answer) => {
    expect(receiverAnswer(behaviour, draw)).toEqual(answer);
  });

  it('R-ATT-16 a draw moves nobody but the flaky one', () => {
    const steady = RECEIVER_BEHAVIOURS.filter((behaviour) => behaviour !== 'flaky');
    fc.assert(
      fc.property(
        fc.constantFrom(...steady),
        fc.double({ min: 0, max: 0.9999, noNaN: true }),
        (behaviour, draw) => {
          expect(receiverAnswer(behaviour, draw)).toEqual(receiverAnswer(behaviour, 0));
        },
      ),
    );
  });

  it('R-ATT-2 a slow receiver stays far below the shortest timeout of a preset', () => {
    expect(SLOW_ANSWER_MS).toBeLessThan(10_000 / 2);
  });

  it('R-ATT-16 knows exactly the behaviours that the store keeps', () => {
    const stored: readonly StoredBehaviour[] = RECEIVER_BEHAVIOURS;
    const known: readonly ReceiverBehaviour[] = stored;
    expect(new Set(known).size).toBe(5);
  });

  it.each([
    ['abcdefgh01234567', true],
    ['abcdefgh0123456', false],
    ['ABCDEFGH01234567', false],
    ['abcdefgh0123456/', false],
    ['a'.repeat(64), true],
    ['a'.repeat(65), false],
    ['', false],
  ])('R-ATT-16 token form %s: %s', (token, expected) => {
    expect(isReceiverToken(token)).toBe(expected);
  });
});
