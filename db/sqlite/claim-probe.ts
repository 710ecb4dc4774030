import { chooseProbe, mayProbe, PROBE_CANDIDATES, probeIsDue } from '@/server/core/gates';
import { type ClaimLane, type ClaimRun, freeOf, laneOf, takeRow } from './claim-run';
import type { Candidate, WalkStatements } from './claim-statements';
import { gateInputOf } from './lane';

interface ProbeCandidate extends Candidate {
  claimLane: ClaimLane;
}

function canProbe(run: ClaimRun, claimLane: ClaimLane, of: ClaimLane): boolean {
  return (
    claimLane.lane.breaker === of.lane.breaker &&
    freeOf(run, claimLane) > 0 &&
    mayProbe(gateInputOf(claimLane.lane, run.request.now))
  );
}

/** The lanes that share the breaker and that nothing but the breaker holds (R-BRK-3). */
function lanesOfScope(run: ClaimRun, walk: WalkStatements, of: ClaimLane): ClaimLane[] {
  if (of.lane.scope === 'endpoint') return canProbe(run, of, of) ? [of] : [];
  const lanes: ClaimLane[] = [];
  const { appId } = of.lane.endpoint;
  for (
    let head = walk.laneAfter(appId, 0);
    head !== undefined;
    head = walk.laneAfter(appId, head.endpointId)
  ) {
    if (head.dueAt > run.request.now) continue;
    const claimLane = laneOf(run, head.endpointId);
    if (typeof claimLane !== 'string' && canProbe(run, claimLane, of)) lanes.push(claimLane);
  }
  return lanes;
}

function candidatesOf(run: ClaimRun, walk: WalkStatements, lanes: readonly ClaimLane[]): ProbeCandidate[] {
  const { now } = run.request;
  return lanes.flatMap((claimLane) => {
    const { appId, id: endpointId } = claimLane.lane.endpoint;
    return walk
      .candidates({ appId, endpointId, now, limit: PROBE_CANDIDATES })
      .map((candidate) => ({ ...candidate, claimLane }));
  });
}

export function mayBeProbed(run: ClaimRun, { lane, gate }: ClaimLane): boolean {
  return (
    gate?.kind === 'held_by_breaker' && lane.breaker !== null && probeIsDue(lane.breaker.row, run.request.now)
  );
}

/**
 * Lets the one probe of a breaker through, where it is due and a delivery of its scope is too (R-BRK-3). A candidate
 * that has ended of its age makes way for the next. True: a row was leased.
 */
export function takeProbe(
  run: ClaimRun,
  of: ClaimLane,
  { walk, suspect }: { walk: WalkStatements; suspect: boolean },
): boolean {
  const { breaker } = of.lane;
  if (breaker === null || !mayBeProbed(run, of)) return false;
  let candidates = candidatesOf(run, walk, lanesOfScope(run, walk, of));
  for (
    let chosen = chooseProbe(candidates);
    chosen !== null && run.endings > 0;
    chosen = chooseProbe(candidates)
  ) {
    const raw = run.deps.statements.one(chosen.id);
    if (raw !== undefined && takeRow(run, chosen.claimLane, { raw, suspect, probe: true })) return true;
    const { id } = chosen;
    candidates = candidates.filter((candidate) => candidate.id !== id);
  }
  return false;
}

/** Whether an ordinary delivery could be the probe, so that a suspect need not be. */
export function hasOrdinaryProbe(run: ClaimRun, of: ClaimLane): boolean {
  const walk = run.deps.statements.ordinary;
  return candidatesOf(run, walk, lanesOfScope(run, walk, of)).length > 0;
}
