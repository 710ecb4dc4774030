// The built-in receivers: targets inside this installation for the demo and for first tries (R-ATT-16).

import type { Environment } from '../core/model';
import {
  isReceiverToken,
  RECEIVER_BODY_LIMIT,
  type ReceiverBehaviour,
  receiverAnswer,
} from '../core/receiver-behaviour';
import type { Clock } from '../ports/clock';
import type { WriteQueries } from '../ports/queries';
import type { Random } from '../ports/random';
import type { ReceiverRow } from '../ports/records';
import type { Store } from '../ports/store';

export interface ReceiverDeps {
  store: Pick<Store, 'read'>;
  clock: Clock;
  random: Random;
}

export interface ReceiverRequest {
  token: string;
  body: AsyncIterable<Uint8Array> | null;
}

/**
 * The status that a built-in receiver answers: 404 for an unknown token, 413 for more than 1 MiB, else as its
 * behaviour says, a slow one after its time. The body is read and dropped. R-ATT-16.
 */
export async function answerAsReceiver(request: ReceiverRequest, deps: ReceiverDeps): Promise<number> {
  const row = isReceiverToken(request.token) ? await deps.store.read.receiver(request.token) : null;
  if (row === null) return 404;
  if (!(await discard(request.body))) return 413;
  const { status, delayMs } = receiverAnswer(row.behaviour, deps.random.next());
  if (delayMs > 0) await elapsed(deps.clock, delayMs);
  return status;
}

/** Makes a receiver with a token of 160 random bits, in the caller's transaction. R-ATT-16. */
export async function createReceiver(
  tx: Pick<WriteQueries, 'insertReceiver'>,
  receiver: { appId: number; environment: Environment; behaviour: ReceiverBehaviour },
  by: { now: number; random: Random },
): Promise<ReceiverRow> {
  const token = Buffer.from(by.random.bytes(20)).toString('hex');
  const row = { ...receiver, token, createdAt: by.now };
  await tx.insertReceiver(row);
  return row;
}

/** Where a receiver is reached, without the origin. */
export function receiverPath(token: string): string {
  return `/r/${token}`;
}

async function discard(body: AsyncIterable<Uint8Array> | null): Promise<boolean> {
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > RECEIVER_BODY_LIMIT) return false;
  }
  return true;
}

function elapsed(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.setTimer(clock.now() + ms, resolve);
  });
}
