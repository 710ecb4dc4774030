// What the tests know of the installation that server.mjs makes for them.

export const PEOPLE = ['owner', 'viewer', 'support', 'stranger'] as const;
export type Person = (typeof PEOPLE)[number];

export const APPS = ['shop', 'limits', 'gallery', 'other'] as const;
export type AppName = (typeof APPS)[number];

export interface App {
  id: string;
  name: string;
  /** Keys of both environments, each with every scope a merchant's key may carry. */
  keys: { test: string; live: string };
}

export interface Facts {
  people: Record<Person, { email: string; password: string }>;
  apps: Record<AppName, App>;
}

export const SCOPES =
  'events:write,events:read,deliveries:read,deliveries:write,endpoints:read,endpoints:write';
