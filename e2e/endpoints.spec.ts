import { t } from '@/components/messages';
import { urlRuleMessage } from '@/server/core/url-guard';
import { expect, test } from './fixtures';
import { at, deliveryRows, section, untilLive } from './places';
import { deadUrl } from './receiver';

const { test: tests } = t.endpoints;

test('R-RES-3 a test is answered on the page: arrived, refused, no answer', async ({
  page,
  receive,
  program,
  installation,
}) => {
  const receiver = await receive();
  const types = ['prove.*'];
  const { id } = await program.createEndpoint({ url: receiver.url, description: 'prover', types });
  await page.goto(at(installation.apps.shop, `endpoints/${id}`));
  const answer = section(page, tests.result);
  const send = page.getByRole('button', { name: tests.button });

  await send.click();
  await expect(answer).toContainText(/Arrived: the receiver answered 204 in \d+ ms\./);
  const [request] = receiver.requests;
  expect(JSON.parse(String(request?.body))).toMatchObject({ type: 'webhook.test', data: { test: true } });
  expect(request?.headers['webhook-signature']).toMatch(/^v1,/);
  await answer.getByRole('button', { name: tests.dismiss }).click();
  await expect(answer).toHaveCount(0);

  receiver.answers({ status: 401, body: 'who are you' });
  await send.click();
  await expect(answer).toContainText(/Not accepted: the receiver answered 401 in \d+ ms\./);

  await receiver.stop();
  await send.click();
  await expect(answer).toContainText(/No answer after \d+ ms\./);
  await answer.getByRole('link', { name: tests.delivery }).click();
  await expect(page).toHaveURL(/\/deliveries\/dlv_/);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(
    t.deliveries.titleOf('webhook.test', 'prover'),
  );
});

test('R-RES-3 the twenty-first test within a minute is refused, and the page says when the next can go', async ({
  page,
  watch,
  receive,
  programFor,
  installation,
}) => {
  watch.allow(/status of 429/);
  const program = programFor('limits');
  const receiver = await receive();
  const { id } = await program.createEndpoint({ url: receiver.url, description: 'limited' });
  for (let sent = 0; sent < 20; sent += 1) expect(await program.sendTest(id)).toBe(200);
  await page.goto(at(installation.apps.limits, `endpoints/${id}`));
  await page.getByRole('button', { name: tests.button }).click();
  await expect(section(page, tests.result)).toContainText(
    /An app sends at most 20 tests a minute\. The next can go at \d\d:\d\d:\d\d, in \d+ s\./,
  );
  await expect(page.getByRole('button', { name: tests.button })).toBeDisabled();
  expect(receiver.requests).toHaveLength(20);
});

test('R-ATT-7 R-ATT-16 a refused URL is told at its field, and what was typed stays', async ({
  page,
  watch,
  receive,
  program,
  baseUrl,
  installation,
}) => {
  watch.allow(/status of 400/);
  const receiver = await receive();
  const types = ['mend.*'];
  const { id } = await program.createEndpoint({ url: receiver.url, description: 'mender', types });
  await page.goto(at(installation.apps.shop, `endpoints/${id}`));
  await page.getByRole('link', { name: t.endpoints.edit }).click();
  const url = page.getByLabel(t.endpoints.form.url);
  await page.getByLabel(t.endpoints.form.name).fill('mender of all');
  const save = page.getByRole('button', { name: t.endpoints.form.submitEdit });
  for (const [typed, rule] of [
    ['http://169.254.169.254/latest/meta-data', 'address'],
    [`${baseUrl}/r/none`, 'self'],
    ['ftp://files.example.com/', 'scheme'],
  ] as const) {
    await url.fill(typed);
    await save.click();
    await expect(page.getByText(urlRuleMessage(rule))).toBeVisible();
    await expect(url).toHaveAttribute('aria-invalid', 'true');
    await expect(url).toHaveValue(typed);
    await expect(page.getByLabel(t.endpoints.form.name)).toHaveValue('mender of all');
  }
  await url.fill(`${receiver.url}/new`);
  await save.click();
  await expect(page.getByRole('heading', { level: 1, name: 'mender of all' })).toBeVisible();
  await expect(section(page, t.endpoints.facts.title)).toContainText(`${receiver.url}/new`);
});

