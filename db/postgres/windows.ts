import type { WindowEntry } from '@/server/core/model';
import type { BreakerRow } from '@/server/ports/records';
import { type Client, select } from './connect';

/** R-BRK-1: of more ends in the window the newest this many decide. */
const WINDOW = 1_000;

interface Counted {
  attemptId: number;
  breakerId: number;
  epoch: number;
  deliveryId: number;
  endedAt: number;
  failure: boolean;
}

/** The windows of breakers inside one transaction: what is stored, and above it what the transaction will store. */
export interface Windows {
  /** Ends that count since an instant, newest first. */
  of(breaker: Pick<BreakerRow, 'id' | 'epoch'>, since: number): Promise<readonly WindowEntry[]>;
  /** An end of this transaction counts from now on. */
  add(entry: Counted): void;
}

const TEXT = `SELECT id AS "attemptId", delivery_id AS "deliveryId", ended_at AS "endedAt", counted
  FROM attempts WHERE breaker_id = $1 AND breaker_id IS NOT NULL AND epoch = $2 AND ended_at >= $3
  ORDER BY ended_at DESC, id DESC LIMIT ${WINDOW}`;

const newestFirst = (a: WindowEntry, b: WindowEntry) => b.endedAt - a.endedAt || b.attemptId - a.attemptId;

export function createWindows(client: Client): Windows {
  const stored = new Map<string, { since: number; entries: readonly WindowEntry[] }>();
  const added: Counted[] = [];

  const read = async ({ id, epoch }: Pick<BreakerRow, 'id' | 'epoch'>, since: number) => {
    const key = `${id}/${epoch}`;
    const known = stored.get(key);
    if (known !== undefined && known.since <= since) return known.entries;
    const rows = await select<Omit<WindowEntry, 'failure'> & { counted: string }>(client, TEXT, [
      id,
      epoch,
      since,
    ]);
    const entries = rows.map(({ counted, ...entry }) => ({ ...entry, failure: counted === 'failure' }));
    stored.set(key, { since, entries });
    return entries;
  };

  return {
    async of(breaker, since) {
      const entries = await read(breaker, since);
      const own = added
        .filter(({ breakerId, epoch }) => breakerId === breaker.id && epoch === breaker.epoch)
        .map(({ attemptId, deliveryId, endedAt, failure }) => ({ attemptId, deliveryId, endedAt, failure }));
      const replaced = new Set(own.map(({ attemptId }) => attemptId));
      return [...own, ...entries.filter(({ attemptId }) => !replaced.has(attemptId))]
        .filter(({ endedAt }) => endedAt >= since)
        .sort(newestFirst)
        .slice(0, WINDOW);
    },
    add: (entry) => void added.push(entry),
  };
}
