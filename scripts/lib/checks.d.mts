export interface Totals {
  passed: number;
  failed: number;
  skipped?: number;
}
export function vitestTotals(report: unknown, code: number): Totals;
export function playwrightTotals(report: unknown, code: number): Totals;
