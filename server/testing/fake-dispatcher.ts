import type { NetworkErrorClass } from '@/server/core/model';
import type { Dispatch, DispatchEnd, Dispatcher, DispatchRequest } from '@/server/ports/dispatcher';
import type { FakeClock } from './fake-clock';

/** A status, an error class, a status with headers, or a receiver that never answers within the time-out. */
export type Answer =
  | number
  | NetworkErrorClass
  | { status: number; retryAfter?: string; afterMs?: number }
  | { hang: true };

export interface SentRequest {
  at: number;
  request: DispatchRequest;
}

/** Answers as the test scripts it, in virtual time; remembers every request with its instant. */
export function createFakeDispatcher(clock: FakeClock, answer: (sent: SentRequest, nth: number) => Answer) {
  const sent: SentRequest[] = [];
  let open = 0;
  let mostOpen = 0;

  const send = (request: DispatchRequest): Dispatch => {
    const entry = { at: clock.now(), request };
    sent.push(entry);
    open += 1;
    mostOpen = Math.max(mostOpen, open);
    let resolve: (end: DispatchEnd) => void = () => undefined;
    const promise = new Promise<DispatchEnd>((done) => {
      resolve = done;
    });
    const scripted = answer(entry, sent.length);
    const afterMs = delayOf(scripted, request.timeoutMs);
    const finish = () => resolve(endOf(scripted, afterMs));
    const cancel = afterMs === 0 ? undefined : clock.setTimer(clock.now() + afterMs, finish);
    if (afterMs === 0) finish();
    const end = promise.then((ended) => {
      open -= 1;
      return ended;
    });
    return {
      end,
      drained: end.then(() => undefined),
      abort() {
        cancel?.();
        resolve(endOf('internal', 0));
      },
      body: () => null,
    };
  };

  const dispatcher: Dispatcher = { send, close: async () => undefined };
  return {
    dispatcher,
    sent,
    /** Requests that are open now, and the most that ever were at once. */
    get open() {
      return open;
    },
    get mostOpen() {
      return mostOpen;
    },
  };
}

function delayOf(answer: Answer, timeoutMs: number): number {
  if (typeof answer !== 'object') return answer === 'timeout' ? timeoutMs : 0;
  if ('hang' in answer) return timeoutMs;
  return answer.afterMs ?? 0;
}

function endOf(answer: Answer, durationMs: number): DispatchEnd {
  const facts = { timing: {}, durationMs, address: '93.184.215.14', retriedStale: false };
  if (typeof answer === 'string') {
    return { kind: 'failed', errorClass: answer, message: `scripted: ${answer}`, ...facts };
  }
  if (typeof answer === 'object' && 'hang' in answer) {
    return { kind: 'failed', errorClass: 'timeout', message: 'scripted: timeout', ...facts };
  }
  const status = typeof answer === 'number' ? answer : answer.status;
  const retryAfter = typeof answer === 'object' && answer.retryAfter ? [answer.retryAfter] : [];
  return { kind: 'answered', statusCode: status, retryAfter, location: null, ...facts };
}
