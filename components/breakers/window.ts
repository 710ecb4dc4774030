/** A breaker's window against its thresholds, by core's own rule. Shares are whole percents for the eye alone. */
import { opensAt } from '@/server/core/breaker';
import type { BreakerDetail, BreakerResource } from '@/server/services/contract';

type Window = BreakerResource['window'];
type Thresholds = Pick<BreakerDetail['thresholds'], 'minAttempts' | 'failureRatio'>;

/** Failures in percent of the attempts, rounded down so that it never shows a threshold that is not reached. */
export function failedPercent({ attempts, failures }: Window): number {
  return attempts === 0 ? 0 : Math.floor((failures / attempts) * 100);
}

/** R-BRK-1: how many failures in a row, from now on, would open it. */
export function failuresToOpen(window: Window, thresholds: Thresholds): number {
  const policy = { minAttempts: thresholds.minAttempts, failureRatio: thresholds.failureRatio };
  for (let more = 1; more <= WINDOW_END; more += 1) {
    const count = { attempts: window.attempts + more, failures: window.failures + more };
    if (opensAt(count, policy)) return more;
  }
  return WINDOW_END;
}

/** Beyond any window of ≤ 1,000 ends and any ratio below 1 that a person would set. */
const WINDOW_END = 100_000;

export interface Meter {
  /** 0–1 of the meter's length. */
  share: number;
  /** Where the threshold's mark stands, 0–1. */
  mark: number;
}

/** Attempts against the least number that decides; the meter is twice that long. */
export function attemptsMeter({ attempts }: Window, { minAttempts }: Thresholds): Meter {
  const length = Math.max(1, minAttempts * 2);
  return { share: Math.min(1, attempts / length), mark: minAttempts / length };
}

/** Share of failures against the ratio that opens it. */
export function failuresMeter({ attempts, failures }: Window, { failureRatio }: Thresholds): Meter {
  return { share: attempts === 0 ? 0 : failures / attempts, mark: failureRatio };
}
