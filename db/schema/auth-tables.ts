import type { Kit } from './kit';

/** Better Auth's tables, in the shape that its organization plugin expects; `user` has a platform role besides. */
export function makeAuthTables(kit: Kit) {
  const { table, text, bool, date, index, uniqueIndex } = kit;

  const user = table(
    'user',
    {
      id: text('id').primaryKey(),
      name: text('name').notNull(),
      email: text('email').notNull(),
      emailVerified: bool('email_verified').notNull().default(false),
      image: text('image'),
      createdAt: date('created_at').notNull(),
      updatedAt: date('updated_at').notNull(),
      platformRole: text('platform_role'),
    },
    (t) => [uniqueIndex('user_email').on(t.email)],
  );

  const session = table(
    'session',
    {
      id: text('id').primaryKey(),
      expiresAt: date('expires_at').notNull(),
      token: text('token').notNull(),
      createdAt: date('created_at').notNull(),
      updatedAt: date('updated_at').notNull(),
      ipAddress: text('ip_address'),
      userAgent: text('user_agent'),
      userId: text('user_id')
        .notNull()
        .references(() => user.id, { onDelete: 'cascade' }),
      activeOrganizationId: text('active_organization_id'),
    },
    (t) => [uniqueIndex('session_token').on(t.token), index('session_user').on(t.userId)],
  );

  const account = table(
    'account',
    {
      id: text('id').primaryKey(),
      accountId: text('account_id').notNull(),
      providerId: text('provider_id').notNull(),
      userId: text('user_id')
        .notNull()
        .references(() => user.id, { onDelete: 'cascade' }),
      accessToken: text('access_token'),
      refreshToken: text('refresh_token'),
      idToken: text('id_token'),
      accessTokenExpiresAt: date('access_token_expires_at'),
      refreshTokenExpiresAt: date('refresh_token_expires_at'),
      scope: text('scope'),
      password: text('password'),
      createdAt: date('created_at').notNull(),
      updatedAt: date('updated_at').notNull(),
    },
    (t) => [index('account_user').on(t.userId)],
  );

  const verification = table(
    'verification',
    {
      id: text('id').primaryKey(),
      identifier: text('identifier').notNull(),
      value: text('value').notNull(),
      expiresAt: date('expires_at').notNull(),
      createdAt: date('created_at').notNull(),
      updatedAt: date('updated_at').notNull(),
    },
    (t) => [index('verification_identifier').on(t.identifier)],
  );

  const organization = table(
    'organization',
    {
      id: text('id').primaryKey(),
      name: text('name').notNull(),
      slug: text('slug').notNull(),
      logo: text('logo'),
      createdAt: date('created_at').notNull(),
      metadata: text('metadata'),
    },
    (t) => [uniqueIndex('organization_slug').on(t.slug)],
  );

  const member = table(
    'member',
    {
      id: text('id').primaryKey(),
      organizationId: text('organization_id')
        .notNull()
        .references(() => organization.id, { onDelete: 'cascade' }),
      userId: text('user_id')
        .notNull()
        .references(() => user.id, { onDelete: 'cascade' }),
      role: text('role').notNull().default('member'),
      createdAt: date('created_at').notNull(),
    },
    (t) => [index('member_organization').on(t.organizationId), index('member_user').on(t.userId)],
  );

  const invitation = table(
    'invitation',
    {
      id: text('id').primaryKey(),
      organizationId: text('organization_id')
        .notNull()
        .references(() => organization.id, { onDelete: 'cascade' }),
      email: text('email').notNull(),
      role: text('role'),
      status: text('status').notNull().default('pending'),
      expiresAt: date('expires_at').notNull(),
      createdAt: date('created_at').notNull(),
      inviterId: text('inviter_id')
        .notNull()
        .references(() => user.id, { onDelete: 'cascade' }),
    },
    (t) => [
      index('invitation_organization').on(t.organizationId),
      index('invitation_email').on(t.email),
      index('invitation_inviter').on(t.inviterId),
    ],
  );

  return { user, session, account, verification, organization, member, invitation };
}
