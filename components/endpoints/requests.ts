/** What the pages ask for; the server asks for the same before it draws them. */
import type { Place } from '../shell/navigation-items';

const LATEST = 10;
const TRIED = 25;

/** The latest deliveries of an endpoint, newest first. */
export function latestRequest(place: Place, endpointId: string) {
  return { ...place, endpointId, limit: LATEST };
}

/** Those that wait for another attempt: where a breaker holds all that is newer, they alone know the last answer. */
export function triedRequest(place: Place, endpointId: string) {
  return { ...place, endpointId, reason: 'retrying' as const, limit: TRIED };
}
