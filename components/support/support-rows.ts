/** What support's list shows of one breaker of a merchant. */
import type { AppResource, BreakerResource } from '@/server/services/contract';
import { isCapped } from '../breakers/sentence';
import { t } from '../messages';

export interface SupportRow {
  breaker: BreakerResource;
  app: AppResource;
  endpoint_label: string | null;
}

/** What it guards, as the merchant names it. */
export function scopeOf({ endpoint_label }: Pick<SupportRow, 'endpoint_label'>): string {
  return endpoint_label ?? t.breakers.wholeApp;
}

/** The longest open first. */
export function byAge(rows: readonly SupportRow[]): SupportRow[] {
  const at = ({ breaker }: SupportRow) =>
    breaker.opened_at === null ? Infinity : Date.parse(breaker.opened_at);
  return [...rows].sort((a, b) => at(a) - at(b));
}

/** All of it in one sentence. */
export function summaryOf(rows: readonly SupportRow[]): string {
  const held = rows.reduce((sum, { breaker }) => sum + breaker.held, 0);
  const capped = rows.some(({ breaker }) => isCapped(breaker.held));
  const apps = new Set(rows.map(({ app }) => app.id)).size;
  return t.support.summary(rows.length, apps, t.support.held(held, capped));
}
