import { gateOf } from '@/server/core/gates';
import { hasOrdinaryProbe, mayBeProbed, takeProbe } from './claim-probe';
import { type ClaimLane, type ClaimRun, freeOf, laneOf, noteDue, setAside, takeRow } from './claim-run';
import type { LaneHead, WalkStatements } from './claim-statements';
import { deliveryIdOf, type RawDelivery } from './delivery-row';

/** Where the walk is inside each app, so that an app's endpoints take turns from one claim to the next too. */
export type Turns = Map<number, number>;

const KEPT_TURNS = 10_000;

export interface Walk {
  kind: 'ordinary' | 'suspect';
  statements: WalkStatements;
  turns: Turns;
  /** App whose turn was last. */
  afterAppId: number;
  /** How many rows it may take. */
  budget: () => number;
}

/** An endpoint's rows, one at a time. */
interface LaneWalk {
  head: LaneHead;
  claimLane: ClaimLane;
  rows: RawDelivery[];
  fetched: boolean;
}

interface AppWalk {
  appId: number;
  lanes: LaneWalk[];
  /** Endpoint behind which the next one is looked for; null: all were found. */
  afterEndpointId: number | null;
  wrapped: boolean;
  startedAfter: number;
}

const goesOn = (run: ClaimRun, walk: Walk) => walk.budget() > 0 && run.endings > 0;

/** Rows of an endpoint that cannot be read cannot be sent either. */
function setLaneAside(
  run: ClaimRun,
  walk: Walk,
  at: { appId: number; endpointId: number; why: string },
): void {
  const rows = walk.statements.due({ ...at, now: run.request.now, limit: run.endings });
  for (const raw of rows) setAside(run, deliveryIdOf(raw), at.why);
}

/** A gated lane: when its gate ends, or the instant at which its next row would be the probe. */
function noteGated(run: ClaimRun, claimLane: ClaimLane, head: LaneHead): void {
  const { gate } = claimLane;
  if (gate === null) return;
  if (gate.until !== null) noteDue(run, Math.max(gate.until, head.dueAt));
  else if (mayBeProbed(run, claimLane)) noteNext(run, run.deps.statements.ordinary, claimLane);
}

/** Whether the seek that found the lane read already that a gate holds it, other than its breaker's. */
function heldAtSight(run: ClaimRun, head: LaneHead): boolean {
  const { status, pausedUntil = null, unsignedSince = null, unsignedRetryAt = null } = head;
  if (status === undefined || status === null) return false;
  const gate = gateOf({
    health: { status, pausedUntil, unsignedSince, unsignedRetryAt, lastEndReachable: true },
    breaker: null,
    scope: null,
    now: run.request.now,
  });
  if (gate !== null && gate.until !== null) noteDue(run, Math.max(gate.until, head.dueAt));
  return gate !== null;
}

function noteNext(run: ClaimRun, statements: WalkStatements, { lane }: ClaimLane): void {
  const { appId, id: endpointId } = lane.endpoint;
  noteDue(run, statements.nextDue({ appId, endpointId, now: run.request.now }));
}

/** The one probe of a gated lane's breaker, where it is due; looked for once in a claim. */
function probe(run: ClaimRun, walk: Walk, claimLane: ClaimLane): boolean {
  const { breaker } = claimLane.lane;
  const suspect = walk.kind === 'suspect';
  if (breaker === null || !mayBeProbed(run, claimLane)) return false;
  if (suspect && hasOrdinaryProbe(run, claimLane)) return false;
  if (!suspect && run.probed.has(breaker)) return false;
  if (!suspect) run.probed.add(breaker);
  return takeProbe(run, claimLane, { walk: walk.statements, suspect });
}

function nextHead(walk: Walk, app: AppWalk): LaneHead | null {
  if (app.afterEndpointId === null) return null;
  const head = walk.statements.laneAfter(app.appId, app.afterEndpointId);
  if (head !== undefined && !(app.wrapped && head.endpointId > app.startedAfter)) {
    app.afterEndpointId = head.endpointId;
    return head;
  }
  if (app.wrapped || app.startedAfter === 0) {
    app.afterEndpointId = null;
    return null;
  }
  app.wrapped = true;
  app.afterEndpointId = 0;
  return nextHead(walk, app);
}

