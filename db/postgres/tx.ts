import type pg from 'pg';
import type { Queries, WriteQueries } from '@/server/ports/queries';
import type { Tx } from '@/server/ports/store';
import { makeQueries, makeWriteQueries } from '../queries/queries';
import { schema } from '../schema/postgres';
import { type Client, select } from './connect';
import { handleOf } from './handle';
import type { Publisher } from './publish';
import { lockName, lockScopes } from './scope-lock';
import type { Transaction } from './transactions';

/** More rounds than this, and the rows change as fast as they are read. */
const MOST_ROUNDS = 5;

const lockText = (table: string, condition: string, how = 'NO KEY UPDATE') =>
  `SELECT id FROM ${table} WHERE ${condition} ORDER BY id FOR ${how}`;
const DELIVERIES = lockText('deliveries', 'id = ANY($1::bigint[])');
const DELIVERIES_OF_EVENTS = lockText('deliveries', 'event_id = ANY($1::bigint[])');
const DELIVERIES_TO_DELETE = lockText('deliveries', 'endpoint_id = $1', 'UPDATE');
const ENDPOINT = lockText('endpoints', 'id = $1');
const ENDPOINT_TO_DELETE = lockText('endpoints', 'id = $1', 'UPDATE');
const ENDPOINT_BY_PUBLIC_ID = lockText('endpoints', 'public_id = $1');
const BREAKERS = lockText('breakers', 'id = ANY($1::bigint[])');
const ENVIRONMENT = `SELECT app_id FROM app_environments WHERE app_id = $1 AND environment = $2 FOR NO KEY UPDATE`;

/** Reads, locks what was read, and reads again, until what is read is what is locked. */
async function lockedRead<R extends { id: number }>(
  client: Client,
  lock: string,
  read: () => Promise<readonly R[]>,
): Promise<readonly R[]> {
  const held = new Set<number>();
  let rows = await read();
  for (let round = 0; round < MOST_ROUNDS && rows.some(({ id }) => !held.has(id)); round += 1) {
    const ids = rows.map(({ id }) => id);
    await select(client, lock, [ids]);
    for (const id of ids) held.add(id);
    rows = await read();
  }
  return rows.filter(({ id }) => held.has(id));
}

type LockedReads = Pick<
  Queries,
  | 'delivery'
  | 'deliveries'
  | 'deliveriesOfEvents'
  | 'endpoint'
  | 'endpointById'
  | 'breaker'
  | 'breakerFor'
  | 'breakers'
  | 'auditCount'
>;

/**
 * What a service may write back whole is read under the lock of its row: on SQLite a transaction is alone, here it is
 * alone with what it has read.
 */
function lockedReads(client: Client, plain: Queries): LockedReads {
  const one = async <R extends { id: number }>(
    lock: string,
    read: () => Promise<R | null>,
  ): Promise<R | null> => {
    const [row] = await lockedRead(client, lock, async () => {
      const found = await read();
      return found === null ? [] : [found];
    });
    return row ?? null;
  };
  return {
    async delivery(id) {
      await select(client, DELIVERIES, [[id]]);
      return plain.delivery(id);
    },
    deliveries: (filter) => lockedRead(client, DELIVERIES, () => plain.deliveries(filter)),
    async deliveriesOfEvents(eventIds) {
      await select(client, DELIVERIES_OF_EVENTS, [eventIds]);
      return plain.deliveriesOfEvents(eventIds);
    },
    async endpoint(publicId) {
      await select(client, ENDPOINT_BY_PUBLIC_ID, [publicId]);
      return plain.endpoint(publicId);
    },
    async endpointById(id) {
      await select(client, ENDPOINT, [id]);
      return plain.endpointById(id);
    },
    breaker: (publicId) => one(BREAKERS, () => plain.breaker(publicId)),
    breakerFor: (endpoint, policy) => one(BREAKERS, () => plain.breakerFor(endpoint, policy)),
    breakers: (scope) => lockedRead(client, BREAKERS, () => plain.breakers(scope)),
    // Whoever counts is about to add one: two that count at once would both find room.
    async auditCount(query) {
      await lockName(client, `audit ${query.appId} ${query.action}`, 'exclusive');
      return plain.auditCount(query);
    },
  };
}

type LockedWrites = Pick<
  WriteQueries,
  'insertPolicy' | 'insertEndpoint' | 'updateEndpoint' | 'deleteEndpoint'
>;

function lockedWrites(client: Client, plain: WriteQueries & Queries): LockedWrites {
  return {
    async insertPolicy(scope, policy, now) {
      await select(client, ENVIRONMENT, [scope.appId, scope.environment]);
      return plain.insertPolicy(scope, policy, now);
    },
    async insertEndpoint(endpoint) {
      await lockScopes(client, [endpoint.scope], 'exclusive');
      return plain.insertEndpoint(endpoint);
    },
    async updateEndpoint(id, change, now) {
      if (change.status !== undefined || change.types !== undefined) {
        const row = await plain.endpointById(id);
        if (row !== null) await lockScopes(client, [row], 'exclusive');
      }
      return plain.updateEndpoint(id, change, now);
    },
    async deleteEndpoint(id) {
      // Deliveries before their endpoint, as everyone does; those that came meanwhile find it locked from then on.
      await select(client, DELIVERIES_TO_DELETE, [id]);
      await select(client, ENDPOINT_TO_DELETE, [id]);
      await select(client, DELIVERIES_TO_DELETE, [id]);
      return plain.deleteEndpoint(id);
    },
  };
}

export interface TxDeps {
  newId: (prefix: string) => string;
  publisher: Publisher;
}

/** The handle that a service is given: every query and write, inside its transaction. */
export function makeTx(
  transaction: Transaction & { client: pg.PoolClient },
  { newId, publisher }: TxDeps,
): Tx {
  const { client } = transaction;
  const db = handleOf(client);
  const note: Transaction['note'] = (change) => transaction.note(change);
  const plain = { ...makeQueries({ db, schema }), ...makeWriteQueries({ db, schema, note, newId }) };
  return {
    ...plain,
    ...lockedReads(client, plain),
    ...lockedWrites(client, plain),
    async publish(unit) {
      const [result] = await publisher.write(transaction, [unit]);
      if (result === undefined) throw new Error('The unit was not written.');
      return result;
    },
  };
}
