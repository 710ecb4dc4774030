/**
 * Invariant: whether an endpoint wants a type is decided here alone, by publish, sweep and console alike
 * (R-PUB-2). The console uses this file: it imports nothing of Node.
 */

const TYPE = /^[a-z0-9_.-]{1,128}$/;
const RESERVED = ['webhook.', 'endpoint.', 'delivery.', 'breaker.'] as const;

/** A type that may be published: ≤ 128 characters of `[a-z0-9_.-]` (R-PUB-8). */
export function isEventType(text: string): boolean {
  return TYPE.test(text);
}

/** A type that only the platform itself may publish (R-PUB-10). */
export function isReservedType(type: string): boolean {
  return RESERVED.some((prefix) => type.startsWith(prefix));
}

/** A filter: an exact type, `prefix.*`, or `*` (R-PUB-2). */
export function isEventFilter(text: string): boolean {
  if (text === '*') return true;
  return TYPE.test(text.endsWith('.*') && text.length <= 128 ? text.slice(0, -2) : text);
}

/** Whether one filter matches a type; `prefix.*` at any depth, not the prefix itself (R-PUB-2). */
export function filterMatches(filter: string, type: string): boolean {
  if (filter === '*' || filter === type) return true;
  return filter.endsWith('.*') && type.length >= filter.length && type.startsWith(filter.slice(0, -1));
}

/** Whether an endpoint with these filters gets events of a type; an empty list means all (R-PUB-2). */
export function matchesType(filters: readonly string[], type: string): boolean {
  return filters.length === 0 || filters.some((filter) => filterMatches(filter, type));
}
