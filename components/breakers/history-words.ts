import type { BreakerEventKind } from '@/server/core/model';
import type { BreakerDetail } from '@/server/services/contract';
import { t } from '../messages';
import type { Shape, Tone } from '../ui/status';

type HistoryEntry = BreakerDetail['history'][number];

const LOOKS: Record<BreakerEventKind, { shape: Shape; tone: Tone }> = {
  opened: { shape: 'cross', tone: 'bad' },
  probe_leased: { shape: 'half', tone: 'probe' },
  probe_failed: { shape: 'cross', tone: 'bad' },
  probe_postponed: { shape: 'bars', tone: 'held' },
  turn_given_back: { shape: 'dash', tone: 'off' },
  closed: { shape: 'dot', tone: 'good' },
  reset: { shape: 'dot', tone: 'good' },
  probe_due_now: { shape: 'ring', tone: 'wait' },
};

function isKind(kind: string): kind is BreakerEventKind {
  return kind in LOOKS;
}

/** How an event of a breaker is shown; one that this page does not know keeps its own name. */
export function historyLook({ kind }: Pick<HistoryEntry, 'kind'>): {
  shape: Shape;
  tone: Tone;
  word: string;
} {
  return isKind(kind)
    ? { ...LOOKS[kind], word: t.breakers.history.kinds[kind] }
    : { shape: 'dash', tone: 'off', word: kind };
}
