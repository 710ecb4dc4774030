import type { EventFilter, Queries } from '@/server/ports/queries';
import { type Client, select } from './connect';

/** First half of the key of the locks that open publishes hold ("HKLF", db/migrations/postgres/0002). */
const FEED = 0x484b4c46;
const HALF = 2 ** 32;

const GIVEN =
  'SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END AS given FROM events_id_seq';
const HELD = `SELECT objid::bigint AS low FROM pg_locks
  WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND classid = ${FEED} AND objsubid = 1 AND granted`;

/**
 * The number up to which no event can be committed any more that is not committed now. Ids are given before the commit,
 * so that one may appear below others that were read already; every open publish therefore holds a lock on the id that
 * was given last before its own first one. Read in this order, each in a statement of its own: what takes its lock after
 * the locks were read gets ids above the one that was given last before.
 */
export async function feedEnd(client: Client): Promise<number> {
  const [sequence] = await select<{ given: number }>(client, GIVEN);
  const given = sequence?.given ?? 0;
  const held = await select<{ low: number }>(client, HELD);
  // The lock keeps the low half of a number that lies behind the one given last, or at it.
  const ends = held.map(({ low }) => given - (((((given % HALF) - low) % HALF) + HALF) % HALF));
  return Math.min(given, ...ends);
}

/** A list of events in the order of their ids ends before the first one that may still appear: none is passed over. */
export function withFeedEnd(queries: Queries, client: Client): Queries {
  return {
    ...queries,
    async events(filter: EventFilter) {
      if (filter.order !== 'asc') return queries.events(filter);
      const end = await feedEnd(client);
      const rows = await queries.events(filter);
      return rows.filter(({ id }) => id <= end);
    },
  };
}
