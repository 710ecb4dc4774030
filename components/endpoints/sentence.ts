/** The sentence at the top of an endpoint: how it does, and what happens next. Plain data in, plain words out. */
import type { BreakerResource, EndpointResource } from '@/server/services/contract';
import { t } from '../messages';
import { nearTime, span, type Zone } from '../ui/format';
import type { Health } from './health';

export interface EndpointSentenceInput {
  endpoint: EndpointResource;
  name: string;
  health: Health<BreakerResource>;
  /** Null while it is not known. */
  pending: { count: number; capped: boolean } | null;
  /** "503"; null before the first answer. */
  lastAnswer: string | null;
  /** Nothing was ever sent to it. */
  neverSent: boolean;
  now: number;
  zone: Zone;
}

const words = t.endpoints.sentence;

export function endpointSentence(input: EndpointSentenceInput): string {
  const { endpoint, name, health, pending } = input;
  const waits = pending ? words.keptBack(pending.count, pending.capped) : '';
  switch (health.face) {
    case 'healthy':
      return input.neverSent ? words.neverSent(name) : join(words.healthy(name), waitSentence(pending));
    case 'failing':
      return join(failingSentence(input), words.goesOn);
    case 'held':
      return join(failingSentence(input), heldSentence(input));
    case 'paused':
      return join(pausedSentence(input), waits);
    case 'unsigned':
      return join(words.unsigned(name, time(input, endpoint.unsigned_since) ?? ''), waits);
    case 'disabled':
      return words.disabled(name);
    case 'auto_disabled':
      return endpoint.disabled_reason === 'gone'
        ? words.autoGone(name)
        : words.autoFailing(name, time(input, endpoint.failing_since));
    default: {
      const never: never = health.face;
      return never;
    }
  }
}

function time({ now, zone }: EndpointSentenceInput, iso: string | null): string | null {
  return iso === null ? null : nearTime(Date.parse(iso), now, zone);
}

function waitSentence(pending: EndpointSentenceInput['pending']): string {
  if (pending === null) return '';
  return pending.count === 0 ? words.nothingWaits : words.waits(pending.count, pending.capped);
}

/** Empty where it is held without failing itself. */
function failingSentence(input: EndpointSentenceInput): string {
  const { endpoint, name, lastAnswer } = input;
  const since = time(input, endpoint.failing_since);
  return since === null
    ? ''
    : words.failing(name, since, Math.max(1, endpoint.consecutive_failures), lastAnswer);
}

function heldSentence({ health, pending, now, zone }: EndpointSentenceInput): string {
  const held = words.heldCount(pending?.count ?? 0, pending?.capped ?? false);
  const breaker = health.heldBy;
  const probeAt = breaker?.state === 'open' && breaker.probe_at ? Date.parse(breaker.probe_at) : null;
  if (probeAt === null || probeAt <= now) return words.heldProbe(held);
  return words.heldUntil(held, nearTime(probeAt, now, zone), t.common.time.in(span(probeAt - now)));
}

function pausedSentence({ endpoint, name, now, zone }: EndpointSentenceInput): string {
  const until = endpoint.paused_until === null ? now : Date.parse(endpoint.paused_until);
  return words.paused(name, nearTime(until, now, zone), t.common.time.in(span(until - now)));
}

function join(...sentences: string[]): string {
  return sentences.filter(Boolean).join(' ');
}
