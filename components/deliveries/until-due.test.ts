import { expect, it } from 'vitest';
import { untilDue } from './until-due';

it.each([
  ['nothing is to come', [], null],
  ['the first of them, and a moment for the engine', [7_000, 3_000, 9_000], 3_000],
  ['what has been due for a while is looked at every five seconds', [-60_000], 5_000],
  ['the sooner of the two', [-60_000, 1_500], 1_500],
  ['never more than a timer takes', [40 * 86_400_000], 3_600_000],
])('R-BRK-9 R-LAD-9 %s', (_what, instants, wait) => {
  expect(
    untilDue(
      instants.map((at) => 1_000_000 + at),
      1_001_000,
    ),
  ).toBe(wait);
});
