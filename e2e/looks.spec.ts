import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { t } from '@/components/messages';
import { expect, test } from './fixtures';
import { EVENTS, type Gallery, makeGallery } from './gallery';
import { at, deliveryRows } from './places';

const PHONE = { width: 390, height: 844 };
const DESK = { width: 1440, height: 900 };
/** Where pictures of every page are put for whoever wants to look at them; none are made otherwise. */
const SHOTS = process.env['E2E_SHOTS'];
/** Rows of one page of the list. */
const PAGE_ROWS = 50;
/** JavaScript of the deliveries page on its first load, over the wire: 306 KiB measured, and 15 % of room. */
const SCRIPT_BUDGET_KIB = 352;

async function shoot(page: Page, name: string): Promise<void> {
  if (SHOTS) await page.screenshot({ path: `${SHOTS}/e2e-${name}.png`, fullPage: true });
}

const BY_COLOUR = ['color-contrast', 'link-in-text-block'];

/** Everything that axe knows to find, best practices among it; of a second look only what can have changed. */
async function expectAccessible(page: Page, look: 'all' | 'colours' | 'shape' = 'all'): Promise<void> {
  const axe = new AxeBuilder({ page });
  if (look === 'colours') axe.withRules(BY_COLOUR);
  if (look === 'shape') axe.disableRules(BY_COLOUR);
  const { violations } = await axe.analyze();
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' | ')}`);
  expect(found, 'what axe found').toEqual([]);
}

async function expectNoSideways(page: Page): Promise<void> {
  const { width, content } = await page.evaluate(() => ({
    width: document.documentElement.clientWidth,
    content: Math.max(document.documentElement.scrollWidth, document.body.scrollWidth),
  }));
  expect(content, 'the page scrolls sideways').toBeLessThanOrEqual(width);
}

/** Looks at what is under an address by day, by night and on a phone. */
async function lookAt(page: Page, address: string, name: string): Promise<void> {
  await page.setViewportSize(DESK);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.goto(address);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(page.locator('[aria-busy="true"]:not(button)')).toHaveCount(0);
  await expectAccessible(page);
  await shoot(page, `${name}-light`);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark');
  await expectAccessible(page, 'colours');
  await shoot(page, `${name}-dark`);
  await page.setViewportSize(PHONE);
  await expectNoSideways(page);
  await shoot(page, `${name}-390-dark`);
  await page.emulateMedia({ colorScheme: 'light' });
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'light');
  await expectAccessible(page, 'shape');
  await shoot(page, `${name}-390`);
}

test.describe('every page', () => {
  let gallery: Gallery;
  test.beforeAll(async ({ programFor }) => {
    gallery = await makeGallery(programFor('gallery'));
  });
  test.afterAll(() => gallery.close());

  for (const name of [
    'deliveries',
    'panel',
    'nothing',
    'delivered',
    'retrying',
    'held',
    'endpoints',
    'new',
    'endpoint',
    'failing',
    'edit',
    'breakers',
    'breaker',
    'closed',
  ]) {
    test(`WCAG 2.2 AA visual.md ${name}: axe finds nothing by day and by night, a phone scrolls one way`, async ({
      page,
      installation,
    }) => {
      await lookAt(page, at(installation.apps.gallery, gallery.paths[name] ?? name), name);
    });
  }

  test.describe('support', () => {
    test.use({ person: 'support' });
    test('WCAG 2.2 AA visual.md support: axe finds nothing by day and by night, a phone scrolls one way', async ({
      page,
      installation,
    }) => {
      await lookAt(page, '/support', 'support');
      const address = at(installation.apps.gallery, gallery.paths['breaker'] ?? '');
      await lookAt(page, address, 'support-breaker');
    });
  });

  test.describe('nobody', () => {
    test.use({ person: null });
    test('WCAG 2.2 AA visual.md sign-in: axe finds nothing by day and by night, a phone scrolls one way', async ({
      page,
    }) => {
      await lookAt(page, '/sign-in', 'sign-in');
    });
  });

  test('WCAG 2.2 AA visual.md empty lists, dialogs and the palette: axe finds nothing', async ({
    page,
    installation,
  }) => {
    const { gallery: app } = installation.apps;
    for (const name of ['deliveries', 'endpoints', 'breakers']) {
      await page.goto(at(app, name, 'live'));
      await expect(page.getByRole('main').getByRole('heading', { level: 2 })).toBeVisible();
      await expectAccessible(page);
      await shoot(page, `empty-${name}-light`);
    }
    await page.keyboard.press('Control+k');
    await expect(page.getByPlaceholder(t.shell.jump.placeholder)).toBeVisible();
    await expectAccessible(page);
    await shoot(page, 'palette-light');
    await page.goto(at(app, gallery.paths['failing'] ?? ''));
    await page.getByRole('button', { name: t.endpoints.remove }).click();
    await expect(page.getByRole('dialog')).toBeVisible();
    await expectAccessible(page);
    await shoot(page, 'delete-light');
  });

  test('performance.md the deliveries page mounts one page of rows and ships no more JavaScript than its budget', async ({
    page,
    installation,
  }) => {
    const sizes: Promise<number>[] = [];
    page.on('requestfinished', (request) => {
      if (request.resourceType() === 'script')
        sizes.push(request.sizes().then((size) => size.responseBodySize));
    });
    await page.goto(at(installation.apps.gallery, 'deliveries'), { waitUntil: 'networkidle' });
    expect(EVENTS).toBeGreaterThan(PAGE_ROWS);
    await expect(deliveryRows(page)).toHaveCount(PAGE_ROWS);
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    test.info().annotations.push({ type: 'JavaScript', description: `${(bytes / 1024).toFixed(1)} KiB` });
    expect(bytes / 1024).toBeLessThanOrEqual(SCRIPT_BUDGET_KIB);
    await page.getByRole('button', { name: t.common.actions.loadMore }).click();
    await expect(deliveryRows(page)).not.toHaveCount(PAGE_ROWS);
  });
});