/** Takes one row of a lane, or says that it has none left to take. */
function takeOfLane(run: ClaimRun, walk: Walk, lane: LaneWalk): 'taken' | 'empty' {
  const { claimLane, head } = lane;
  const { appId, id: endpointId } = claimLane.lane.endpoint;
  while (goesOn(run, walk) && freeOf(run, claimLane) > 0) {
    if (lane.rows.length === 0) {
      const limit = lane.fetched ? Math.min(freeOf(run, claimLane), walk.budget()) : 1;
      lane.rows = walk.statements.due({ appId, endpointId, now: run.request.now, limit });
      lane.fetched = true;
    }
    const raw = lane.rows.shift();
    if (raw === undefined) {
      noteNext(run, walk.statements, claimLane);
      return 'empty';
    }
    if (takeRow(run, claimLane, { raw, suspect: walk.kind === 'suspect', probe: false })) {
      walk.turns.set(appId, head.endpointId);
      return 'taken';
    }
  }
  return 'empty';
}

/** Finds the app's next endpoint with work. 'taken': its breaker's probe was leased on the way. */
function discover(run: ClaimRun, walk: Walk, app: AppWalk): LaneWalk | 'taken' | null {
  for (let head = nextHead(walk, app); head !== null; head = nextHead(walk, app)) {
    if (head.dueAt > run.request.now) {
      noteDue(run, head.dueAt);
      continue;
    }
    if (heldAtSight(run, head)) continue;
    const claimLane = laneOf(run, head.endpointId);
    if (typeof claimLane === 'string') {
      setLaneAside(run, walk, { appId: app.appId, endpointId: head.endpointId, why: claimLane });
    } else if (claimLane.gate === null) {
      return { head, claimLane, rows: [], fetched: false };
    } else if (probe(run, walk, claimLane)) {
      return 'taken';
    } else {
      noteGated(run, claimLane, head);
    }
    if (!goesOn(run, walk)) return null;
  }
  return null;
}

/** One row of the app, of its next endpoint in turn. */
function takeOfApp(run: ClaimRun, walk: Walk, app: AppWalk): 'taken' | 'empty' {
  while (goesOn(run, walk)) {
    const found = discover(run, walk, app);
    if (found === 'taken') return 'taken';
    const lane = found ?? app.lanes.shift();
    if (lane === undefined) return 'empty';
    if (takeOfLane(run, walk, lane) === 'taken') {
      app.lanes.push(lane);
      return 'taken';
    }
  }
  return 'empty';
}

function openApp(walk: Walk, appId: number): AppWalk {
  const startedAfter = walk.turns.get(appId) ?? 0;
  return { appId, lanes: [], afterEndpointId: startedAfter, wrapped: false, startedAfter };
}

/** The first round: every app with work once, in order, beginning behind the one whose turn was last. */
function firstRound(run: ClaimRun, walk: Walk): { apps: AppWalk[]; complete: boolean } {
  const apps: AppWalk[] = [];
  const start = walk.afterAppId;
  let wrapped = false;
  let after = start;
  while (goesOn(run, walk)) {
    const appId = walk.statements.appAfter(after);
    if (appId === undefined || (wrapped && appId > start)) {
      if (wrapped || start === 0) return { apps, complete: true };
      wrapped = true;
      after = 0;
      continue;
    }
    after = appId;
    const app = openApp(walk, appId);
    if (takeOfApp(run, walk, app) === 'taken') {
      walk.afterAppId = appId;
      apps.push(app);
    }
  }
  return { apps, complete: false };
}

/**
 * Round robin over the apps with work, and inside an app over its endpoints, one row each turn (R-DEL-8).
 * @returns whether the walk came to its end; false: there may be more that is due.
 */
export function runWalk(run: ClaimRun, walk: Walk): boolean {
  if (walk.turns.size > KEPT_TURNS) walk.turns.clear();
  const { apps, complete } = firstRound(run, walk);
  if (!complete) return false;
  let round = apps;
  while (round.length > 0) {
    const next: AppWalk[] = [];
    for (const app of round) {
      if (!goesOn(run, walk)) return false;
      if (takeOfApp(run, walk, app) === 'taken') {
        walk.afterAppId = app.appId;
        next.push(app);
      }
    }
    round = next;
  }
  return run.endings > 0;
}
