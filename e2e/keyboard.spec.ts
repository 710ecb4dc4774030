import { t } from '@/components/messages';
import { expect, test } from './fixtures';
import { at, deliveryRows } from './places';
import { onlyDelivery } from './program';

test('console.md: j and k move, enter opens, escape closes, / filters, ? helps, Ctrl-K jumps to any id', async ({
  page,
  receive,
  program,
  installation,
}) => {
  const { shop } = installation.apps;
  const receiver = await receive();
  const types = ['keys.*'];
  const endpoint = await program.createEndpoint({ url: receiver.url, description: 'keyboard', types });
  await program.publish('keys.first');
  const second = onlyDelivery(await program.publish('keys.second'));
  await page.goto(at(shop, `deliveries?endpoint=${endpoint.id}`));
  await expect(deliveryRows(page)).toHaveCount(2);
  const focused = page.locator('[data-row]:focus');

  await page.keyboard.press('j');
  await expect(focused).toHaveAccessibleName(/keys\.second/);
  await page.keyboard.press('j');
  await expect(focused).toHaveAccessibleName(/keys\.first/);
  await page.keyboard.press('k');
  await page.keyboard.press('Enter');
  const panel = page.getByRole('complementary', { name: t.deliveries.titleOf('keys.second', 'keyboard') });
  await expect(panel).toBeVisible();
  await page.keyboard.press('j');
  await expect(
    page.getByRole('complementary', { name: t.deliveries.titleOf('keys.first', 'keyboard') }),
  ).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('complementary')).toHaveCount(0);

  await page.keyboard.press('/');
  const status = page.getByRole('search').getByRole('button', { name: t.deliveries.filters.status });
  await expect(status).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('listbox', { name: t.deliveries.filters.status })).toBeVisible();
  // The menu takes keys once it has opened: an option is lit before it is chosen.
  await expect(async () => {
    await page.keyboard.press('ArrowDown');
    await expect(page.locator('[role=option][data-combobox-selected]')).toHaveCount(1, { timeout: 500 });
  }).toPass();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/[?&]status=/);

  await page.locator('body').click({ position: { x: 700, y: 600 } });
  await page.keyboard.press('?');
  const help = page.getByRole('dialog', { name: t.shell.help.title });
  await expect(help).toContainText('Next row, row before');
  await page.keyboard.press('Escape');
  await expect(help).toHaveCount(0);

  for (const [id, address] of [
    [second.id, at(shop, `deliveries/${second.id}`)],
    [endpoint.id, at(shop, `endpoints/${endpoint.id}`)],
    [installation.apps.gallery.id, at(installation.apps.gallery, 'deliveries')],
  ] as const) {
    await page.keyboard.press('Control+k');
    await page.getByPlaceholder(t.shell.jump.placeholder).fill(id);
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(address);
  }
  await page.keyboard.press('Control+k');
  await page.getByPlaceholder(t.shell.jump.placeholder).fill('brea');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(at(installation.apps.gallery, 'breakers'));
});
