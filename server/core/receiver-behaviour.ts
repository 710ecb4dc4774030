/**
 * Invariant: a built-in receiver's answer follows from its behaviour and one draw alone; it remembers nothing, so
 * that its share of failures holds over any number of requests (R-ATT-16).
 */

export type ReceiverBehaviour = 'healthy' | 'flaky' | 'down' | 'reject' | 'slow';
export const RECEIVER_BEHAVIOURS = [
  'healthy',
  'flaky',
  'down',
  'reject',
  'slow',
] as const satisfies readonly ReceiverBehaviour[];

export interface ReceiverAnswer {
  status: 200 | 204 | 400 | 503;
  /** How long it takes to answer, ms. */
  delayMs: number;
}

/** Share of a flaky receiver's requests that fail. */
export const FLAKY_FAILURES = 0.3;
/** What a slow receiver takes, ms: below every timeout, above every patience. */
export const SLOW_ANSWER_MS = 1_500;
/** Bytes of a request that a built-in receiver takes. */
export const RECEIVER_BODY_LIMIT = 1_048_576;

/** What a receiver answers; `draw` is in [0, 1) and decides for the flaky one alone. */
export function receiverAnswer(behaviour: ReceiverBehaviour, draw: number): ReceiverAnswer {
  switch (behaviour) {
    case 'healthy':
      return { status: 204, delayMs: 0 };
    case 'flaky':
      return { status: draw < FLAKY_FAILURES ? 503 : 204, delayMs: 0 };
    case 'down':
      return { status: 503, delayMs: 0 };
    case 'reject':
      return { status: 400, delayMs: 0 };
    case 'slow':
      return { status: 200, delayMs: SLOW_ANSWER_MS };
    default: {
      const never: never = behaviour;
      throw new TypeError(`No such behaviour: ${String(never)}`);
    }
  }
}

/** The form of a token; what has another form is not looked up. */
export function isReceiverToken(text: string): boolean {
  return /^[a-z0-9]{16,64}$/.test(text);
}
