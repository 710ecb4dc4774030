/** What a test send came to, as the page says it (R-RES-3). */
import type { TestSendAnswer } from '@/server/services/contract';
import { t } from '../messages';
import { durationMs } from '../ui/format';
import type { Shape, Tone } from '../ui/status';

export interface TestVerdict {
  shape: Shape;
  tone: Tone;
  text: string;
  /** The error in its own words. */
  detail: string | null;
}

/** `isActive`: whether the endpoint gets retries; a test's first attempt goes out either way (R-BRK-9). */
export function testVerdict(answer: TestSendAnswer, isActive: boolean): TestVerdict {
  const words = t.endpoints.test;
  const took = answer.duration_ms === null ? null : durationMs(answer.duration_ms);
  if (answer.state === 'pending') return { shape: 'ring', tone: 'wait', text: words.pending, detail: null };
  if (answer.ok)
    return { shape: 'dot', tone: 'good', text: words.ok(answer.status_code, took), detail: null };
  const text = answer.status_code === null ? words.noAnswer(took) : words.failed(answer.status_code, took);
  const next = isActive ? words.retried : words.notRetried;
  return { shape: 'cross', tone: 'bad', text: `${text} ${next}`, detail: answer.error };
}

/** When the limit lets the next one through, epoch ms; null where the refusal was another one. */
export function allowedAgainAt(error: unknown, refusedAt: number): number | null {
  if (typeof error !== 'object' || error === null || !('data' in error)) return null;
  const { data } = error as { data: { serviceCode?: unknown; retryAfterS?: unknown } | null };
  if (data?.serviceCode !== 'rate_limited' || typeof data.retryAfterS !== 'number') return null;
  return refusedAt + data.retryAfterS * 1_000;
}
