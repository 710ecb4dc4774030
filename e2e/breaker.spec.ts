import { t } from '@/components/messages';
import { expect, test } from './fixtures';
import { at, deliveryRows, section, untilLive } from './places';

const { breakers } = t;

test('R-BRK-1 R-BRK-5 R-BRK-6 a breaker opens and holds; the merchant reads why, support resets it, what was held arrives', async ({
  page,
  pageOf,
  receive,
  program,
  installation,
}) => {
  const { shop } = installation.apps;
  const receiver = await receive({ status: 503 });
  const { id } = await program.createEndpoint({
    url: receiver.url,
    description: 'dam',
    types: ['dam.*'],
  });
  await page.goto(at(shop, `deliveries?endpoint=${id}`));
  await untilLive(page);
  for (let sent = 0; sent < 5; sent += 1) await program.publish('dam.broken', `{"n":${sent}}`);
  const stateOf = async () => (await program.breakers()).find((one) => one.endpoint_id === id);
  await expect.poll(async () => (await stateOf())?.state).toBe('open');
  await program.publish('dam.held');
  const held = deliveryRows(page, 'dam.held');
  await expect(held).toContainText(t.status.delivery.held);
  await expect(held).toContainText(t.status.held.held_by_breaker);
  await expect(held).toContainText(/until \d\d:\d\d:\d\d/);
  await expect(deliveryRows(page).filter({ hasText: t.status.delivery.held })).toHaveCount(6);
  expect(receiver.requests).toHaveLength(5);

  const breaker = await stateOf();
  await page.goto(at(shop, 'breakers'));
  const row = page.getByRole('table', { name: breakers.list }).getByRole('row').filter({ hasText: 'dam' });
  await expect(row).toContainText(t.status.breaker.open);
  await expect(row).toContainText(/in [45] m/);
  await row.getByRole('link').click();
  await expect(page).toHaveURL(at(shop, `breakers/${breaker?.id}`));
  await expect(page.getByRole('heading', { level: 1, name: breakers.of('dam') })).toBeVisible();
  await expect(page.getByText(/The next probe goes at \d\d:\d\d:\d\d, in 4 m \d+ s\./)).toBeVisible();
  await expect(page.getByRole('img', { name: breakers.machine.picture('open') })).toBeVisible();
  await expect(section(page, breakers.ladder.title).locator('[aria-current="step"]')).toContainText('5 m');
  const opened = section(page, breakers.opened.title);
  await expect(opened).toContainText(breakers.opened.lead(5, '5 m', breakers.opened.times(5, '503')));
  await expect(opened.locator('tbody tr')).toHaveCount(5);
  await expect(page.getByRole('button', { name: breakers.reset.button })).toHaveCount(0);
  await expect(page.getByText(breakers.reset.merchant)).toBeVisible();

  receiver.always({ status: 200 });
  const support = await pageOf('support');
  await support.goto('/support');
  const waiting = support
    .getByRole('table', { name: t.support.list })
    .getByRole('row')
    .filter({ hasText: 'dam' });
  await expect(waiting).toContainText(shop.name);
  await waiting.getByRole('link').click();
  await expect(support.getByRole('heading', { level: 1, name: breakers.of('dam') })).toBeVisible();
  await support.getByRole('button', { name: breakers.reset.button }).click();
  const dialog = support.getByRole('dialog', { name: breakers.reset.title('dam') });
  await expect(dialog).toContainText(breakers.reset.willSend(6, false));
  await dialog.getByRole('button', { name: breakers.reset.action }).click();
  await expect(dialog).toContainText(breakers.reset.reasonMissing);
  await dialog.getByLabel(breakers.reset.reason).fill('The merchant mended it');
  await dialog.getByRole('button', { name: breakers.reset.action }).click();
  await expect(dialog).toHaveCount(0);
  await expect(support.getByText(breakers.reset.done('dam'))).toBeVisible();
  await expect(section(support, breakers.history.title)).toContainText('The merchant mended it');
  await expect(support.getByRole('button', { name: breakers.reset.button })).toHaveCount(0);

  await expect(page.getByRole('img', { name: breakers.machine.picture('closed') })).toBeVisible();
  await expect
    .poll(() => new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size)
    .toBe(6);
  await page.goto(at(shop, `deliveries?endpoint=${id}`));
  await expect(deliveryRows(page).filter({ hasText: t.status.delivery.delivered })).toHaveCount(6);
});

test('R-BRK-6 D02 a merchant’s request to reset is refused by the server too', async ({
  page,
  receive,
  program,
  installation,
  baseUrl,
}) => {
  const { shop } = installation.apps;
  const receiver = await receive();
  const { id } = await program.createEndpoint({ url: receiver.url, description: 'own', types: ['own.*'] });
  await program.publish('own.one');
  const own = async () => (await program.breakers()).find((one) => one.endpoint_id === id);
  await expect.poll(async () => (await own())?.state).toBe('closed');
  const breakerId = (await own())?.id;
  const answer = await page.request.post('/api/trpc/breakers.reset', {
    headers: { origin: baseUrl },
    data: { json: { appId: shop.id, environment: 'test', breakerId, reason: 'I would like to' } },
  });
  expect(answer.status()).toBe(403);
});

test.describe('who is not support', () => {
  test('R-BRK-8 does not see the breakers of all merchants', async ({ page }) => {
    await page.goto('/support');
    await expect(page.getByRole('heading', { name: t.support.forbiddenTitle })).toBeVisible();
    await expect(page.getByRole('table')).toHaveCount(0);
  });
});
