import type { NetworkErrorClass } from '@/server/core/model';
import type { DispatchEnd } from '@/server/ports/dispatcher';
import type { Chance } from './chance';

/** How a receiver answers for a while. */
const MOODS = {
  alive: 8,
  flaky: 3,
  erring: 3,
  dead: 4,
  rejecting: 2,
  throttling: 2,
  slow: 2,
  hanging: 1,
  odd: 2,
} as const;
type Mood = keyof typeof MOODS;

const DEATHS: readonly NetworkErrorClass[] = [
  'dns',
  'connect_refused',
  'connect_timeout',
  'tls',
  'reset',
  'closed',
  'protocol',
];

const RETRY_AFTER = ['0', '1', '120', '3600', '86400', '9999999999', '-5', 'soon', '1.5'];

/** What a receiver does with one request. */
export interface Answer {
  end: DispatchEnd;
  /** Until the engine's side knows, ms. */
  afterMs: number;
  /** Until the slot is free, ms. */
  drainMs: number;
}

export interface Receiver {
  mood: Mood;
  healed: boolean;
}

export function createReceivers(count: number, chance: Chance) {
  const receivers: Receiver[] = Array.from({ length: count }, () => ({
    mood: chance.weighted(MOODS),
    healed: false,
  }));

  const of = (url: string): Receiver => {
    const found = receivers[Number(/\/r(\d+)\//.exec(url)?.[1])];
    if (found === undefined) throw new Error(`no receiver behind ${url}`);
    return found;
  };

  const answerIn = (mood: Mood, timeoutMs: number): Answer => {
    switch (mood) {
      case 'alive':
        return status(chance.pick([200, 201, 204]), chance.int(0, 300));
      case 'flaky':
        return answerIn(chance.pick(['alive', 'erring', 'dead']), timeoutMs);
      case 'erring':
        return status(chance.pick([500, 502, 503, 503, 504]), chance.int(0, 500), retryAfter());
      case 'dead': {
        const errorClass = chance.pick(DEATHS);
        return failed(errorClass, errorClass === 'connect_timeout' ? 5_000 : chance.int(0, 100));
      }
      case 'rejecting':
        return status(chance.pick([400, 401, 404, 410, 301, 307, 308]), chance.int(0, 200));
      case 'throttling':
        return status(chance.pick([429, 429, 408, 425, 503]), chance.int(0, 100), retryAfter());
      case 'slow': {
        const afterMs = chance.int(500, Math.round(timeoutMs * 1.2));
        return afterMs < timeoutMs ? status(200, afterMs) : failed('timeout', timeoutMs);
      }
      case 'hanging':
        return failed('timeout', timeoutMs);
      case 'odd':
        return chance.pick([
          () => failed('refused_address', chance.int(0, 10)),
          () => failed('internal', 0),
          () => status(299, 0),
          () => status(599, 0),
          () => status(300, 0),
        ])();
    }
  };

  const retryAfter = () => (chance.odds(0.4) ? [chance.pick(RETRY_AFTER)] : []);

  const failed = (errorClass: NetworkErrorClass, afterMs: number): Answer => ({
    end: {
      kind: 'failed',
      errorClass,
      message: `simulated: ${errorClass}`,
      ...facts(afterMs),
    },
    afterMs,
    drainMs: 0,
  });

  const status = (statusCode: number, afterMs: number, asked: readonly string[] = []): Answer => ({
    end: { kind: 'answered', statusCode, retryAfter: asked, location: null, ...facts(afterMs) },
    afterMs,
    drainMs: chance.odds(0.2) ? chance.int(1, 1_000) : 0,
  });

  return {
    receivers,
    answer(url: string, timeoutMs: number): Answer {
      const receiver = of(url);
      return receiver.healed ? status(200, 20) : answerIn(receiver.mood, timeoutMs);
    },
    /** One of them has another mood. */
    change(): string {
      const index = chance.int(0, receivers.length - 1);
      const receiver = receivers[index];
      if (receiver === undefined) return 'none';
      receiver.mood = chance.weighted(MOODS);
      return `r${index} is ${receiver.mood}`;
    },
    heal(): void {
      for (const receiver of receivers) receiver.healed = true;
    },
    url: () => `https://hooks.example.com/r${chance.int(0, count - 1)}/${chance.int(1, 9_999)}`,
  };
}

function facts(durationMs: number) {
  return { timing: {}, durationMs, address: '93.184.215.14', retriedStale: false };
}
