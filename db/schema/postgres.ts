import { postgresKit } from './kit-postgres';
import { makeTables } from './tables';

/** The tables on PostgreSQL; drizzle-kit reads them from here. */
export const schema = makeTables(postgresKit);

export const {
  apps,
  policies,
  appEnvironments,
  eventTypes,
  endpoints,
  endpointSecrets,
  events,
  deliveries,
  breakers,
  attempts,
  breakerEvents,
  gateIntervals,
  apiKeys,
  idempotencyKeys,
  auditLog,
  receivers,
  meta,
  user,
  session,
  account,
  verification,
  organization,
  member,
  invitation,
} = schema;
