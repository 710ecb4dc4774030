import type { Queries, WriteQueries } from '@/server/ports/queries';
import { appQueries, appWrites } from './apps';
import { attemptQueries } from './attempts';
import { breakerQueries, breakerWrites } from './breakers';
import type { QueryDeps, WriteDeps } from './database';
import { deliveryQueries, deliveryWrites } from './deliveries';
import { dueQueries } from './due';
import { endpointQueries, endpointWrites } from './endpoints';
import { eventQueries } from './events';
import { keyQueries, keyWrites } from './keys';

/** Every read, on whichever handle it is given. */
export function makeQueries(deps: QueryDeps): Queries {
  return {
    ...appQueries(deps),
    ...endpointQueries(deps),
    ...eventQueries(deps),
    ...deliveryQueries(deps),
    ...dueQueries(deps),
    ...attemptQueries(deps),
    ...breakerQueries(deps),
    ...keyQueries(deps),
  };
}

/** Every write but the hot path's; only ever inside a transaction. */
export function makeWriteQueries(deps: WriteDeps): WriteQueries {
  return {
    ...appWrites(deps),
    ...endpointWrites(deps),
    ...deliveryWrites(deps),
    ...breakerWrites(deps),
    ...keyWrites(deps),
  };
}
