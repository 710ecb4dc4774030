import type { LaneHead } from '../sqlite/claim-statements';
import { type Client, selectArrays } from './connect';
import { Missing } from './missing';

export type WalkKind = 'ordinary' | 'suspect';

/** Rows that a walk of this kind looks at, as the condition of its partial index says it. */
export const OPEN: Readonly<Record<WalkKind, string>> = {
  ordinary: `d.status = 'pending' AND d.lease_until IS NULL AND d.unknowns < 3 AND d.endpoint_id IS NOT NULL`,
  suspect: `d.status = 'pending' AND d.lease_until IS NULL AND d.unknowns >= 3 AND d.endpoint_id IS NOT NULL`,
};

/** Heads read at once: a claim that fills its slots from the first lanes reads no more. */
const CHUNK = 200;
/** Behind every endpoint of an app. */
const LAST = Number.MAX_SAFE_INTEGER;

export interface Key {
  appId: number;
  endpointId: number;
}

interface Head extends LaneHead {
  appId: number;
}

const isBefore = (a: Key, b: Key) =>
  a.appId < b.appId || (a.appId === b.appId && a.endpointId < b.endpointId);

/** Every lane behind `from` up to `to`; `to` null: up to the end. */
interface Range {
  from: Key;
  to: Key | null;
  heads: readonly Head[];
}

/**
 * Lanes with pending rows of one kind, in the order of the index, read chunk by chunk as the walk comes to them. One
 * seek for each lane, however many rows it has (a loose index scan).
 */
export interface Heads {
  appAfter(appId: number): number | undefined;
  laneAfter(appId: number, endpointId: number): LaneHead | undefined;
  load(client: Client, from: Key): Promise<void>;
  /** Endpoints of those read so far that have a row due at `now`. */
  dueAt(now: number): readonly Key[];
}

/** Place of the first one behind `key`, by halving. */
function placeBehind(heads: readonly Head[], key: Key): number {
  let low = 0;
  for (let high = heads.length; low < high; ) {
    const middle = (low + high) >> 1;
    const head = heads[middle];
    if (head !== undefined && isBefore(key, head)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The key from which the walk begins that stands behind this app. */
export function behindApp(appId: number): Key {
  return { appId, endpointId: LAST };
}

function textOf(kind: WalkKind): string {
  const next = `SELECT d.app_id, d.endpoint_id, d.due_at FROM deliveries d WHERE ${OPEN[kind]}`;
  const order = 'ORDER BY d.app_id, d.endpoint_id, d.due_at LIMIT 1';
  return `WITH RECURSIVE heads AS (
      (${next} AND (d.app_id, d.endpoint_id) > ($1::bigint, $2::bigint) ${order})
      UNION ALL
      SELECT n.* FROM heads h
      CROSS JOIN LATERAL (${next} AND (d.app_id, d.endpoint_id) > (h.app_id, h.endpoint_id) ${order}) n
    ) SELECT * FROM heads LIMIT ${CHUNK}`;
}

export function createHeads(kind: WalkKind): Heads {
  const ranges: Range[] = [];
  const text = textOf(kind);

  const after = (key: Key): Head | undefined => {
    const range = ranges.find(({ from, to }) => !isBefore(key, from) && (to === null || isBefore(key, to)));
    if (range === undefined) throw new Missing({ kind: 'heads', of: kind, from: key });
    return range.heads[placeBehind(range.heads, key)];
  };

  return {
    appAfter: (appId) => after(behindApp(appId))?.appId,
    laneAfter(appId, endpointId) {
      const head = after({ appId, endpointId });
      return head?.appId === appId ? head : undefined;
    },
    async load(client, from) {
      const rows = await selectArrays(client, text, [from.appId, from.endpointId]);
      const heads = rows.map(([appId, endpointId, dueAt]) => ({
        appId: Number(appId),
        endpointId: Number(endpointId),
        dueAt: Number(dueAt),
      }));
      const last = heads.length < CHUNK ? undefined : heads.at(-1);
      ranges.push({ from, to: last ?? null, heads });
    },
    dueAt: (now) => ranges.flatMap(({ heads }) => heads.filter(({ dueAt }) => dueAt <= now)),
  };
}
