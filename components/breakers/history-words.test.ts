import { expect, it } from 'vitest';
import { historyLine } from './history-words';

const AT = '2026-03-02T14:00:00.000Z';

it.each([
  ['opened', 'opened', 'cross', 300_000, AT],
  ['probe_leased', 'probe sent', 'half', null, null],
  ['probe_failed', 'probe failed', 'cross', 300_000, AT],
  ['probe_postponed', 'probe put off', 'bars', null, AT],
  ['closed', 'closed by a probe', 'dot', null, null],
  ['reset', 'reset by hand', 'dot', null, null],
  ['something_new', 'something_new', 'dash', null, null],
])(
  'R-BRK-8 history tells %s, with the pause and the probe that it set',
  (kind, word, shape, pauseMs, probeAt) => {
    const entry = { kind, pause_ms: 300_000, probe_at: AT };
    expect(historyLine(entry)).toMatchObject({ word, shape, pauseMs, probeAt });
  },
);
