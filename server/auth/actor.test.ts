import { describe, expect, it } from 'vitest';
import { makeApiKey } from '@/server/core/api-key';
import { createTestAuth } from '@/server/testing/test-auth';
import { actorFromHeaders } from './actor';

const PASSWORD = 'tram-lantern-oxide';

async function signedIn() {
  const world = await createTestAuth();
  const email = 'dorj@altanpay.example';
  const user = await world.accounts.createUser({ email, name: 'Dorj', password: PASSWORD });
  const organization = await world.accounts.createOrganization('Altan Pay');
  const cookie = await world.cookieFor(email, PASSWORD);
  const actor = (headers: Record<string, string> = { cookie }) =>
    actorFromHeaders(new Headers(headers), { auth: world.auth });
  return { ...world, user, organization, cookie, actor, email };
}

describe('who acts in the console', () => {
  it('D06 without a session nobody', async () => {
    const { actor, cookie } = await signedIn();
    expect(await actor({})).toBeNull();
    expect(await actor({ cookie: '' })).toBeNull();
    expect(await actor({ cookie: 'hookladder.session_token=forged.forged' })).toBeNull();
    expect(await actor({ cookie: cookie.replace(/.$/, 'x') })).toBeNull();
  });

  it('D06 with one: the person, their memberships and no platform role', async () => {
    const { accounts, actor, user, organization } = await signedIn();
    const member = { organizationId: organization.id, userId: user.id };
    await accounts.addMember({ ...member, role: 'developer' });
    expect(await actor()).toEqual({
      kind: 'user',
      userId: user.id,
      platformRole: null,
      memberships: [{ organizationId: organization.id, role: 'developer' }],
    });
    expect(user.id).toMatch(/^usr_[0-9a-hjkmnp-tv-z]{26}$/);
    expect(organization.id).toMatch(/^org_[0-9a-hjkmnp-tv-z]{26}$/);
  });

  it('D09 a changed role and a lost membership count from the next call on', async () => {
    const { auth, accounts, actor, user, organization } = await signedIn();
    const member = { organizationId: organization.id, userId: user.id };
    await accounts.addMember({ ...member, role: 'owner' });
    expect((await actor())?.memberships).toEqual([{ organizationId: organization.id, role: 'owner' }]);
    await accounts.addMember({ ...member, role: 'viewer' });
    expect((await actor())?.memberships).toEqual([{ organizationId: organization.id, role: 'viewer' }]);
    const { adapter } = await auth.$context;
    await adapter.delete({ model: 'member', where: [{ field: 'userId', value: user.id }] });
    expect((await actor())?.memberships).toEqual([]);
  });

  it('D09 D13 a granted platform role ends the old session and counts in the next', async () => {
    const { accounts, actor, user, cookieFor, email } = await signedIn();
    await accounts.setPlatformRole(user.id, 'support');
    expect(await actor()).toBeNull();
    const cookie = await cookieFor(email, PASSWORD);
    expect((await actor({ cookie }))?.platformRole).toBe('support');
    await accounts.setPlatformRole(user.id, null);
    expect(await actor({ cookie })).toBeNull();
  });

  it('D06 a role that nobody knows is none', async () => {
    const { auth, actor, user } = await signedIn();
    const { adapter } = await auth.$context;
    const where = [{ field: 'id', value: user.id }];
    await adapter.update({ model: 'user', where, update: { platformRole: 'god' } });
    expect((await actor())?.platformRole).toBeNull();
  });

  it('D20 a key is nobody here, and beside a cookie it is not looked at', async () => {
    const { actor, cookie, user } = await signedIn();
    const authorization = `Bearer ${makeApiKey('live', new Uint8Array(32).fill(3))}`;
    expect(await actor({ authorization })).toBeNull();
    const token = decodeURIComponent(cookie).split('=')[1] ?? '';
    expect(await actor({ authorization: `Bearer ${token}` })).toBeNull();
    expect((await actor({ authorization, cookie }))?.userId).toBe(user.id);
  });

  it('D37 names for the audit log come from the directory', async () => {
    const { directory, user, organization } = await signedIn();
    expect(await directory.user(user.id)).toEqual({ email: 'dorj@altanpay.example', name: 'Dorj' });
    expect(await directory.user('usr_none')).toBeNull();
    expect(await directory.organizations([organization.id, 'org_none'])).toEqual([
      { id: organization.id, name: 'Altan Pay' },
    ]);
    expect(await directory.organizations([])).toEqual([]);
  });
});
