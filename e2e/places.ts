// Addresses of the console, and how its parts are found: by role and by the words of its own catalogue.
import type { Locator, Page } from '@playwright/test';
import { t } from '@/components/messages';
import type { App } from './facts';

type Environment = 'test' | 'live';

export function at(app: App, path: string, environment: Environment = 'test'): string {
  return `/${app.id}/${environment}/${path}`;
}

/** Rows of the deliveries list; with `of`, those whose row names it (a type, an endpoint). */
export function deliveryRows(page: Page, of?: string): Locator {
  const rows = page.getByRole('table', { name: t.deliveries.list }).locator('tbody tr');
  return of === undefined ? rows : rows.filter({ hasText: of });
}

/** Waits until the page's stream runs: from then on what happens arrives by itself. */
export async function untilLive(page: Page): Promise<void> {
  await page.getByRole('button', { name: t.shell.live.connected, exact: true }).waitFor();
}

export function section(page: Page | Locator, name: string): Locator {
  return page.getByRole('region', { name, exact: true });
}

/** The rows of a delivery's attempts, latest first. */
export function attemptRows(page: Page | Locator): Locator {
  return section(page, t.delivery.attempts.title).locator('button[aria-expanded]');
}

/** Follows the main navigation; behind a page's name may stand how much waits there. */
export async function goTo(page: Page, name: string): Promise<void> {
  const navigation = page.getByRole('navigation', { name: t.shell.navigation, exact: true });
  await navigation.getByRole('link', { name: new RegExp(`^${name}`) }).click();
}
