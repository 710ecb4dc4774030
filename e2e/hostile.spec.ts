import { t } from '@/components/messages';
import { expect, test } from './fixtures';
import { at, attemptRows, deliveryRows, section } from './places';
import { onlyDelivery } from './program';

const CANARY = 'http://canary.invalid/taken';
const TAGS = `<img src=x onerror="fetch('${CANARY}')"><svg onload=alert(1)></script><script>alert(2)</script>`;
/** Turns what stands behind it around, where a terminal or a page obeys it. */
const RTL = '\u202Egpj.yloh\u202C';
const NAME = `"><b>${TAGS}${RTL}`;

test('D17 what a merchant or a receiver writes is inert text wherever it is shown', async ({
  page,
  watch,
  receive,
  program,
  installation,
}) => {
  const { shop } = installation.apps;
  watch.allow(/status of 4\d\d/);
  const receiver = await receive({
    status: 500,
    words: TAGS,
    headers: { 'x-note': TAGS, 'content-type': 'text/html' },
    body: `<!doctype html>${TAGS}`,
  });
  const endpoint = await program.createEndpoint({
    url: `${receiver.url}?q=${encodeURI(TAGS)}&<script>alert(3)</script>`,
    description: NAME,
    types: ['hostile.*'],
  });
  const body = JSON.stringify({ note: TAGS, name: RTL, __proto__: { polluted: TAGS }, '</script>': '<!--' });
  const delivery = onlyDelivery(await program.publish('hostile.note', body));
  await expect.poll(async () => (await program.delivery(delivery.id)).attempts).toBe(1);

  await page.goto(at(shop, `deliveries?endpoint=${endpoint.id}`));
  await expect(deliveryRows(page)).toContainText('<b><img src=x');
  await deliveryRows(page).getByRole('link').click();
  await expect(page.getByRole('complementary')).toContainText('onerror=');

  await page.goto(at(shop, `deliveries/${delivery.id}`));
  await expect(page.getByRole('heading', { level: 1 })).toContainText('<b><img src=x onerror=');
  await expect(attemptRows(page)).toContainText('500');
  await page.getByText(t.common.body.raw, { exact: true }).click();
  await expect(section(page, t.common.body.region)).toContainText('</script>');

  await page.goto(at(shop, `endpoints/${endpoint.id}`));
  await expect(page.getByRole('heading', { level: 1 })).toContainText('<script>alert(2)</script>');
  await page.getByRole('button', { name: t.endpoints.test.button }).click();
  await expect(section(page, t.endpoints.test.result)).toContainText('500');
  await page.goto(at(shop, `endpoints/${endpoint.id}/edit`));
  await expect(page.getByLabel(t.endpoints.form.name)).toHaveValue(NAME);
  await page.goto(at(shop, 'endpoints'));
  await expect(page.getByRole('table', { name: t.endpoints.list })).toContainText('<img src=x');

  await page.goto(
    at(shop, `deliveries?type=${encodeURIComponent(TAGS)}&endpoint=${encodeURIComponent(RTL)}`),
  );
  await expect(page.getByRole('heading', { name: t.common.list.noMatchTitle })).toBeVisible();
  await page.goto(at(shop, `deliveries/${encodeURIComponent('dlv_<img src=x onerror=alert(4)>')}`));
  await expect(page.getByRole('heading', { name: t.common.errors.notFoundTitle })).toBeVisible();

  // Nothing of it became an element of any page.
  expect(await page.locator('img, iframe, object, embed').count()).toBe(0);
  expect(await page.evaluate(() => 'polluted' in {})).toBe(false);
});
