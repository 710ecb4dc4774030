/** The sentence at the top of a delivery: what is so, and what will happen. Plain data in, plain words out. */
import type { DeliveryDetail, DeliveryResource } from '@/server/services/contract';
import { t } from '../messages';
import { exactTime, nearTime, span, type Zone } from '../ui/format';

export interface SentenceInput {
  delivery: DeliveryResource;
  endpointLabel: string | null;
  now: number;
  zone: Zone;
}

const words = t.delivery.sentence;

export function deliverySentence(input: SentenceInput): string {
  const { status } = input.delivery;
  switch (status) {
    case 'pending':
      return pendingSentence(input);
    case 'delivered':
      return deliveredSentence(input);
    case 'failed':
      return failedSentence(input);
    case 'skipped':
      return input.delivery.reason === 'no_endpoint' || input.delivery.endpoint_id === null
        ? words.skippedNoEndpoint
        : words.skippedDisabled(name(input));
    default: {
      const never: never = status;
      return never;
    }
  }
}

function name({ endpointLabel }: Pick<SentenceInput, 'endpointLabel'>): string {
  return endpointLabel ?? t.delivery.noEndpoint;
}

function pendingSentence(input: SentenceInput): string {
  const { delivery, now } = input;
  if (delivery.in_flight) return words.inFlight(delivery.attempts + 1, name(input));
  if (delivery.endpoint_id === null) return words.waitingNoEndpoint;
  if (delivery.held_by) return join(heldSentence(input, delivery.held_by), usedSentence(delivery));
  if (delivery.attempts === 0 || delivery.reason === 'waiting') {
    const due = delivery.next_attempt_at === null ? now : Date.parse(delivery.next_attempt_at);
    return due <= now ? words.due(name(input)) : join(words.waiting(name(input)), nextSentence(input));
  }
  return join(answerSentence(delivery), usedSentence(delivery), nextSentence(input));
}

function heldSentence(input: SentenceInput, by: NonNullable<DeliveryResource['held_by']>): string {
  const until = input.delivery.held_until ? Date.parse(input.delivery.held_until) : null;
  const at = until !== null && until > input.now ? nearTime(until, input.now, input.zone) : null;
  const endpoint = name(input);
  switch (by) {
    case 'held_by_breaker':
      return at ? words.heldByBreaker(endpoint, at) : words.heldByBreakerOpen(endpoint);
    case 'held_by_pause':
      return at ? words.heldByPause(endpoint, at) : words.heldByPauseOpen(endpoint);
    case 'held_unsigned':
      return words.heldUnsigned(endpoint);
    case 'rate_limited':
      return words.rateLimited(endpoint);
    case 'endpoint_disabled':
      return words.endpointDisabled(endpoint);
    default: {
      const never: never = by;
      return never;
    }
  }
}

/** The slow ladder counts once it has begun; before that only the fast one is worth naming. */
function usedSentence({ fast, slow }: Pick<DeliveryResource, 'fast' | 'slow'>): string {
  const ladder = slow.used > 0 ? slow : fast;
  return ladder.used === 0 ? '' : words.retrying(ladder.used, ladder.of);
}

function answerSentence(delivery: DeliveryResource): string {
  const code = delivery.last_status_code;
  if (code === null) {
    return delivery.last_error_class ? words.lastError(t.status.errorClass[delivery.last_error_class]) : '';
  }
  if (delivery.slow.used > 0) return join(words.refused(code), words.slowLadder);
  return words.answered(code);
}

function nextSentence({ delivery, now, zone }: SentenceInput): string {
  if (delivery.next_attempt_at === null) return '';
  const at = Date.parse(delivery.next_attempt_at);
  return at <= now ? words.nextNow : words.nextAt(nearTime(at, now, zone), t.common.time.in(span(at - now)));
}

function deliveredSentence(input: SentenceInput): string {
  const { delivery } = input;
  const first = words.delivered(name(input), delivery.last_status_code ?? 200);
  return join(first, delivery.attempts <= 1 ? words.deliveredOnce : words.deliveredAfter(delivery.attempts));
}

function failedSentence(input: SentenceInput): string {
  const { delivery } = input;
  if (delivery.first_delivered_at) {
    return words.deliveredEarlier(exactTime(Date.parse(delivery.first_delivered_at), input.zone));
  }
  switch (delivery.reason) {
    case 'rejected':
      return words.rejected(name(input), resultWords(delivery));
    case 'slow_window_over':
      return words.slowWindowOver(name(input));
    case 'too_old':
      return words.tooOld;
    case 'corrupt':
      return words.corrupt;
    default:
      return words.exhausted(delivery.attempts, name(input));
  }
}

function resultWords(delivery: DeliveryResource): string {
  if (delivery.last_status_code !== null) return String(delivery.last_status_code);
  return delivery.last_error_class ? t.status.errorClass[delivery.last_error_class] : t.common.none;
}

function join(...sentences: string[]): string {
  return sentences.filter(Boolean).join(' ');
}

/** What a resend does to what is there, said before it is pressed (R-RES-1, R-RES-2). */
export function resendNotes(detail: DeliveryDetail, now: number, zone: Zone): string[] {
  const { delivery } = detail;
  const { resend } = t.delivery;
  const notes: string[] = [];
  if (delivery.in_flight) notes.push(resend.inFlight);
  else if (delivery.status === 'pending') notes.push(replacesNote(detail, now, zone));
  else notes.push(resend.plain);
  if (delivery.status === 'delivered') notes.push(resend.again);
  if (delivery.held_by === 'held_by_breaker' && delivery.held_until) {
    const at = nearTime(Date.parse(delivery.held_until), now, zone);
    notes.push(resend.behindBreaker(t.common.time.until(at)));
  }
  return notes;
}

function replacesNote({ delivery, timeline, attempts }: DeliveryDetail, now: number, zone: Zone): string {
  const { resend } = t.delivery;
  if (!attempts.some((attempt) => attempt.cycle === delivery.cycle)) return resend.freshPending;
  const planned = timeline.marks.filter((mark) => mark.kind === 'planned');
  const next = planned[0];
  if (!next) return resend.plain;
  const when = next.at <= now ? t.common.time.now : nearTime(next.at, now, zone);
  return planned.length > 1 ? resend.replaces(when, planned.length - 1) : resend.replacesOne(when);
}
