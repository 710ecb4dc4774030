import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { t } from '@/components/messages';
import { expect, test } from './fixtures';
import { at, deliveryRows, goTo, section, untilLive } from './places';
import { onlyDelivery } from './program';

/** R-PUB-4's own example: a parser that writes it again changes the number, the fraction and the order. */
const BODY = '{"amount":9007199254740993,"rate":1.0,"2":"b","1":"a"}';

test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

test('R-SIG-3 R-PUB-4 R-PUB-6 creates an endpoint, publishes by HTTP, sees the delivery arrive without a reload', async ({
  page,
  receive,
  program,
  installation,
}) => {
  const receiver = await receive();
  const { shop } = installation.apps;
  await page.goto(at(shop, 'endpoints'));
  await page.getByRole('link', { name: t.endpoints.create }).click();
  await page.getByLabel(t.endpoints.form.url).fill(receiver.url);
  await page.getByLabel(t.endpoints.form.name).fill('walk-shop');
  await page.getByRole('combobox', { name: t.endpoints.form.types }).pressSequentially('walk.*,');
  await page.keyboard.press('Tab');
  await page.getByRole('button', { name: t.endpoints.form.submitNew }).click();

  await expect(page.getByRole('heading', { name: t.endpoints.created.title('walk-shop') })).toBeVisible();
  await page.getByRole('button', { name: t.common.copyOf(t.endpoints.created.secret.toLowerCase()) }).click();
  const secret = await page.evaluate(() => navigator.clipboard.readText());
  expect(secret).toMatch(/^whsec_/);
  await expect(section(page, t.endpoints.created.secret)).toContainText(secret);

  await page.getByRole('link', { name: t.endpoints.created.next }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'walk-shop', exact: true })).toBeVisible();
  expect((await page.content()).includes(secret), 'the secret is still in the page').toBe(false);

  await goTo(page, t.shell.items.deliveries);
  await untilLive(page);
  const loads = page.waitForEvent('load', { timeout: 0 }).then(() => 'loaded');
  const event = await program.publish('walk.happened', BODY);
  const row = deliveryRows(page, 'walk.happened');
  // Where the page still stands scrolled from before, what is new waits behind its bar.
  const bar = page.getByRole('button', { name: /new row/ });
  await expect(row.or(bar).first()).toBeVisible();
  if (await bar.isVisible()) await bar.click();
  await expect(row).toHaveCount(1);
  await expect(row).toContainText('walk-shop');
  await expect(row).toContainText(t.status.delivery.delivered);
  await expect(row).toContainText('204');
  expect(await Promise.race([loads, 'not loaded again'])).toBe('not loaded again');

  expect(receiver.requests).toHaveLength(1);
  const [request] = receiver.requests;
  if (!request) throw new Error('nothing came');
  expect(request.method).toBe('POST');
  expect(request.headers['content-type']).toBe('application/json');
  expect(request.headers['webhook-id']).toBe(event.id);
  expect(request.body.toString('latin1')).toContain(`"data":${BODY}}`);

  const verifier = new Webhook(secret);
  const headers = request.headers as Record<string, string>;
  expect(verifier.verify(request.body, headers)).toMatchObject({ id: event.id, type: 'walk.happened' });
  const forged = Buffer.from(request.body);
  forged[forged.length - 3] = (forged[forged.length - 3] ?? 0) ^ 1;
  expect(() => verifier.verify(forged, headers)).toThrow(WebhookVerificationError);

  await row.getByRole('link').click();
  const panel = page.getByRole('complementary', { name: 'walk.happened to walk-shop' });
  await expect(panel).toContainText(t.delivery.sentence.delivered('walk-shop', 204));
  await panel.getByText(t.common.body.raw, { exact: true }).click();
  await expect(section(panel, t.common.body.region)).toHaveText(request.body.toString());
  expect(page.url()).toContain(`delivery=${onlyDelivery(event).id}`);
});

test('R-LAD-1 R-DEL-2 a failure is retried: the next attempt counts down, then it is delivered', async ({
  page,
  receive,
  program,
  installation,
}) => {
  const receiver = await receive();
  receiver.answers({ status: 503 });
  await program.createEndpoint({ url: receiver.url, description: 'stumbler', types: ['stumble.*'] });
  await page.goto(at(installation.apps.shop, 'deliveries'));
  await untilLive(page);
  await program.publish('stumble.once');

  const row = deliveryRows(page, 'stumble.once');
  await expect(row).toContainText(t.status.delivery.retrying);
  await expect(row).toContainText('503');
  await expect(row).toContainText('1/9');
  const countdown = row.getByText(/^in \d s$/);
  const seconds = async () => Number(/\d/.exec((await countdown.textContent()) ?? '')?.[0]);
  const first = await seconds();
  expect(first).toBeLessThanOrEqual(6);
  await expect.poll(seconds).toBeLessThan(first);
  await expect(row).toContainText(t.status.delivery.delivered);
  await expect(row).toContainText('204');
  await expect(countdown).toHaveCount(0);
  expect(receiver.requests.map(({ headers }) => headers['webhook-id'])).toHaveLength(2);
  expect(receiver.requests[0]?.headers['webhook-id']).toBe(receiver.requests[1]?.headers['webhook-id']);
  expect(receiver.requests[0]?.body.equals(receiver.requests[1]?.body ?? Buffer.alloc(0))).toBe(true);
});
