import { filterMatches, isEventFilter, matchesType } from '@/server/core/event-filter';

/** What to offer for a filter: the types in use, the prefixes that at least two of them share, and all of them. */
export function filterSuggestions(types: readonly string[]): string[] {
  const prefixes = new Map<string, number>();
  for (const type of types) {
    const parts = type.split('.');
    for (let depth = 1; depth < parts.length; depth += 1) {
      const prefix = `${parts.slice(0, depth).join('.')}.*`;
      prefixes.set(prefix, (prefixes.get(prefix) ?? 0) + 1);
    }
  }
  const shared = [...prefixes].filter(([, count]) => count > 1).map(([prefix]) => prefix);
  return ['*', ...[...shared, ...types].sort()];
}

export interface FilterReach {
  /** How many of the types in use the filters match. */
  matched: number;
  of: number;
  /** Filters that match none of them. */
  unseen: string[];
}

/** What a list of filters would have got of what has been seen; null where nothing has been seen (R-PUB-2). */
export function filterReach(filters: readonly string[], types: readonly string[]): FilterReach | null {
  if (types.length === 0) return null;
  return {
    matched: types.filter((type) => matchesType(filters, type)).length,
    of: types.length,
    unseen: filters.filter(
      (filter) => isEventFilter(filter) && !types.some((type) => filterMatches(filter, type)),
    ),
  };
}