test('R-FAIL-4 R-FAIL-8 R-DEL-4 disables, enables, and deletes after its name is typed', async ({
  page,
  receive,
  program,
  installation,
}) => {
  const { shop } = installation.apps;
  const receiver = await receive({ status: 503 });
  const { id } = await program.createEndpoint({
    url: receiver.url,
    description: 'mortal',
    types: ['mort.*'],
  });
  await program.publish('mort.one');
  await expect.poll(() => receiver.requests.length).toBe(1);
  await page.goto(at(shop, `endpoints/${id}`));

  await page.getByRole('button', { name: t.endpoints.disable }).click();
  const ask = page.getByRole('dialog', { name: t.endpoints.disableAsk.title('mortal') });
  await expect(ask).toContainText(t.endpoints.disableAsk.skipped(1, false));
  await ask.getByRole('button', { name: t.endpoints.disableAsk.action }).click();
  await expect(page.getByText(t.endpoints.sentence.disabled('mortal'))).toBeVisible();

  receiver.always({ status: 204 });
  await page.getByRole('button', { name: t.endpoints.enable }).click();
  await expect(page.getByRole('button', { name: t.endpoints.disable })).toBeVisible();
  await program.publish('mort.two');
  await expect(section(page, t.endpoints.recent.title)).toContainText('mort.two');
  await expect.poll(() => receiver.requests.length).toBeGreaterThanOrEqual(2);

  await page.getByRole('button', { name: t.endpoints.remove }).click();
  const remove = page.getByRole('dialog', { name: t.endpoints.removeAsk.title('mortal') });
  const action = remove.getByRole('button', { name: t.endpoints.removeAsk.action });
  await expect(action).toBeDisabled();
  await remove.getByLabel(t.common.confirm.typeToConfirm('mortal')).fill('morta');
  await expect(action).toBeDisabled();
  await remove.getByLabel(t.common.confirm.typeToConfirm('mortal')).fill('mortal');
  await action.click();
  await expect(page).toHaveURL(at(shop, 'endpoints'));
  await expect(page.getByRole('table', { name: t.endpoints.list })).not.toContainText('mortal');
  await page.goto(at(shop, 'deliveries'));
  await expect(deliveryRows(page, 'mort.')).toHaveCount(0);
});

test('D27 D28 fifty endpoints, as many as there may be, load and stay up to date', async ({
  page,
  programFor,
  installation,
}) => {
  const program = programFor('limits', 'live');
  const url = await deadUrl('https');
  const create = (n: number) => program.createEndpoint({ url, description: `of fifty ${n}` });
  const made = await Promise.all(Array.from({ length: 49 }, (_, n) => create(n)));
  await page.goto(at(installation.apps.limits, 'endpoints', 'live'));
  await untilLive(page);
  const rows = page.getByRole('table', { name: t.endpoints.list }).locator('tbody tr');
  await expect(rows).toHaveCount(49);
  await create(49);
  await expect(rows).toHaveCount(50);
  await program.patchEndpoint(made[0]?.id ?? '', { status: 'disabled' });
  await expect(rows.filter({ hasText: t.status.endpoint.disabled })).toHaveCount(1);
});

test.describe('a viewer', () => {
  test.use({ person: 'viewer' });

  test('D02 sees everything and may press nothing that changes something, and reads why', async ({
    page,
    program,
    installation,
  }) => {
    const { shop } = installation.apps;
    const url = await deadUrl('http');
    const { id } = await program.createEndpoint({ url, description: 'glass case', types: ['glass.*'] });
    const event = await program.publish('glass.looked_at');
    await page.goto(at(shop, 'endpoints'));
    await expect(page.getByRole('table', { name: t.endpoints.list })).toContainText('glass case');
    await expect(page.getByRole('link', { name: t.endpoints.create })).toHaveCount(0);

    await page.goto(at(shop, `endpoints/${id}`));
    await expect(page.getByRole('heading', { level: 1, name: 'glass case' })).toBeVisible();
    await expect(page.getByRole('button', { name: tests.button })).toBeDisabled();
    await expect(page.getByText(t.endpoints.mayNot)).toBeVisible();
    await expect(page.getByText(t.endpoints.mayNotTest)).toBeVisible();
    for (const name of [t.endpoints.disable, t.endpoints.remove]) {
      await expect(page.getByRole('button', { name, exact: true })).toHaveCount(0);
    }
    await expect(page.getByRole('link', { name: t.endpoints.edit, exact: true })).toHaveCount(0);

    await page.goto(at(shop, `deliveries/${event.deliveries[0]?.id}`));
    await expect(page.getByRole('button', { name: t.delivery.resend.button('glass case') })).toBeDisabled();
    await expect(page.getByText(t.delivery.resend.mayNot)).toBeVisible();
  });
});
