import type { BreakerEventKind } from '@/server/core/model';
import type { BreakerDetail } from '@/server/services/contract';
import { t } from '../messages';
import type { Shape, Tone } from '../ui/status';

type HistoryEntry = BreakerDetail['history'][number];

interface HistoryLook {
  shape: Shape;
  tone: Tone;
  /** The move set these; other rows merely carry what was in force. */
  setsPause?: true;
  setsProbe?: true;
}

const LOOKS: Record<BreakerEventKind, HistoryLook> = {
  opened: { shape: 'cross', tone: 'bad', setsPause: true, setsProbe: true },
  probe_leased: { shape: 'half', tone: 'probe' },
  probe_failed: { shape: 'cross', tone: 'bad', setsPause: true, setsProbe: true },
  probe_postponed: { shape: 'bars', tone: 'held', setsProbe: true },
  turn_given_back: { shape: 'dash', tone: 'off' },
  closed: { shape: 'dot', tone: 'good' },
  reset: { shape: 'dot', tone: 'good' },
  probe_due_now: { shape: 'ring', tone: 'wait' },
};

function isKind(kind: string): kind is BreakerEventKind {
  return kind in LOOKS;
}

export interface HistoryLine {
  shape: Shape;
  tone: Tone;
  word: string;
  pauseMs: number | null;
  probeAt: string | null;
}

/** How a move of a breaker is told; one that this page does not know keeps its own name. */
export function historyLine(entry: Pick<HistoryEntry, 'kind' | 'pause_ms' | 'probe_at'>): HistoryLine {
  if (!isKind(entry.kind))
    return { shape: 'dash', tone: 'off', word: entry.kind, pauseMs: null, probeAt: null };
  const { shape, tone, setsPause, setsProbe } = LOOKS[entry.kind];
  return {
    shape,
    tone,
    word: t.breakers.history.kinds[entry.kind],
    pauseMs: setsPause ? entry.pause_ms : null,
    probeAt: setsProbe ? entry.probe_at : null,
  };
}
