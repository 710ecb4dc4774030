import type { ClaimStatements, WalkStatements } from '../sqlite/claim-statements';
import { deliveryIdOf } from '../sqlite/delivery-row';
import type { LaneBook, LaneReader } from '../sqlite/lane';
import type { WalkKind } from './claim-heads';
import type { ClaimLocks } from './claim-locks';
import type { ClaimScene } from './claim-scene';
import { createLaneCache, extensionsSince, secretsOf } from './lanes';
import { known, Missing } from './missing';

/** A scene as one pass of the plan sees it: what the pass has taken already is gone from it. */
export interface ClaimView {
  statements: ClaimStatements;
  lanes: LaneReader;
}

function walkView(scene: ClaimScene, kind: WalkKind, taken: ReadonlySet<number>): WalkStatements {
  const heads = scene.heads[kind];
  return {
    appAfter: heads.appAfter,
    laneAfter: heads.laneAfter,
    due({ endpointId, limit }) {
      const want = { kind: 'rows', of: kind, endpointId } as const;
      const { rows, complete } = known(scene.queues[kind].get(endpointId), want);
      const left = rows.filter((raw) => !taken.has(deliveryIdOf(raw)));
      if (left.length === 0 && !complete) throw new Missing(want);
      return left.slice(0, limit);
    },
    nextDue({ endpointId }) {
      if (scene.nextDue[kind].has(endpointId)) return scene.nextDue[kind].get(endpointId);
      throw new Missing({ kind: 'nextDue', of: kind, endpointId });
    },
    candidates({ endpointId }) {
      const want = { kind: 'candidates', of: kind, endpointId } as const;
      return known(scene.candidates[kind].get(endpointId), want).filter(({ id }) => !taken.has(id));
    },
  };
}

/** The token of a probe's lease; where another transaction holds the breaker, no orphan is recalled. */
function leaseToken(locks: ClaimLocks, deliveryId: number): string | null {
  const breaker = locks.breakerOfProbe(deliveryId);
  if (breaker === undefined) return null;
  const id = Number(breaker['id']);
  const token = textOrNull(breaker['probe_token']);
  const lease = textOrNull(breaker['probe_lease']);
  if (token === lease || locks.isBusyBreaker(id)) return token;
  if (!locks.holdsBreaker(id)) throw new Missing({ kind: 'holdBreaker', id });
  return lease;
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** Running leases; a lane that has slots left is held before any of them is given. */
function running(locks: ClaimLocks, endpointId: number): number {
  const settled = locks.holds(endpointId) || locks.isContended(endpointId) || locks.free(endpointId) <= 0;
  if (!settled) throw new Missing({ kind: 'hold', endpointId });
  return locks.running(endpointId);
}

function laneReader({ locks, policies }: ClaimScene): LaneReader {
  const open = (now: number): LaneBook => {
    const cache = createLaneCache(locks.lanes, policies, now);
    return {
      lane(endpointId) {
        if (!locks.isRead(endpointId)) throw new Missing({ kind: 'lane', endpointId });
        return cache.lane(endpointId);
      },
      policy: (id) => policies.of(id),
      breakerOfProbe: () => null,
    };
  };
  return {
    open,
    secrets: (endpointId) => secretsOf(locks.lanes, endpointId),
    extensions(endpointId, from) {
      if (!locks.lanes.extensions.has(endpointId)) throw new Missing({ kind: 'extensions', endpointId });
      return extensionsSince(locks.lanes, endpointId, from);
    },
    forget: () => undefined,
  };
}

export function viewOf(scene: ClaimScene, taken: ReadonlySet<number>): ClaimView {
  const { locks } = scene;
  return {
    statements: {
      ordinary: walkView(scene, 'ordinary', taken),
      suspect: walkView(scene, 'suspect', taken),
      tests: () => known(scene.tests, { kind: 'tests' }).filter((raw) => !taken.has(deliveryIdOf(raw))),
      one(id) {
        if (!scene.rows.has(id)) throw new Missing({ kind: 'row', id });
        return scene.rows.get(id);
      },
      running: (endpointId) => running(locks, endpointId),
      leaseToken: (deliveryId) => leaseToken(locks, deliveryId),
    },
    lanes: laneReader(scene),
  };
}
