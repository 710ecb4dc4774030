import { expect, it } from 'vitest';
import { historyLook } from './history-words';

it.each([
  ['opened', 'opened', 'cross'],
  ['probe_leased', 'probe sent', 'half'],
  ['probe_failed', 'probe failed', 'cross'],
  ['closed', 'closed by a probe', 'dot'],
  ['reset', 'reset by hand', 'dot'],
  ['something_new', 'something_new', 'dash'],
])('R-BRK-8 history names %s', (kind, word, shape) => {
  expect(historyLook({ kind })).toMatchObject({ word, shape });
});
