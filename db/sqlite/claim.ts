import type { Database as Connection } from 'better-sqlite3';
import { gateOf, testPasses } from '@/server/core/gates';
import type { ClaimBatch, ClaimRequest } from '@/server/ports/store';
import {
  type ClaimDeps,
  type ClaimLane,
  type ClaimRun,
  freeOf,
  laneOf,
  noteDue,
  openRun,
  setAside,
  takeRow,
} from './claim-run';
import { prepareClaim } from './claim-statements';
import { runWalk, type Turns, type Walk } from './claim-walk';
import { deliveryIdOf, endpointIdOf, type RawDelivery } from './delivery-row';

/** How many test sends one claim looks at: each app may make 20 a minute. */
const TESTS = 200;

/** When a test's first attempt may start: the signature's gate alone holds it, and that of no row (R-RES-3). */
function testHeldUntil(run: ClaimRun, { lane }: ClaimLane): number | null | 'free' {
  const health = { ...lane.endpoint, status: 'active', pausedUntil: null } as const;
  const gate = gateOf({ health, breaker: null, scope: null, now: run.request.now });
  return gate === null || testPasses('test', gate.kind) ? 'free' : gate.until;
}

function takeTest(run: ClaimRun, raw: RawDelivery): void {
  const endpointId = endpointIdOf(raw);
  const claimLane = endpointId === null ? 'endpoint missing' : laneOf(run, endpointId);
  if (typeof claimLane === 'string') {
    setAside(run, deliveryIdOf(raw), claimLane);
    return;
  }
  const held = testHeldUntil(run, claimLane);
  if (held !== 'free') noteDue(run, held);
  else if (freeOf(run, claimLane) > 0) takeRow(run, claimLane, { raw, suspect: false, probe: false });
}

export function takeTests(run: ClaimRun): void {
  for (const raw of run.deps.statements.tests(run.request.now, TESTS)) {
    if (run.slots === 0 || run.endings === 0) return;
    takeTest(run, raw);
  }
}

/**
 * Leases what is due and free to go: first attempts of test sends, then suspects, then all else in fair turns. Runs
 * inside the writer's transaction.
 */
export function createClaim(
  db: Connection,
  deps: Omit<ClaimDeps, 'statements'>,
): (request: ClaimRequest) => ClaimBatch {
  const statements = prepareClaim(db);
  const turns: Turns = new Map();
  const suspectTurns: Turns = new Map();
  let suspectAfterAppId = 0;

  const takeSuspects = (run: ClaimRun) => {
    const before = run.claims.length;
    const walk: Walk = {
      kind: 'suspect',
      statements: statements.suspect,
      turns: suspectTurns,
      afterAppId: suspectAfterAppId,
      budget: () => Math.min(run.slots, run.request.suspects - (run.claims.length - before)),
    };
    if (run.request.suspects > 0) runWalk(run, walk);
    suspectAfterAppId = walk.afterAppId;
  };

  return (request) => {
    const run = openRun({ ...deps, statements }, request);
    takeTests(run);
    takeSuspects(run);
    const walk: Walk = {
      kind: 'ordinary',
      statements: statements.ordinary,
      turns,
      afterAppId: request.afterAppId,
      budget: () => run.slots,
    };
    const more = !runWalk(run, walk);
    if (more) noteDue(run, request.now);
    const { claims, nextDueAt } = run;
    return { claims, nextDueAt, more, afterAppId: walk.afterAppId, setAside: run.setAside };
  };
}
