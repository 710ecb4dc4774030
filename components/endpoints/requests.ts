/** What the pages ask for; the server asks for the same before it draws them. */
import type { Place } from '../shell/navigation-items';

const LATEST = 10;

/** The latest deliveries of an endpoint, newest first. */
export function latestRequest(place: Place, endpointId: string) {
  return { ...place, endpointId, limit: LATEST };
}
