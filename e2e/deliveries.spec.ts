import type { Page } from '@playwright/test';
import { t } from '@/components/messages';
import { expect, test } from './fixtures';
import { at, attemptRows, deliveryRows, section, untilLive } from './places';
import { onlyDelivery } from './program';
import { deadUrl } from './receiver';

async function filterBy(page: Page, name: string, option: string): Promise<void> {
  const bar = page.getByRole('search', { name: t.common.list.filters });
  await bar.getByRole('button', { name, exact: true }).click();
  await bar.getByRole('option', { name: option, exact: true }).click();
}

test('R-DEL-6 filters by status, type, endpoint and environment; the address carries them and a reload shows the same', async ({
  page,
  receive,
  program,
  programFor,
  installation,
}) => {
  const { shop } = installation.apps;
  const receiver = await receive();
  const broken = await receive({ status: 503 });
  const types = ['sift.*'];
  const good = await program.createEndpoint({ url: receiver.url, description: 'sift-good', types });
  await program.createEndpoint({ url: broken.url, description: 'sift-bad', types });
  await program.publish('sift.one');
  await program.publish('sift.two');
  const live = programFor('shop', 'live');
  await live.createEndpoint({ url: await deadUrl('https'), description: 'sift-live', types });
  await live.publish('sift.live');

  await page.goto(at(shop, 'deliveries'));
  const rows = deliveryRows(page, 'sift.');
  await expect(rows).toHaveCount(4);
  const { filters } = t.deliveries;

  await filterBy(page, filters.status, t.status.stored.delivered);
  await expect(page).toHaveURL(/[?&]status=delivered/);
  await expect(deliveryRows(page, 'sift-bad')).toHaveCount(0);
  await expect(rows).toHaveCount(2);

  await filterBy(page, filters.type, 'sift.two');
  await expect(page).toHaveURL(/[?&]type=sift\.two/);
  await expect(deliveryRows(page)).toHaveCount(1);

  await page.getByRole('button', { name: t.common.list.removeFilter(filters.status, 'delivered') }).click();
  await expect(deliveryRows(page)).toHaveCount(2);
  await filterBy(page, filters.endpoint, 'sift-good');
  await expect(page).toHaveURL(new RegExp(`[?&]endpoint=${good.id}`));
  await expect(deliveryRows(page)).toHaveCount(1);
  await expect(deliveryRows(page)).toContainText('sift-good');

  const shown = await deliveryRows(page).allTextContents();
  const address = page.url();
  await page.reload();
  await expect(deliveryRows(page)).toHaveCount(shown.length);
  expect(page.url()).toBe(address);
  await expect(deliveryRows(page)).toContainText('sift.two');

  await page.getByRole('button', { name: t.common.actions.clearFilters }).click();
  await expect(page).toHaveURL(at(shop, 'deliveries'));
  await expect(rows).toHaveCount(4);

  await filterBy(page, filters.status, t.status.stored.skipped);
  await filterBy(page, filters.endpoint, 'sift-good');
  await expect(page.getByRole('heading', { name: t.common.list.noMatchTitle })).toBeVisible();
  await page.getByRole('main').getByRole('button', { name: t.common.actions.clearFilters }).last().click();
  await expect(rows).toHaveCount(4);

  const environments = page.getByRole('navigation', { name: t.shell.environmentSwitch });
  await environments.getByRole('link', { name: t.common.environment.live }).click();
  await expect(page).toHaveURL(at(shop, 'deliveries', 'live'));
  await expect(deliveryRows(page, 'sift.')).toHaveCount(1);
  await expect(deliveryRows(page, 'sift.')).toContainText('sift-live');
  await page.reload();
  await expect(deliveryRows(page, 'sift-live')).toHaveCount(1);
});

