import { createHash } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { cookieOf, createTestAuth } from '@/server/testing/test-auth';
import { actorFromHeaders } from './actor';
import type { SignInResult } from './config';

const PASSWORD = 'tram-lantern-oxide';
const person = { email: 'dorj@altanpay.example', name: 'Dorj', password: PASSWORD };
const HOUR = 3_600_000;

async function withPerson(change: Parameters<typeof createTestAuth>[0] = {}) {
  const world = await createTestAuth(change);
  const user = await world.accounts.createUser(person);
  const actor = async (cookie: string) => actorFromHeaders(new Headers({ cookie }), { auth: world.auth });
  return { ...world, user, actor };
}

afterEach(() => {
  vi.useRealTimers();
});

describe('passwords', () => {
  it('D10 a long password is kept whole: its first 72 characters do not open', async () => {
    const { accounts, signIn } = await createTestAuth();
    const password = 'каждый день '.repeat(10).slice(0, 110);
    await accounts.createUser({ ...person, password });
    expect((await signIn(person.email, password.slice(0, 72))).status).toBe(401);
    expect((await signIn(person.email, password)).status).toBe(200);
  });

  it('D10 what is stored is scrypt over 16 random bytes, never the password', async () => {
    const { rows } = await withPerson();
    const [account] = await rows('account');
    expect(account?.['password']).toMatch(/^[0-9a-f]{32}:[0-9a-f]{128}$/);
  });

  it('D10 D12 an unknown address and a wrong password: same answer, one hash each', async () => {
    const { auth, signIn } = await withPerson();
    const { password } = await auth.$context;
    const hash = vi.spyOn(password, 'hash');
    const verify = vi.spyOn(password, 'verify');
    const answers = [
      await signIn(person.email, 'wrong-password'),
      await signIn('nobody@x.example', 'wrong-password'),
    ];
    const [known, unknown] = await Promise.all(
      answers.map(async (answer) => ({
        status: answer.status,
        body: await answer.text(),
        headers: [...answer.headers],
      })),
    );
    expect(unknown).toEqual(known);
    expect(known?.status).toBe(401);
    expect([hash.mock.calls.length, verify.mock.calls.length]).toEqual([1, 1]);
  });

  it('D10 common ones are refused when it is changed, and the old one stays', async () => {
    const { post, signIn, cookieFor } = await withPerson();
    const cookie = await cookieFor(person.email, PASSWORD);
    const change = { currentPassword: PASSWORD, newPassword: 'altanpay99' };
    const answer = await post('/change-password', change, { cookie });
    expect([answer.status, (await answer.json()).code]).toEqual([400, 'WEAK_PASSWORD']);
    expect((await signIn(person.email, PASSWORD)).status).toBe(200);
  });

  it('D09 changing it ends every other session, whatever the caller asks for', async () => {
    const { post, cookieFor, actor } = await withPerson();
    const other = await cookieFor(person.email, PASSWORD);
    const cookie = await cookieFor(person.email, PASSWORD);
    const change = {
      currentPassword: PASSWORD,
      newPassword: 'tram-lantern-copper',
      revokeOtherSessions: false,
    };
    const answer = await post('/change-password', change, { cookie });
    expect(answer.status).toBe(200);
    expect(await actor(other)).toBeNull();
    expect(await actor(cookieOf(answer))).not.toBeNull();
  });
});

describe('guessing', () => {
  it('D12 after five failures the account waits, known or not, the right password too', async () => {
    const { signIn } = await withPerson();
    for (const email of [person.email, 'nobody@x.example']) {
      for (let i = 0; i < 5; i += 1) expect((await signIn(email, 'wrong-password')).status).toBe(401);
      const answer = await signIn(email, PASSWORD);
      expect(answer.status).toBe(429);
      expect(answer.headers.get('retry-after')).toBe('1');
      expect((await answer.json()).code).toBe('TOO_MANY_ATTEMPTS');
    }
  });

  it('D12 the wait passes, and success forgets the failures', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { signIn } = await withPerson();
    for (let i = 0; i < 5; i += 1) await signIn(person.email, 'wrong-password');
    vi.setSystemTime(Date.now() + 1_000);
    expect((await signIn(person.email, PASSWORD)).status).toBe(200);
    for (let i = 0; i < 4; i += 1) await signIn(person.email, 'wrong-password');
    expect((await signIn(person.email, PASSWORD)).status).toBe(200);
  });

  it('D37 each try is told to the audit log, without the password', async () => {
    const told: SignInResult[] = [];
    const { signIn, user } = await withPerson({ onSignIn: async (result) => void told.push(result) });
    await signIn(person.email, 'wrong-password');
    await signIn(person.email, PASSWORD);
    expect(told.map(({ result, userId }) => [result, userId])).toEqual([
      ['denied', null],
      ['ok', user.id],
    ]);
    expect(JSON.stringify(told)).not.toContain(PASSWORD);
  });
});

