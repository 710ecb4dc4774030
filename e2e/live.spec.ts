import { t } from '@/components/messages';
import { expect, test } from './fixtures';
import { at, deliveryRows, untilLive } from './places';

test('console.md what comes while somebody reads waits behind a bar and moves nothing', async ({
  page,
  receive,
  program,
  installation,
}) => {
  const receiver = await receive();
  const types = ['calm.*'];
  const { id } = await program.createEndpoint({ url: receiver.url, description: 'calm', types });
  await program.publish('calm.read');
  await page.goto(at(installation.apps.shop, `deliveries?endpoint=${id}`));
  await untilLive(page);
  await expect(deliveryRows(page)).toHaveCount(1);
  await page.keyboard.press('j');
  await program.publish('calm.new');
  await program.publish('calm.newer');
  const bar = page.getByRole('button', { name: t.common.list.showNewer(2, false) });
  await expect(bar).toBeVisible();
  await expect(deliveryRows(page)).toHaveCount(1);
  await page.keyboard.press('n');
  await expect(deliveryRows(page)).toHaveCount(3);
  await expect(deliveryRows(page).first()).toContainText('calm.newer');
  await expect(bar).toHaveCount(0);
});

test('console.md nothing moves while paused, and going on catches up', async ({
  page,
  receive,
  program,
  installation,
}) => {
  const receiver = await receive();
  const types = ['still.*'];
  const { id } = await program.createEndpoint({ url: receiver.url, description: 'still', types });
  await page.goto(at(installation.apps.shop, `deliveries?endpoint=${id}`));
  await untilLive(page);
  await page.getByRole('button', { name: t.shell.live.connected, exact: true }).click();
  const paused = page.getByRole('button', { name: t.shell.live.paused, exact: true });
  await expect(paused).toBeVisible();
  await program.publish('still.there');
  await expect.poll(() => receiver.requests.length).toBe(1);
  await expect(deliveryRows(page)).toHaveCount(0);
  await paused.click();
  await expect(deliveryRows(page)).toHaveCount(1);
});

test('D09 whoever signs out elsewhere is sent to the sign-in', async ({ browser, installation, baseUrl }) => {
  const context = await browser.newContext({ storageState: { cookies: [], origins: [] } });
  const signedIn = await context.request.post('/api/auth/sign-in/email', {
    headers: { origin: baseUrl },
    data: installation.people.owner,
  });
  expect(signedIn.status()).toBe(200);
  const page = await context.newPage();
  await page.goto(at(installation.apps.shop, 'endpoints'));
  await untilLive(page);
  await context.request.post('/api/auth/sign-out', { headers: { origin: baseUrl }, data: {} });
  await expect(page).toHaveURL(/\/sign-in/);
  await context.close();
});
