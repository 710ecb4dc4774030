import type { Breaker } from '@/server/core/model';
import type { Decider, Decision, Settled, SettleEnd } from '@/server/ports/store';
import { type AttemptBuffer, drawIds, openAttempts } from './attempts';
import { Outrun } from './errors';
import type { Policies } from './policies';
import { type Found, SettleScene } from './settle-scene';
import type { Transaction, Transactions } from './transactions';
import { createWriteBuffer, type WriteBuffer } from './writes';

export interface SettleDeps {
  transactions: Transactions;
  openPolicies: () => Policies;
  newId: (prefix: string) => string;
  /** Is told how many attempts were recorded. */
  grew: (rows: number) => void;
}

interface Settling {
  transaction: Transaction;
  scene: SettleScene;
  writes: WriteBuffer;
  attempts: AttemptBuffer;
}

/** An end counts in the window of the breaker that it was claimed under (R-BRK-7, R-BRK-11). */
function breakerIdOf(
  { writes }: Settling,
  end: SettleEnd,
  { decision, breaker }: Found & { decision: Decision },
) {
  return decision.counted === null || end.epoch === null || breaker === null
    ? null
    : writes.ensureBreaker(breaker).id;
}

/** The id of the attempt's record; null where nothing was recorded. */
async function writeRecord(
  settling: Settling,
  end: SettleEnd,
  found: Found & { decision: Decision },
): Promise<number | null> {
  const { decision, context } = found;
  if (context.delivery === null || decision.record === 'none') return null;
  const breakerId = breakerIdOf(settling, end, found);
  const attemptId = await settling.attempts.add({ end, decision, breakerId });
  if (attemptId !== null && breakerId !== null && end.epoch !== null) {
    const { deliveryId, epoch, endedAt } = end;
    const failure = decision.counted === 'failure';
    settling.scene.windows.add({ attemptId, breakerId, epoch, deliveryId, endedAt, failure });
  }
  return attemptId;
}

/** The attempt that opened the breaker is one of those that did. */
function withOpener(breaker: Breaker, { breakerEvents }: Decision, attemptId: number | null): Breaker {
  if (attemptId === null || !breakerEvents.includes('opened')) return breaker;
  return { ...breaker, openedBy: [attemptId, ...breaker.openedBy] };
}

function writeDelivery(
  { scene, writes }: Settling,
  end: SettleEnd,
  { decision, context }: Found & { decision: Decision },
) {
  const measured = end.end.kind === 'lost' || decision.record === 'none' ? null : end.durationMs;
  const owns = decision.releaseLease && context.delivery?.lease?.token === end.token;
  if (decision.delivery === null) {
    if (owns) writes.releaseLease(end.deliveryId, end.token);
  } else if (owns) {
    writes.stateAndRelease(end.deliveryId, decision.delivery, measured);
  } else {
    writes.state(end.deliveryId, decision.delivery);
    if (measured !== null) writes.lastDuration(end.deliveryId, measured);
  }
  scene.moved(end, decision, measured);
}

async function write(
  settling: Settling,
  end: SettleEnd,
  found: Found & { decision: Decision },
): Promise<void> {
  const { scene, writes, transaction } = settling;
  const { context, breaker, lane, decision } = found;
  const scope = { appId: end.appId, environment: end.environment };
  const attemptId = await writeRecord(settling, end, found);
  if (context.delivery !== null) writeDelivery(settling, end, found);
  if (lane !== null && decision.health !== null) {
    if (!scene.holdsEndpoint(end.endpointId)) throw new Outrun('An endpoint moves whose row is not held.');
    Object.assign(lane.endpoint, decision.health);
    writes.health(end.endpointId, decision.health);
  }
  if (breaker !== null && decision.breaker !== null) {
    const next = withOpener(decision.breaker, decision, attemptId);
    writes.breaker(breaker, next, { events: decision.breakerEvents, now: context.now });
    transaction.note({ ...scope, kind: 'breaker' });
  }
  transaction.note({ ...scope, kind: 'settled' });
}

async function decideOne(
  settling: Settling,
  end: SettleEnd,
  { decider, random }: { decider: Decider; random: () => number },
): Promise<Settled> {
  const found = await settling.scene.find(end);
  const { context } = found;
  const { breaker } = context;
  if (breaker !== null && breaker.id !== 0 && decider.needsWindow(end, context)) {
    context.window = await settling.scene.window(found);
  }
  const decision = decider.decide(end, context, random);
  await write(settling, end, { ...found, decision });
  return { end, decision };
}

/**
 * Settles ends one after the other inside one transaction: reads and holds what all of them touch, lets `decider`
 * decide, writes what it says in a few statements. A later end sees what the earlier ones did.
 */
export function createSettle({ transactions, openPolicies, newId, grew }: SettleDeps) {
  return async (
    ends: readonly SettleEnd[],
    decider: Decider,
    random: () => number,
  ): Promise<readonly Settled[]> => {
    if (ends.length === 0) return [];
    let runs = 0;
    const result = await transactions.run(async (transaction) => {
      const { client } = transaction;
      const scene = new SettleScene(client, ends, openPolicies());
      // What was thought to stay as it is did move: then all is held.
      await scene.open(runs > 0);
      runs += 1;
      const writes = createWriteBuffer({
        newId,
        breakerIds: await drawIds(client, 'breakers_id_seq', scene.countUnmade()),
        holdsBreaker: (id) => scene.holdsBreaker(id),
      });
      const attempts = await openAttempts(client, ends.length);
      for (const end of scene.unreadable) writes.setAside(end.deliveryId, end.endedAt);
      const settled: Settled[] = [];
      const settling = { transaction, scene, writes, attempts };
      for (const end of ends) settled.push(await decideOne(settling, end, { decider, random }));
      await writes.flush(client);
      await attempts.flush();
      return settled;
    });
    grew(ends.length);
    return result;
  };
}
