// Commands about people and organizations.
import { MEMBER_ROLES, type PlatformRole } from '@/server/services/actor';
import {
  addMember,
  createOrganization,
  createUser,
  setPassword,
  setPlatformRole,
} from '@/server/services/admin';
import { readWord, UsageError } from './args';
import { type Command, emailOption, organizationOf, orgOption, userOf } from './command';

const userCreate: Command = {
  name: 'user create',
  help: 'make a user; without --password one is drawn and shown once',
  options: {
    email: emailOption,
    name: { value: 'NAME', required: true, help: 'how the console calls them' },
    password: { value: 'TEXT', help: '8 to 128 characters' },
  },
  async run(host, values) {
    const admin = await host.open();
    const given = values.text('password');
    const wish = { email: values.need('email'), name: values.need('name'), password: given };
    const { user, password } = await createUser(admin, wish);
    return {
      lines: [`User ${user.email} made: ${user.id}`, ...once(given, password)],
      data: { user, ...(given === undefined ? { password } : {}) },
    };
  },
};

const userPassword: Command = {
  name: 'user password',
  help: 'set a new password and end every session of the user',
  options: {
    email: emailOption,
    password: { value: 'TEXT', help: '8 to 128 characters; drawn when left out' },
  },
  async run(host, values) {
    const admin = await host.open();
    const user = await userOf(admin, values.need('email'));
    const given = values.text('password');
    const password = await setPassword(admin, user, given);
    return {
      lines: [`New password for ${user.email}; every session of theirs is over.`, ...once(given, password)],
      data: { user, ...(given === undefined ? { password } : {}) },
    };
  },
};

const orgCreate: Command = {
  name: 'org create',
  help: 'make an organization',
  options: {
    name: { value: 'NAME', required: true, help: 'name of the merchant' },
    owner: { value: 'ADDRESS', help: 'user who owns it' },
  },
  async run(host, values) {
    const admin = await host.open();
    const address = values.text('owner');
    const owner = address === undefined ? null : await userOf(admin, address);
    const organization = await createOrganization(admin, values.need('name'));
    if (owner) await addMember(admin, { organizationId: organization.id, user: owner, role: 'owner' });
    return {
      lines: [
        `Organization ${organization.name} made: ${organization.id} (short name ${organization.slug})`,
        owner
          ? `Owner: ${owner.email}`
          : 'It has no owner yet: npm run admin -- org add-member --role owner …',
      ],
      data: { organization, owner },
    };
  },
};

const orgAddMember: Command = {
  name: 'org add-member',
  help: 'make a user a member, or change their role',
  options: {
    org: orgOption,
    email: emailOption,
    role: { value: MEMBER_ROLES.join('|'), required: true, help: 'what they may do' },
  },
  async run(host, values) {
    const role = readWord('role', values.need('role'), MEMBER_ROLES);
    const admin = await host.open();
    const organization = await organizationOf(admin, values.need('org'));
    const user = await userOf(admin, values.need('email'));
    await addMember(admin, { organizationId: organization.id, user, role });
    return {
      lines: [`${user.email} is ${role} of ${organization.name}.`],
      data: { organization, user, role },
    };
  },
};

const PLATFORM_ROLES = ['support', 'operator'] as const satisfies readonly PlatformRole[];

const supportGrant: Command = {
  name: 'support grant',
  help: 'make a user platform staff; they sign in anew',
  options: { email: emailOption, role: { value: PLATFORM_ROLES.join('|'), help: 'support when left out' } },
  async run(host, values) {
    const role = readWord('role', values.text('role') ?? 'support', PLATFORM_ROLES);
    const admin = await host.open();
    const user = await userOf(admin, values.need('email'));
    await setPlatformRole(admin, user, role);
    return {
      lines: [`${user.email} is ${role} of this installation.`],
      data: { user: { ...user, platformRole: role } },
    };
  },
};

const supportRevoke: Command = {
  name: 'support revoke',
  help: 'take the platform role; their sessions end at once',
  options: { email: emailOption },
  async run(host, values) {
    const admin = await host.open();
    const user = await userOf(admin, values.need('email'));
    if (user.platformRole === null) throw new UsageError(`${user.email} has no platform role.`);
    await setPlatformRole(admin, user, null);
    return {
      lines: [`${user.email} is ${user.platformRole} no longer.`],
      data: { user: { ...user, platformRole: null } },
    };
  },
};

export const accountCommands: readonly Command[] = [
  userCreate,
  userPassword,
  orgCreate,
  orgAddMember,
  supportGrant,
  supportRevoke,
];

function once(given: string | undefined, password: string): readonly string[] {
  return given === undefined ? [`Password: ${password}`, 'It is shown this once and stored nowhere.'] : [];
}
