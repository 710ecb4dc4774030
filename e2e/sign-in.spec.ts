import { signIn } from '@/components/auth/messages';
import { t } from '@/components/messages';
import { expect, test } from './fixtures';
import { at } from './places';

test.use({ person: null });

test('D12 signs in: a wrong password is said and what was typed is kept, the right one goes on to where it was wanted', async ({
  page,
  watch,
  installation,
}) => {
  const { people, apps } = installation;
  watch.allow(/status of 401/);
  const wanted = at(apps.shop, 'endpoints');
  await page.goto(`${wanted}?from=chat`);
  await expect(page).toHaveURL(`/sign-in?next=${encodeURIComponent(`${wanted}?from=chat`)}`);

  await page.getByLabel(signIn.email).fill(people.owner.email);
  await page.getByLabel(signIn.password, { exact: true }).fill('not my password');
  await page.getByRole('button', { name: signIn.submit }).click();
  await expect(page.getByRole('alert').filter({ hasText: signIn.errors.wrong })).toBeVisible();
  await expect(page.getByLabel(signIn.email)).toHaveValue(people.owner.email);
  await expect(page.getByLabel(signIn.password, { exact: true })).toHaveValue('not my password');

  await page.getByLabel(signIn.password, { exact: true }).fill(people.owner.password);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`${wanted}?from=chat`);
  await expect(page.getByRole('heading', { level: 1, name: t.endpoints.title })).toBeVisible();

  await page.getByRole('button', { name: t.shell.user.menu('Sarnai Bold') }).click();
  await page.getByRole('menuitem', { name: t.shell.user.signOut }).click();
  await expect(page).toHaveURL(/\/sign-in/);
  await page.goto(wanted);
  await expect(page).toHaveURL(/\/sign-in\?next=/);
});

test('D06 a next that leads elsewhere leads to the start', async ({ page, installation }) => {
  await page.goto(`/sign-in?next=${encodeURIComponent('//canary.example/take')}`);
  await page.getByLabel(signIn.email).fill(installation.people.support.email);
  await page.getByLabel(signIn.password, { exact: true }).fill(installation.people.support.password);
  await page.getByRole('button', { name: signIn.submit }).click();
  await expect(page).toHaveURL('/support');
});

const PAGES = ['deliveries', 'endpoints', 'endpoints/new', 'breakers'];
const PASSES = [
  'proxy',
  'src/proxy',
  'middleware',
  'src/middleware',
  'pages/_middleware',
  Array(5).fill('middleware').join(':'),
  Array(5).fill('proxy').join(':'),
];

test('O37 D06 no page without a session, whatever pass or cookie is claimed', async ({
  request,
  installation,
}) => {
  const { shop } = installation.apps;
  const forged = { cookie: 'hookladder.session_token=forged.c2lnbmF0dXJl' };
  const claims = [
    {},
    forged,
    ...PASSES.flatMap((pass) => [
      { 'x-middleware-subrequest': pass },
      { ...forged, 'x-middleware-subrequest': pass },
    ]),
  ];
  for (const path of ['/', '/support', ...PAGES.map((page) => at(shop, page))]) {
    for (const headers of claims) {
      const answer = await request.get(path, { headers, maxRedirects: 0 });
      const said = `${path} ${JSON.stringify(headers)}`;
      expect(answer.status(), said).toBe(307);
      expect(answer.headers()['location'], said).toMatch(/^(http:\/\/127\.0\.0\.1:\d+)?\/sign-in(\?next=|$)/);
      expect(await answer.text(), said).not.toContain(shop.name);
    }
  }
});

test('D06 procedures and operations refuse who is not signed in, with or without a claimed pass', async ({
  request,
  installation,
}) => {
  const { shop } = installation.apps;
  const input = encodeURIComponent(JSON.stringify({ json: { appId: shop.id, environment: 'test' } }));
  const claims: Record<string, string>[] = [{}, { 'x-middleware-subrequest': 'proxy' }];
  for (const headers of claims) {
    const procedure = await request.get(`/api/trpc/endpoints.list?input=${input}`, { headers });
    expect(procedure.status()).toBe(401);
    expect(await procedure.text()).not.toContain('127.0.0.1');
    const operation = await request.get(`/dev/apps/${shop.id}/webhook-endpoints`, { headers });
    expect(operation.status()).toBe(401);
  }
});

test.describe('another organization', () => {
  test.use({ person: 'stranger' });

  test('D02 its member does not see the app, nor whether it exists', async ({
    page,
    watch,
    installation,
  }) => {
    watch.allow(/status of 404/);
    for (const id of [installation.apps.shop.id, 'app_01jzzzzzzzzzzzzzzzzzzzzzzz', 'app_%3Cb%3E']) {
      const answer = await page.goto(`/${id}/test/deliveries`);
      expect(answer?.status()).toBe(404);
      await expect(page.getByRole('heading', { name: t.common.errors.notFoundTitle })).toBeVisible();
      await expect(page.getByText(installation.apps.shop.name)).toHaveCount(0);
    }
  });
});
