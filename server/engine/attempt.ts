// Invariant: first try, retry, probe, resend and test send are this one path; it ends in exactly one SettleEnd.
import type { AttemptEnd } from '@/server/core/model';
import type { Clock } from '@/server/ports/clock';
import type { Dispatch, DispatchEnd, Dispatcher } from '@/server/ports/dispatcher';
import type { Claim, SettleEnd } from '@/server/ports/store';
import type { Header } from './signer';

/** Points at which a suite may end the process or stop it; they do nothing else. */
export type KillPoint = 'after_claim' | 'before_send' | 'after_send' | 'before_settle' | 'after_settle';

export interface AttemptDeps {
  clock: Clock;
  dispatcher: Dispatcher;
  announce: ((point: KillPoint) => Promise<void>) | null;
}

export interface RunningAttempt {
  claim: Claim;
  /** The end of the attempt; never rejects (O17). */
  end: Promise<SettleEnd>;
  /** Its slot is free; never rejects (P30). */
  drained: Promise<void>;
  /** Cuts it off: it ends as `lost`, so that nobody is blamed (R-DEL-11). */
  cut(): void;
}

/** Sends a prepared claim. The clock of the attempt starts with the call (R-ATT-2). */
export function startAttempt(deps: AttemptDeps, claim: Claim, headers: readonly Header[]): RunningAttempt {
  const startedAt = deps.clock.now();
  let cutOff = false;
  let dispatch: Dispatch | null = null;
  const send = () => {
    dispatch = deps.dispatcher.send({
      url: claim.url,
      environment: claim.environment,
      headers,
      body: claim.body,
      timeoutMs: claim.policy.timeoutMs,
      connections: claim.concurrency,
    });
    return dispatch;
  };

  const sent = deps.announce ? announced(deps.announce, send) : attempted(send);
  const end = sent
    .then((running) => running.end)
    .then(
      (ended) => settleEnd(claim, { startedAt, endedAt: deps.clock.now() }, cutOff ? null : ended),
      (error: unknown) => settleEnd(claim, { startedAt, endedAt: deps.clock.now() }, internalEnd(error)),
    );
  const drained = sent.then((running) => running.drained).catch(() => undefined);
  return {
    claim,
    end,
    drained,
    cut() {
      cutOff = true;
      dispatch?.abort();
    },
  };
}

async function attempted(send: () => Dispatch): Promise<Dispatch> {
  return send();
}

async function announced(
  announce: (point: KillPoint) => Promise<void>,
  send: () => Dispatch,
): Promise<Dispatch> {
  await announce('before_send');
  const running = send();
  await announce('after_send');
  return running;
}

function internalEnd(error: unknown): DispatchEnd {
  return {
    kind: 'failed',
    errorClass: 'internal',
    message: `an error of ours: ${error instanceof Error ? error.name : typeof error}`,
    timing: {},
    durationMs: 0,
    address: null,
    retriedStale: false,
  };
}

function settleEnd(
  claim: Claim,
  span: { startedAt: number; endedAt: number },
  ended: DispatchEnd | null,
): SettleEnd {
  return {
    deliveryId: claim.deliveryId,
    endpointId: claim.endpointId,
    appId: claim.appId,
    environment: claim.environment,
    token: claim.token,
    cycle: claim.cycle,
    number: claim.number,
    trigger: claim.trigger,
    actor: claim.actor,
    epoch: claim.epoch,
    probe: claim.probe,
    end: ended ? factOf(ended) : { kind: 'lost' },
    ...span,
    durationMs: ended?.durationMs ?? Math.max(0, span.endedAt - span.startedAt),
    timing: {
      dnsMs: ended?.timing.dnsMs ?? null,
      connectMs: ended?.timing.connectMs ?? null,
      tlsMs: ended?.timing.tlsMs ?? null,
      firstByteMs: ended?.timing.firstByteMs ?? null,
    },
    url: claim.url,
    address: ended?.address ?? null,
    retriedStale: ended?.retriedStale ?? false,
  };
}

function factOf(ended: DispatchEnd): AttemptEnd {
  switch (ended.kind) {
    case 'answered':
      return {
        kind: 'answered',
        statusCode: ended.statusCode,
        retryAfter: ended.retryAfter,
        location: ended.location,
      };
    case 'failed':
      return { kind: 'failed', errorClass: ended.errorClass, message: ended.message };
    default:
      return ended satisfies never;
  }
}
