import type { AttemptResource } from '@/server/services/contract';
import { t } from '../messages';

type Answered = Pick<AttemptResource, 'status_code' | 'error_class' | 'outcome'>;

/** "503", else the class in words, else the outcome. */
export function answerText(attempt: Answered): string {
  if (attempt.status_code !== null) return String(attempt.status_code);
  return attempt.error_class ? t.status.errorClass[attempt.error_class] : t.status.outcome[attempt.outcome];
}

/** The answers with how often each came, the most frequent first: "3 × 503, 2 × timeout". */
export function answersTally(attempts: readonly Answered[]): string {
  const counts = new Map<string, number>();
  for (const attempt of attempts) {
    const text = answerText(attempt);
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return [...counts]
    .sort((a, b) => b[1] - a[1])
    .map(([text, n]) => t.breakers.opened.times(n, text))
    .join(', ');
}
