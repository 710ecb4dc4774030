// Finding the object that an id names: absent, foreign and malformed ids answer alike (D02).
import { readDerivedId } from '@/server/core/ids';
import type { Environment } from '@/server/core/model';
import type { Queries } from '@/server/ports/queries';
import type {
  AppRow,
  AttemptRow,
  BreakerRow,
  DeliveryListRow,
  EndpointRow,
  EventWithBody,
} from '@/server/ports/records';
import { wrongEnvironment } from './access';
import type { Actor } from './actor';
import { notFound } from './service-error';

export interface Finder {
  actor: Actor;
  app: AppRow;
  /** Null: the object's own decides. */
  environment: Environment | null;
}

/** @throws ServiceError not_found, wrong_environment */
export async function findEvent(finder: Finder, queries: Queries, id: string): Promise<EventWithBody> {
  return owned(finder, await queries.event(id), id);
}

/** @throws ServiceError not_found, wrong_environment */
export async function findEndpoint(finder: Finder, queries: Queries, id: string): Promise<EndpointRow> {
  return owned(finder, await queries.endpoint(id), id);
}

/** An endpoint of the app in either environment: for what compares environments itself. @throws not_found */
export async function findEndpointAnywhere(
  finder: Finder,
  queries: Queries,
  id: string,
): Promise<EndpointRow> {
  return owned({ ...finder, environment: null }, await queries.endpoint(id), id);
}

/** @throws ServiceError not_found, wrong_environment */
export async function findBreaker(finder: Finder, queries: Queries, id: string): Promise<BreakerRow> {
  return owned(finder, await queries.breaker(id), id);
}

/** @throws ServiceError not_found, wrong_environment */
export async function findDelivery(finder: Finder, queries: Queries, id: string): Promise<DeliveryListRow> {
  const named = readDerivedId(id, 'dlv');
  const row = named === null ? null : await queries.delivery(named.seq);
  return owned(finder, row !== null && row.createdAt === named?.createdAt ? row : null, id);
}

/** The attempts of a delivery, by number. */
export async function attemptsOf(queries: Queries, deliveryId: number): Promise<AttemptRow[]> {
  return [...(await queries.attempts(deliveryId))].sort((a, b) => a.number - b.number || a.id - b.id);
}

function owned<T extends { appId: number; environment: Environment }>(
  finder: Finder,
  row: T | null,
  id: string,
): T {
  if (row === null) throw notFound();
  if (row.appId !== finder.app.id) throw notFound(id);
  if (finder.environment !== null && row.environment !== finder.environment) {
    if (finder.actor.kind !== 'key') throw notFound();
    throw wrongEnvironment(id, { organizationId: finder.app.organizationId, appId: finder.app.id });
  }
  return row;
}