describe('sessions', () => {
  it('D13 the cookie is for this origin, not for scripts, not for other sites', async () => {
    const { signIn } = await withPerson({ baseURL: 'https://hooks.example.com' });
    const [cookie = ''] = (await signIn(person.email, PASSWORD)).headers.getSetCookie();
    const [pair, ...attributes] = cookie.split('; ');
    expect(pair).toMatch(/^__Host-hookladder\.session_token=/);
    expect(attributes.sort()).toEqual(['HttpOnly', 'Max-Age=28800', 'Path=/', 'SameSite=Lax', 'Secure']);
  });

  it('D13 the store holds the SHA-256 of a token of 32 signs, and every sign-in draws a new one', async () => {
    const { cookieFor, rows } = await withPerson();
    const tokens = [await cookieFor(person.email, PASSWORD), await cookieFor(person.email, PASSWORD)].map(
      (cookie) => decodeURIComponent(cookie).split('=')[1]?.split('.')[0] ?? '',
    );
    expect(tokens.every((token) => /^[A-Za-z0-9]{32}$/.test(token))).toBe(true);
    const stored = (await rows('session')).map((row) => row['token']);
    expect(stored.sort()).toEqual(
      tokens.map((token) => createHash('sha256').update(token).digest('base64url')).sort(),
    );
  });

  it('D13 what is stored does not open a session', async () => {
    const { auth, cookieFor, rows, actor } = await withPerson();
    await cookieFor(person.email, PASSWORD);
    const stored = String((await rows('session'))[0]?.['token']);
    expect(await (await auth.$context).internalAdapter.findSession(stored)).toBeNull();
    expect(await actor(`hookladder.session_token=${stored}`)).toBeNull();
  });

  it('D13 signing out deletes it on the server', async () => {
    const { post, cookieFor, rows, actor } = await withPerson();
    const cookie = await cookieFor(person.email, PASSWORD);
    expect((await post('/sign-out', {}, { cookie })).status).toBe(200);
    expect(await rows('session')).toEqual([]);
    expect(await actor(cookie)).toBeNull();
  });

  it('D13 unused for 8 hours it ends; used, it goes on', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { cookieFor, actor } = await withPerson();
    const cookie = await cookieFor(person.email, PASSWORD);
    vi.setSystemTime(Date.now() + 7 * HOUR);
    expect(await actor(cookie)).not.toBeNull();
    vi.setSystemTime(Date.now() + 7 * HOUR);
    expect(await actor(cookie)).not.toBeNull();
    vi.setSystemTime(Date.now() + 8 * HOUR + 1);
    expect(await actor(cookie)).toBeNull();
  });

  it('D13 sessions that ran out unseen go with the next sign-in', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { cookieFor, rows } = await withPerson();
    await cookieFor(person.email, PASSWORD);
    vi.setSystemTime(Date.now() + 8 * HOUR + 1);
    await cookieFor(person.email, PASSWORD);
    expect((await rows('session')).length).toBe(1);
  });

  it('D13 after 7 days it ends, however much it was used, and its row goes', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { cookieFor, actor, rows } = await withPerson();
    const cookie = await cookieFor(person.email, PASSWORD);
    for (let hour = 4; hour < 7 * 24; hour += 4) {
      vi.setSystemTime(Date.now() + 4 * HOUR);
      expect(await actor(cookie), `after ${hour} h`).not.toBeNull();
    }
    vi.setSystemTime(Date.now() + 4 * HOUR);
    expect(await actor(cookie)).toBeNull();
    expect(await rows('session')).toEqual([]);
  });
});

describe('the way in', () => {
  it('D44 there is no default account and no sign-up', async () => {
    const { auth, rows, post } = await createTestAuth();
    expect(await rows('user')).toEqual([]);
    expect((await post('/sign-up/email', person)).status).toBe(404);
    await expect(auth.api.signUpEmail({ body: person })).rejects.toThrow();
    expect(await rows('user')).toEqual([]);
  });

  it.each([
    '/get-session',
    '/organization/create',
    '/update-user',
    '/delete-user',
    '/list-sessions',
    '/sign-in/social',
  ])('D06 %s of the library is not served', async (path) => {
    const { post } = await createTestAuth();
    expect((await post(path, {})).status).toBe(404);
  });

  it('D15 forms, text, GET and other sites are refused before anything is looked up', async () => {
    const { post, handler } = await withPerson();
    const entry = { email: person.email, password: PASSWORD };
    const status = async (headers: Record<string, string>) =>
      (await post('/sign-in/email', entry, headers)).status;
    expect(await status({ 'content-type': 'application/x-www-form-urlencoded' })).toBe(415);
    expect(await status({ 'content-type': 'text/plain' })).toBe(415);
    expect(await status({ origin: 'https://evil.example' })).toBe(403);
    expect(await status({ origin: 'null' })).toBe(403);
    expect(await status({ 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect(await status({ 'sec-fetch-site': 'same-origin' })).toBe(200);
    const get = await handler(new Request('http://localhost:3000/api/auth/sign-in/email'));
    expect(get.status).toBe(405);
  });

  it('D15 on this machine every name of the loopback is the own origin', async () => {
    const { post } = await withPerson();
    const entry = { email: person.email, password: PASSWORD };
    const answer = await post('/sign-in/email', entry, { origin: 'http://127.0.0.1:3000' });
    expect(answer.status).toBe(200);
    expect((await post('/sign-in/email', entry, { origin: 'http://127.0.0.1:3001' })).status).toBe(403);
  });

  it('D26 more than 64 KiB is refused while it is read', async () => {
    const { post } = await createTestAuth();
    const answer = await post('/sign-in/email', { email: 'a@b.example', password: 'x'.repeat(65_536) });
    expect(answer.status).toBe(413);
  });

  it('D12 no body, no field, wrong types: refused, never an error of ours', async () => {
    const { post } = await createTestAuth();
    for (const body of ['', '{', '[]', 'null', '{"email":1}', '{"email":"a@b.example"}']) {
      expect((await post('/sign-in/email', body)).status, body).toBe(400);
    }
  });
});
