import type { BreakerResource } from '@/server/services/contract';

const RANK: Record<BreakerResource['state'], number> = { open: 0, half_open: 0, closed: 1 };

/** Those that hold something first, the longest open before the others; then the closed, as they came. */
export function byUrgency<B extends Pick<BreakerResource, 'state' | 'opened_at'>>(
  breakers: readonly B[],
): B[] {
  const opened = (breaker: B) => (breaker.opened_at === null ? Infinity : Date.parse(breaker.opened_at));
  return [...breakers].sort((a, b) => {
    const rank = RANK[a.state] - RANK[b.state];
    if (rank !== 0 || a.state === 'closed') return rank;
    return opened(a) - opened(b);
  });
}

export interface Tally {
  total: number;
  notClosed: number;
  held: number;
  /** `held` is at least this. */
  capped: boolean;
}

/** What a list of breakers amounts to; `exactTo`: up to how many one breaker's `held` is exact. */
export function tallyOf(
  breakers: readonly Pick<BreakerResource, 'state' | 'held'>[],
  exactTo = 10_000,
): Tally {
  const notClosed = breakers.filter((breaker) => breaker.state !== 'closed');
  return {
    total: breakers.length,
    notClosed: notClosed.length,
    held: notClosed.reduce((sum, breaker) => sum + breaker.held, 0),
    capped: notClosed.some((breaker) => breaker.held >= exactTo),
  };
}
