import type { Signer } from '@/server/engine/signer';
import type { Dispatch, DispatchEnd, Dispatcher, DispatchRequest } from '@/server/ports/dispatcher';
import type { Claim } from '@/server/ports/store';

/** One request as the receiver saw it, with the claim that it was made for. */
export interface Request {
  at: number;
  claim: Claim;
  request: DispatchRequest;
  /** What came of it at the receiver; null while it is open. */
  end: DispatchEnd | null;
}

/**
 * The receivers' own book: every request that reached them. An engine signs a claim and sends it in one breath, so
 * the claim signed last is the one that a request belongs to.
 */
export function createLedger(now: () => number) {
  const requests: Request[] = [];
  let signed: Claim | null = null;

  return {
    requests,
    signer(signer: Signer): Signer {
      return {
        ...signer,
        prepare(claim, at) {
          const prepared = signer.prepare(claim, at);
          signed = prepared.ok ? claim : null;
          return prepared;
        },
      };
    },
    dispatcher(dispatcher: Dispatcher): Dispatcher {
      return {
        close: () => dispatcher.close(),
        send(request): Dispatch {
          if (signed === null) throw new Error('sent without a signature');
          const entry: Request = { at: now(), claim: signed, request, end: null };
          signed = null;
          requests.push(entry);
          const dispatch = dispatcher.send(request);
          dispatch.end.then(
            (end) => {
              entry.end = end;
            },
            () => undefined,
          );
          return dispatch;
        },
      };
    },
  };
}
