import type { ClaimBatch, ClaimRequest } from '@/server/ports/store';
import { takeTests } from '../sqlite/claim';
import { type ClaimRun, noteDue, openRun } from '../sqlite/claim-run';
import { runWalk, type Turns, type Walk } from '../sqlite/claim-walk';
import { ClaimScene } from './claim-scene';
import { viewOf } from './claim-view';
import { codeOf } from './errors';
import { Missing } from './missing';
import type { Policies } from './policies';
import type { Transaction, Transactions } from './transactions';
import { createWriteBuffer, type WriteBuffer } from './writes';

const LOCK_NOT_AVAILABLE = '55P03';
/** A plan that is begun anew more often than this asks for what it was given. */
const MOST_PASSES = 10_000;

/** Where the walks are, from one claim to the next; a claim that fails leaves them where they were. */
interface Places {
  turns: Turns;
  suspectTurns: Turns;
  suspectAfterAppId: number;
}

/** Turns over those of earlier claims, so that a pass which is begun anew leaves no trace. */
class DraftTurns extends Map<number, number> {
  constructor(private readonly base: Turns) {
    super();
  }

  override get(appId: number): number | undefined {
    return super.get(appId) ?? this.base.get(appId);
  }

  keep(): void {
    if (this.base.size > 10_000) this.base.clear();
    for (const [appId, endpointId] of this) this.base.set(appId, endpointId);
  }
}

interface Planned {
  batch: ClaimBatch;
  writes: WriteBuffer;
  keep(): void;
}

interface Pass {
  scene: ClaimScene;
  request: ClaimRequest;
  places: Places;
  newId: (prefix: string) => string;
  note: Transaction['note'];
}

function takeSuspects(run: ClaimRun, turns: Turns, afterAppId: number): number {
  const before = run.claims.length;
  const walk: Walk = {
    kind: 'suspect',
    statements: run.deps.statements.suspect,
    turns,
    afterAppId,
    budget: () => Math.min(run.slots, run.request.suspects - (run.claims.length - before)),
  };
  if (run.request.suspects > 0) runWalk(run, walk);
  return walk.afterAppId;
}

/** One pass of the plan that both databases share, over what the scene holds. @throws Missing */
function plan({ scene, request, places, newId, note }: Pass): Planned {
  const { locks } = scene;
  const writes = createWriteBuffer({
    newId,
    holdsBreaker(id) {
      if (!locks.holdsBreaker(id)) throw new Missing({ kind: 'holdBreaker', id });
      return true;
    },
  });
  const { statements, lanes } = viewOf(scene, writes.taken);
  const run = openRun({ statements, lanes, writes, note }, request);
  const turns = new DraftTurns(places.turns);
  const suspectTurns = new DraftTurns(places.suspectTurns);
  takeTests(run);
  const suspectAfterAppId = takeSuspects(run, suspectTurns, places.suspectAfterAppId);
  const walk: Walk = {
    kind: 'ordinary',
    statements: statements.ordinary,
    turns,
    afterAppId: request.afterAppId,
    budget: () => run.slots,
  };
  const more = !runWalk(run, walk);
  if (more || locks.anyContended) noteDue(run, request.now);
  return {
    batch: {
      claims: run.claims,
      nextDueAt: run.nextDueAt,
      more,
      afterAppId: walk.afterAppId,
      setAside: run.setAside,
    },
    writes,
    keep() {
      turns.keep();
      suspectTurns.keep();
      places.suspectAfterAppId = suspectAfterAppId;
    },
  };
}

/** Begins the plan anew until the scene holds all that it asks for. */
async function settledPlan(pass: Omit<Pass, 'note'>, transaction: Transaction): Promise<Planned> {
  for (let passes = 0; passes < MOST_PASSES; passes += 1) {
    const noted: Parameters<Transaction['note']>[0][] = [];
    try {
      const planned = plan({ ...pass, note: (change) => void noted.push(change) });
      for (const change of noted) transaction.note(change);
      return planned;
    } catch (error) {
      if (!(error instanceof Missing)) throw error;
      await pass.scene.load(error.want);
    }
  }
  throw new Error('The plan of a claim does not come to an end.');
}

export interface ClaimDeps {
  transactions: Transactions;
  openPolicies: () => Policies;
  newId: (prefix: string) => string;
}

/**
 * Leases what is due and free to go: first attempts of test sends, then suspects, then all else in fair turns. What to
 * lease is planned by the same walk as on SQLite; what it reads comes from a scene that is read and held on the way.
 */
export function createClaim({ transactions, openPolicies, newId }: ClaimDeps) {
  const places: Places = { turns: new Map(), suspectTurns: new Map(), suspectAfterAppId: 0 };

  /** @returns the batch, and which lanes others held. */
  const claimOnce = async (request: ClaimRequest, waitFor: readonly number[]) => {
    let keep = () => {};
    const work = async (transaction: Transaction) => {
      const scene = new ClaimScene(transaction, request, openPolicies());
      if (waitFor.length > 0) await scene.locks.waitFor(waitFor);
      await scene.open(places.suspectAfterAppId);
      const planned = await settledPlan({ scene, request, places, newId }, transaction);
      await planned.writes.flush(transaction.client);
      keep = planned.keep;
      return { batch: planned.batch, contended: [...scene.locks.contended] };
    };
    const done = await transactions.run(work, { putOff: true });
    keep();
    return done;
  };

  return async (request: ClaimRequest): Promise<ClaimBatch> => {
    const { batch, contended } = await claimOnce(request, []);
    if (batch.claims.length > 0 || contended.length === 0) return batch;
    try {
      return (await claimOnce(request, contended)).batch;
    } catch (error) {
      if (codeOf(error) !== LOCK_NOT_AVAILABLE && codeOf(cause(error)) !== LOCK_NOT_AVAILABLE) throw error;
      // Whoever holds them hangs: the engine comes back, and its other lanes go on meanwhile.
      return batch;
    }
  };
}

function cause(error: unknown): unknown {
  return error instanceof Error ? error.cause : undefined;
}
