import type { LaneHead } from '../sqlite/claim-statements';
import { type Client, selectArrays } from './connect';
import { Missing } from './missing';

export type WalkKind = 'ordinary' | 'suspect';

/** Rows that a walk of this kind looks at, as the condition of its partial index says it. */
export const OPEN: Readonly<Record<WalkKind, string>> = {
  ordinary: `d.status = 'pending' AND d.lease_until IS NULL AND d.unknowns < 3 AND d.endpoint_id IS NOT NULL`,
  suspect: `d.status = 'pending' AND d.lease_until IS NULL AND d.unknowns >= 3 AND d.endpoint_id IS NOT NULL`,
};

/** First attempts of test sends (R-RES-3), as the condition of their index says it. */
export const IS_TEST = `d.next_trigger = 'test' AND d.status = 'pending' AND d.lease_until IS NULL`;

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
  /** Heads that were read behind `from`. */
  add(from: Key, heads: readonly Head[]): void;
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

/** Reads heads of one kind behind the key in two of the statement's places. */
function headsText(kind: WalkKind, name: string, [app, endpoint]: readonly [string, string]): string {
  const next = `SELECT d.app_id, d.endpoint_id, d.due_at FROM deliveries d WHERE ${OPEN[kind]}`;
  const order = 'ORDER BY d.app_id, d.endpoint_id, d.due_at LIMIT 1';
  return `${name} AS (
      (${next} AND (d.app_id, d.endpoint_id) > (${app}::bigint, ${endpoint}::bigint) ${order})
      UNION ALL
      SELECT n.* FROM ${name} h
      CROSS JOIN LATERAL (${next} AND (d.app_id, d.endpoint_id) > (h.app_id, h.endpoint_id) ${order}) n
    )`;
}

const ONE: Readonly<Record<WalkKind, string>> = {
  ordinary: `WITH RECURSIVE ${headsText('ordinary', 'heads', ['$1', '$2'])} SELECT * FROM heads LIMIT ${CHUNK}`,
  suspect: `WITH RECURSIVE ${headsText('suspect', 'heads', ['$1', '$2'])} SELECT * FROM heads LIMIT ${CHUNK}`,
};

const FIRST = `WITH RECURSIVE ${headsText('ordinary', 'ordinary', ['$1', '$2'])},
    ${headsText('suspect', 'suspect', ['$3', '$4'])}
  (SELECT app_id, endpoint_id, due_at, 'ordinary' FROM ordinary LIMIT ${CHUNK})
  UNION ALL (SELECT app_id, endpoint_id, due_at, 'suspect' FROM suspect LIMIT ${CHUNK})
  UNION ALL (SELECT d.app_id, d.endpoint_id, d.due_at, 'test' FROM deliveries d
    WHERE ${IS_TEST} AND d.due_at <= $5 ORDER BY d.due_at LIMIT 1)`;

function headOf([appId, endpointId, dueAt]: readonly unknown[]): Head {
  return { appId: Number(appId), endpointId: Number(endpointId), dueAt: Number(dueAt) };
}

/** What every claim begins with, in one statement: the first heads of both kinds, and whether a test send is due. */
export async function loadFirst(
  client: Client,
  at: { now: number; from: Readonly<Record<WalkKind, Key>> },
  heads: Readonly<Record<WalkKind, Heads>>,
): Promise<{ tests: boolean }> {
  const { ordinary, suspect } = at.from;
  const values = [ordinary.appId, ordinary.endpointId, suspect.appId, suspect.endpointId, at.now];
  const rows = await selectArrays(client, FIRST, values);
  const of = (kind: string) => rows.filter((row) => row[3] === kind).map(headOf);
  heads.ordinary.add(ordinary, of('ordinary'));
  heads.suspect.add(suspect, of('suspect'));
  return { tests: rows.some((row) => row[3] === 'test') };
}

export function createHeads(kind: WalkKind): Heads {
  const ranges: Range[] = [];

  const after = (key: Key): Head | undefined => {
    const range = ranges.find(({ from, to }) => !isBefore(key, from) && (to === null || isBefore(key, to)));
    if (range === undefined) throw new Missing({ kind: 'heads', of: kind, from: key });
    return range.heads[placeBehind(range.heads, key)];
  };

  const add = (from: Key, heads: readonly Head[]) => {
    const last = heads.length < CHUNK ? undefined : heads.at(-1);
    ranges.push({ from, to: last ?? null, heads });
  };

  return {
    appAfter: (appId) => after(behindApp(appId))?.appId,
    laneAfter(appId, endpointId) {
      const head = after({ appId, endpointId });
      return head?.appId === appId ? head : undefined;
    },
    add,
    load: async (client, from) =>
      add(from, (await selectArrays(client, ONE[kind], [from.appId, from.endpointId])).map(headOf)),
    dueAt: (now) => ranges.flatMap(({ heads }) => heads.filter(({ dueAt }) => dueAt <= now)),
  };
}
