import { expect, it } from 'vitest';
import { pauseLadder } from '@/server/core/breaker';
import { PRESETS } from '@/server/core/policy';
import { pauseElapsed, pauseSteps } from './pause-steps';

const MIN = 60_000;
const ladder = pauseLadder(PRESETS.standard.breaker);

it.each([
  [null, ['ahead', 'ahead', 'ahead', 'ahead']],
  [5 * MIN, ['now', 'ahead', 'ahead', 'ahead']],
  [20 * MIN, ['past', 'past', 'now', 'ahead']],
  [30 * MIN, ['past', 'past', 'past', 'now']],
  [15 * MIN, ['past', 'past', 'now', 'ahead']],
  [60 * MIN, ['past', 'past', 'past', 'now']],
])('R-BRK-2 a pause of %s ms lights its step of 5, 10, 20, 30 min', (present, states) => {
  const steps = pauseSteps(ladder, present);
  expect(steps.map((step) => step.pauseMs / MIN)).toEqual([5, 10, 20, 30]);
  expect(steps.map((step) => step.state)).toEqual(states);
});

it.each([
  [10 * MIN, 0],
  [5 * MIN, 0.5],
  [0, 1],
  [-MIN, 1],
  [15 * MIN, 0],
])('R-BRK-2 with the probe %i ms ahead a pause of ten minutes has run its share', (ahead, share) => {
  expect(pauseElapsed({ pauseMs: 10 * MIN, probeAt: 1_000_000 + ahead, now: 1_000_000 })).toBe(share);
});