test('R-ATT-12 R-LAD-7 a delivery says what is so, shows its timeline, its attempts and its body; the panel keeps the list', async ({
  page,
  receive,
  program,
  installation,
}) => {
  const receiver = await receive();
  receiver.answers({ status: 422, body: 'no such order' });
  await program.createEndpoint({ url: receiver.url, description: 'looker', types: ['look.*'] });
  const event = await program.publish('look.closely', '{"order":"A-17","amount":"12.50"}');
  const { id } = onlyDelivery(event);
  await expect.poll(async () => (await program.delivery(id)).status).toBe('delivered');
  const sent = String(receiver.requests[0]?.body);

  await page.goto(at(installation.apps.shop, 'deliveries'));
  const listed = await deliveryRows(page).count();
  await deliveryRows(page, 'look.closely').getByRole('link').click();
  const panel = page.getByRole('complementary', { name: t.deliveries.titleOf('look.closely', 'looker') });
  await expect(panel).toContainText(t.delivery.sentence.deliveredAfter(2));
  expect(await deliveryRows(page).count()).toBeGreaterThanOrEqual(listed);
  await page.keyboard.press('Escape');
  await expect(panel).toHaveCount(0);
  await expect(page).toHaveURL(at(installation.apps.shop, 'deliveries'));

  await page.goto(at(installation.apps.shop, `deliveries/${id}`));
  await expect(
    page.getByRole('heading', { level: 1, name: t.deliveries.titleOf('look.closely', 'looker') }),
  ).toBeVisible();
  await expect(page.getByText(t.delivery.sentence.delivered('looker', 204))).toBeVisible();
  await expect(page.getByRole('figure', { name: t.timeline.pictureLabel(2, 0) })).toBeVisible();
  await expect(attemptRows(page)).toHaveCount(2);
  await expect(attemptRows(page).nth(0)).toContainText('204');
  await expect(attemptRows(page).nth(1)).toContainText('422');
  await expect(attemptRows(page).nth(1)).toContainText(t.status.trigger.first);
  await attemptRows(page).nth(1).click();
  const attempts = section(page, t.delivery.attempts.title);
  await expect(attempts).toContainText(receiver.url);
  await expect(attempts).toContainText(t.status.errorClass.http_4xx);
  await expect(page).toHaveURL(/[?&]attempt=att_/);
  await page.reload();
  await expect(attemptRows(page).nth(1)).toHaveAttribute('aria-expanded', 'true');

  await page
    .getByRole('radiogroup', { name: t.timeline.view })
    .getByText(t.timeline.table, { exact: true })
    .click();
  const twin = section(page, t.timeline.title).getByRole('table');
  await expect(twin.getByRole('row').filter({ hasText: '422' })).toHaveCount(1);
  await page
    .getByRole('radiogroup', { name: t.common.body.view })
    .getByText(t.common.body.raw, { exact: true })
    .click();
  await expect(section(page, t.common.body.region)).toHaveText(sent);

  const file = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: t.delivery.download }).click(),
  ]).then(([download]) => download);
  expect(file.suggestedFilename()).toBe(`${event.id}.json`);
  const chunks: Buffer[] = [];
  for await (const chunk of await file.createReadStream()) chunks.push(chunk as Buffer);
  expect(Buffer.concat(chunks).toString()).toBe(sent);
});

test('R-LAD-7 a pending delivery says when its next attempt goes and draws those to come', async ({
  page,
  receive,
  program,
  installation,
}) => {
  const receiver = await receive({ status: 500 });
  await program.createEndpoint({ url: receiver.url, description: 'planner', types: ['plan.*'] });
  const { id } = onlyDelivery(await program.publish('plan.ahead'));
  await expect.poll(async () => (await program.delivery(id)).attempts).toBe(2);
  await page.goto(at(installation.apps.shop, `deliveries/${id}`));
  await expect(page.getByText(t.delivery.sentence.retrying(2, 9))).toBeVisible();
  await expect(page.getByText(/Next at \d\d:\d\d:\d\d, in \d+ s\./)).toBeVisible();
  await expect(page.getByRole('figure', { name: t.timeline.pictureLabel(2, 7) })).toBeVisible();
});

test('R-RES-1 a resend says what it does, and the new attempt appears by itself', async ({
  page,
  receive,
  program,
  installation,
}) => {
  const receiver = await receive();
  await program.createEndpoint({ url: receiver.url, description: 'again-shop', types: ['again.*'] });
  const event = await program.publish('again.please');
  const { id } = onlyDelivery(event);
  await expect.poll(async () => (await program.delivery(id)).status).toBe('delivered');
  await page.goto(at(installation.apps.shop, `deliveries/${id}`));
  await untilLive(page);
  await expect(attemptRows(page)).toHaveCount(1);

  await page.getByRole('button', { name: t.delivery.resend.button('again-shop') }).click();
  const dialog = page.getByRole('dialog', { name: `${t.delivery.resend.button('again-shop')}?` });
  await expect(dialog).toContainText(t.delivery.resend.again);
  await dialog.getByRole('button', { name: t.delivery.resend.button('again-shop') }).click();
  await expect(dialog).toHaveCount(0);
  await expect(attemptRows(page)).toHaveCount(2);
  await expect(attemptRows(page).first()).toContainText(t.status.trigger.resend);
  await expect(attemptRows(page).first()).toContainText('204');
  expect(receiver.requests).toHaveLength(2);
  expect(receiver.requests[1]?.headers['webhook-id']).toBe(event.id);
  expect((await program.attempts(id)).map(({ trigger, cycle }) => [trigger, cycle])).toEqual([
    ['first', 1],
    ['resend', 2],
  ]);
});

test('R-RES-1 a resend to a disabled endpoint is refused before it is asked for, and says why', async ({
  page,
  receive,
  program,
  installation,
}) => {
  const receiver = await receive();
  const endpoint = await program.createEndpoint({
    url: receiver.url,
    description: 'away',
    types: ['gone.*'],
  });
  const { id } = onlyDelivery(await program.publish('gone.away'));
  await expect.poll(async () => (await program.delivery(id)).status).toBe('delivered');
  await program.patchEndpoint(endpoint.id, { status: 'disabled' });
  await page.goto(at(installation.apps.shop, `deliveries/${id}`));
  await expect(page.getByRole('button', { name: t.delivery.resend.button('away') })).toBeDisabled();
  await expect(page.getByText(t.delivery.resend.blocked.endpoint_disabled)).toBeVisible();
  await program.patchEndpoint(endpoint.id, { status: 'active' });
});
