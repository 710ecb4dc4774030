import { dirname } from 'node:path';
import { z } from 'zod';
import {
  databaseUrl,
  flag,
  isLoopbackHost,
  isSampleKey,
  isSampleSecret,
  logLevel,
  masterKeys,
  networks,
  origin,
  secretText,
  wholeNumber,
  word,
} from '@/server/env-fields';

/** Every variable by itself. */
export const fields = z.object({
  NODE_ENV: word(['production', 'development', 'test'], 'production'),
  PORT: wholeNumber(3000, 1, 65_535),
  HOST: z
    .string()
    .regex(/^(?=.{1,253}$)[A-Za-z0-9.:-]+$/, {
      error: 'write an address to listen on, such as 127.0.0.1 or 0.0.0.0.',
    })
    .optional(),
  PUBLIC_URL: origin.optional(),
  DATABASE_URL: databaseUrl,
  HOOKLADDER_MASTER_KEY: masterKeys,
  HOOKLADDER_SESSION_SECRET: secretText(32).optional(),
  HOOKLADDER_ROLE: word(['all', 'console', 'engine'], 'all'),
  HOOKLADDER_DEMO: flag,
  HOOKLADDER_ALLOW_NETWORKS: networks,
  HOOKLADDER_CONCURRENCY: wholeNumber(256, 1, 10_000),
  HOOKLADDER_ENDPOINT_CONCURRENCY: wholeNumber(8, 1, 1_000),
  HOOKLADDER_DISPATCH_TOKEN: secretText(16).optional(),
  HOOKLADDER_METRICS_TOKEN: secretText(16).optional(),
  HOOKLADDER_TRUSTED_PROXIES: networks,
  HOOKLADDER_RETENTION_DAYS: wholeNumber(30, 1, 3_650),
  SMTP_URL: z
    .string()
    .regex(/^smtps?:\/\/[^\s/]+/, {
      error: 'write the mail server, such as smtps://user:password@mail.example.com.',
    })
    .optional(),
  MAIL_FROM: z
    .string()
    .regex(/^[^\r\n]*[^\s@<]+@[^\s@>]+>?$/, {
      error: 'write a sender, such as Hookladder <hooks@example.com>.',
    })
    .optional(),
  LOG_LEVEL: logLevel,
  NODE_TLS_REJECT_UNAUTHORIZED: z.string().optional(),
});

export type Fields = z.output<typeof fields>;

/** What the cross rules look at: the variables, and what follows from them and the machine. */
export interface Draft {
  set: Fields;
  demo: boolean;
  folder: 'demo' | 'other' | 'none';
  host: string;
  publicUrl: string;
  databaseFile: string;
  /** Real traffic: production, and not the demo. */
  strict: boolean;
  worldReadable: readonly string[];
}

/** A rule over several variables: whether it is broken, whose value is to change, and to what. */
interface Rule {
  name: keyof Fields;
  broken(draft: Draft): boolean;
  message(draft: Draft): string;
}

/** What the variables must hold together, and what production refuses. */
export const RULES: readonly Rule[] = [
  {
    name: 'HOOKLADDER_DEMO',
    broken: ({ set, folder }) => set.HOOKLADDER_DEMO === false && folder === 'demo',
    message: ({ databaseFile }) =>
      `${dirname(databaseFile)} was made as a demo and stays one: remove the variable, or name another DATABASE_URL.`,
  },
  {
    name: 'HOOKLADDER_DEMO',
    broken: ({ set, folder }) => set.HOOKLADDER_DEMO === true && folder === 'other',
    message: ({ databaseFile }) =>
      `${dirname(databaseFile)} is in use and is no demo: remove the variable, or name an empty folder in DATABASE_URL.`,
  },
  {
    name: 'HOST',
    broken: ({ demo, host }) => demo && !isLoopbackHost(host),
    message: () => 'the demo listens on this machine only: remove the variable, or write 127.0.0.1.',
  },
  {
    name: 'HOOKLADDER_MASTER_KEY',
    broken: ({ set, demo }) => !demo && set.HOOKLADDER_MASTER_KEY.length === 0,
    message: () =>
      'endpoint secrets are sealed with it: write 32 bytes of base64, made with: openssl rand -base64 32',
  },
  {
    name: 'HOOKLADDER_MASTER_KEY',
    broken: ({ set, strict }) => strict && set.HOOKLADDER_MASTER_KEY.some(isSampleKey),
    message: () => 'this is a sample key, which everybody knows: make your own with: openssl rand -base64 32',
  },
  {
    name: 'HOOKLADDER_SESSION_SECRET',
    broken: ({ set, demo }) =>
      !demo && set.HOOKLADDER_ROLE !== 'engine' && set.HOOKLADDER_SESSION_SECRET === undefined,
    message: () =>
      'sessions are signed with it: write at least 32 characters, made with: openssl rand -base64 32',
  },
  {
    name: 'HOOKLADDER_SESSION_SECRET',
    broken: ({ set, strict }) =>
      strict && set.HOOKLADDER_SESSION_SECRET !== undefined && isSampleSecret(set.HOOKLADDER_SESSION_SECRET),
    message: () => 'this is a placeholder: make your own with: openssl rand -base64 32',
  },
  {
    name: 'PUBLIC_URL',
    broken: ({ strict, publicUrl }) =>
      strict && publicUrl.startsWith('http:') && !isLoopbackHost(new URL(publicUrl).hostname),
    message: () =>
      'sessions and keys would travel unencrypted: write the https:// origin of the proxy in front.',
  },
  {
    name: 'NODE_TLS_REJECT_UNAUTHORIZED',
    broken: ({ set, strict }) => strict && set.NODE_TLS_REJECT_UNAUTHORIZED === '0',
    message: () => 'it switches off the check of every receiver’s certificate: remove the variable.',
  },
  {
    name: 'DATABASE_URL',
    broken: ({ strict, worldReadable }) => strict && worldReadable.length > 0,
    message: ({ worldReadable }) =>
      `everybody on this machine may read it: chmod 600 ${worldReadable.join(' ')}`,
  },
  {
    name: 'MAIL_FROM',
    broken: ({ set }) => set.SMTP_URL !== undefined && set.MAIL_FROM === undefined,
    message: () => 'SMTP_URL is set: write the sender of its mails, such as Hookladder <hooks@example.com>.',
  },
];
