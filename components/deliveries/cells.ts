/** What a delivery's row says, as plain data: the cells only draw it. */
import type { AttemptResource, DeliveryResource } from '@/server/services/contract';
import { t } from '../messages';

/** Attempts used of each ladder that the delivery has: "F 3/10 · S 1/5", "3/9", "1" once delivered. */
export function budgetText(
  delivery: Pick<DeliveryResource, 'fast' | 'slow' | 'attempts' | 'status'>,
): string {
  const { fast, slow } = delivery;
  if (delivery.status === 'delivered') return String(delivery.attempts);
  const one = ({ used, of }: { used: number; of: number }) => t.deliveries.budget(used, of);
  if (slow.of === 0) return one(fast);
  const { ladderShort } = t.status;
  return `${ladderShort.fast} ${one(fast)} · ${ladderShort.slow} ${one(slow)}`;
}

/** The last answer: its code, else its error class in words; null before the first attempt. */
export function lastResult(
  delivery: Pick<DeliveryResource, 'last_status_code' | 'last_error_class'>,
): { code: number } | { words: string } | null {
  if (delivery.last_status_code !== null) return { code: delivery.last_status_code };
  return delivery.last_error_class ? { words: t.status.errorClass[delivery.last_error_class] } : null;
}

export type NextCell =
  | { kind: 'held'; until: string }
  | { kind: 'countdown'; at: string }
  | { kind: 'nothing' };

/** What comes next: the end of what holds it, else the next attempt; nothing once it has ended. */
export function nextCell(
  delivery: Pick<DeliveryResource, 'status' | 'held_by' | 'held_until' | 'in_flight' | 'next_attempt_at'>,
): NextCell {
  if (delivery.status !== 'pending' || delivery.in_flight) return { kind: 'nothing' };
  if (delivery.held_by) {
    return delivery.held_until ? { kind: 'held', until: delivery.held_until } : { kind: 'nothing' };
  }
  return delivery.next_attempt_at ? { kind: 'countdown', at: delivery.next_attempt_at } : { kind: 'nothing' };
}

/** Changes when anything does that a reader would want to notice. */
export function deliveryFingerprint(delivery: DeliveryResource): string {
  return [delivery.status, delivery.cycle, delivery.attempts, delivery.in_flight, delivery.held_by].join();
}

/** "503 server error", "timeout", "204". */
export function attemptResult(
  attempt: Pick<AttemptResource, 'status_code' | 'error_class' | 'outcome'>,
): string {
  const words = attempt.error_class ? t.status.errorClass[attempt.error_class] : '';
  const parts = [attempt.status_code === null ? '' : String(attempt.status_code), words].filter(Boolean);
  return parts.length > 0 ? parts.join(' ') : t.status.outcome[attempt.outcome];
}
