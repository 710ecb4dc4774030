// What a command is, and what they all look up.
import type { AdminDeps, Organization, User } from '@/server/services/admin';
import { type Option, type Options, UsageError, type Values } from './args';

/** The product as the commands need it; nothing is opened before it is asked for. */
export interface AdminHost {
  /** @throws UsageError where the database is no file */
  databaseFile(): string;
  /** Brings the database up to date; without it, the file is. */
  migrate?(options: { noBackup: boolean }): Promise<{ applied: readonly string[]; copy: string | null }>;
  /** @throws UsageError when the database is not migrated */
  open(): Promise<AdminDeps>;
}

export interface Report {
  /** For people. */
  lines: readonly string[];
  /** For machines (`--json`). */
  data: unknown;
  /** Something that was looked at is not well: exit code 3. */
  unwell?: boolean;
}

export interface Command {
  /** What is typed, such as `user create`. */
  name: string;
  help: string;
  /** What stands behind the name without a dash. */
  operand?: string;
  options: Options;
  run(host: AdminHost, values: Values): Promise<Report>;
}

export const emailOption = {
  value: 'ADDRESS',
  required: true,
  help: 'mail address of the user',
} as const satisfies Option;
export const orgOption = {
  value: 'ORG',
  required: true,
  help: 'id or short name of the organization',
} as const satisfies Option;

/** @throws UsageError */
export async function userOf({ accounts }: AdminDeps, address: string): Promise<User> {
  const user = await accounts.userByEmail(address);
  if (user === null) {
    throw new UsageError(
      `There is no user ${address}. Make one: npm run admin -- user create --email ${address} …`,
    );
  }
  return user;
}

/** @throws UsageError */
export async function organizationOf({ accounts }: AdminDeps, idOrSlug: string): Promise<Organization> {
  const organization = await accounts.organization(idOrSlug);
  if (organization === null) {
    throw new UsageError(
      `There is no organization ${idOrSlug}. Make one: npm run admin -- org create --name …`,
    );
  }
  return organization;
}
