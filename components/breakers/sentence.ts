/** The sentence at the top of a breaker: what it does, and what happens next. */
import type { BreakerDetail, BreakerResource } from '@/server/services/contract';
import { t } from '../messages';
import { nearTime, span, type Zone } from '../ui/format';
import { failuresToOpen } from './window';

/** `held` is exact up to this many. */
const HELD_EXACT = 10_000;

export function isCapped(held: number): boolean {
  return held >= HELD_EXACT;
}

export interface BreakerSentenceInput {
  breaker: BreakerResource;
  thresholds: BreakerDetail['thresholds'];
  /** How the console names what it guards. */
  scope: string;
  now: number;
  zone: Zone;
}

const words = t.breakers.sentence;

export function breakerSentence(input: BreakerSentenceInput): string {
  const { breaker } = input;
  switch (breaker.state) {
    case 'closed':
      return closedSentence(input);
    case 'open':
    case 'half_open':
      return join(
        openSentence(input),
        words.held(breaker.held, isCapped(breaker.held)),
        probeSentence(input),
      );
    default: {
      const never: never = breaker.state;
      return never;
    }
  }
}

function closedSentence({ breaker, thresholds, scope }: BreakerSentenceInput): string {
  const { attempts, failures } = breaker.window;
  const window = span(thresholds.windowMs);
  if (attempts === 0) return words.closedQuiet(scope, window);
  const near = failures > 0 ? words.opensAfter(failuresToOpen(breaker.window, thresholds)) : '';
  return join(words.closed(scope, window, failures, attempts), near);
}

function openSentence({ breaker, scope, now, zone }: BreakerSentenceInput): string {
  return breaker.opened_at === null
    ? ''
    : words.open(nearTime(Date.parse(breaker.opened_at), now, zone), scope);
}

function probeSentence({ breaker, now, zone }: BreakerSentenceInput): string {
  if (breaker.probe_in_flight) return words.probeInFlight;
  const at = breaker.probe_at === null ? now : Date.parse(breaker.probe_at);
  return at <= now
    ? words.probeDue
    : words.probeAt(nearTime(at, now, zone), t.common.time.in(span(at - now)));
}

function join(...sentences: string[]): string {
  return sentences.filter(Boolean).join(' ');
}
