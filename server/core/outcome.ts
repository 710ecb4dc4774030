// Invariant: total; every end of an attempt has one outcome, one place in the breaker's window and one verdict as
// the probe, and these three are the columns of R-ATT-17.
import type { AttemptEnd, ErrorClass, Outcome, Trigger } from './model';
import type { LadderPart } from './policy';

export interface Classified {
  outcome: Outcome;
  /** Null for `delivered` and `held`. */
  errorClass: ErrorClass | null;
  statusCode: number | null;
}

/** What the end of a probe does to the breaker that sent it (R-BRK-4, R-ATT-17). */
export type ProbeVerdict = 'closes' | 'postpones' | 'reopens' | 'gives_back';

function classifyStatus(statusCode: number, retryStatuses: readonly number[]): Classified {
  if (statusCode >= 200 && statusCode < 300) return { outcome: 'delivered', errorClass: null, statusCode };
  if (statusCode >= 300 && statusCode < 400)
    return { outcome: 'rejected', errorClass: 'redirect', statusCode };
  if (statusCode >= 400 && statusCode < 500) {
    const outcome = retryStatuses.includes(statusCode) ? 'unavailable' : 'rejected';
    return { outcome, errorClass: statusCode === 429 ? 'http_429' : 'http_4xx', statusCode };
  }
  if (statusCode >= 500 && statusCode < 600)
    return { outcome: 'unavailable', errorClass: 'http_5xx', statusCode };
  return { outcome: 'unavailable', errorClass: 'protocol', statusCode };
}

/** R-ATT-3, R-ATT-4, R-ATT-10: what an end came to under the ladder part of its cycle. */
export function classify(end: AttemptEnd, ladder: Pick<LadderPart, 'retryStatuses'>): Classified {
  switch (end.kind) {
    case 'answered':
      return classifyStatus(end.statusCode, ladder.retryStatuses);
    case 'failed': {
      const { errorClass } = end;
      if (errorClass === 'internal') return { outcome: 'unknown', errorClass, statusCode: null };
      if (errorClass === 'refused_address') return { outcome: 'rejected', errorClass, statusCode: null };
      return { outcome: 'unavailable', errorClass, statusCode: null };
    }
    case 'held':
      return { outcome: 'held', errorClass: null, statusCode: null };
    case 'lost':
      return { outcome: 'unknown', errorClass: 'lost', statusCode: null };
    default: {
      const never: never = end;
      return never;
    }
  }
}

/** R-ATT-17, column "breaker window". The first attempt of a test send counts in none. */
export function countsAs(classified: Classified, trigger: Trigger): 'reachable' | 'failure' | null {
  if (trigger === 'test') return null;
  switch (classified.outcome) {
    case 'delivered':
      return 'reachable';
    case 'rejected':
      return classified.errorClass === 'refused_address' ? null : 'reachable';
    case 'unavailable':
      return answeredBelow500(classified) ? 'reachable' : 'failure';
    case 'held':
    case 'unknown':
      return null;
    default: {
      const never: never = classified.outcome;
      return never;
    }
  }
}

/** R-ATT-17, column "as the probe". */
export function probeVerdict(classified: Classified): ProbeVerdict {
  switch (classified.outcome) {
    case 'delivered':
      return 'closes';
    case 'rejected':
      return classified.errorClass === 'refused_address' ? 'reopens' : 'closes';
    case 'unavailable':
      return answeredBelow500(classified) ? 'postpones' : 'reopens';
    case 'held':
      return 'gives_back';
    case 'unknown':
      return classified.errorClass === 'internal' ? 'postpones' : 'gives_back';
    default: {
      const never: never = classified.outcome;
      return never;
    }
  }
}

/** Whether the receiver spoke valid HTTP and did not say that it is broken (R-RES-3, R-BRK-4). */
export function answeredBelow500(classified: Classified): boolean {
  return (
    classified.outcome === 'delivered' ||
    classified.errorClass === 'redirect' ||
    classified.errorClass === 'http_4xx' ||
    classified.errorClass === 'http_429'
  );
}
