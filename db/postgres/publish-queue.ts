import type { PublishResult, PublishUnit } from '@/server/ports/store';
import { isForeignKeyFault, isLost, isOutrun, Outrun, toStoreError } from './errors';
import { keyName } from './keys';
import type { Publisher } from './publish';
import type { Transaction, Transactions } from './transactions';

const GROUP_ROWS = 200;
/** How often a unit is planned anew because an endpoint went while it was written. */
const MOST_TRIES = 3;

interface Waiting {
  unit: PublishUnit;
  resolve: (result: PublishResult) => void;
  reject: (error: unknown) => void;
}

/** What became of a unit inside the transaction; told to its publisher once that is durable. */
type Told = () => void;

/** All of `work`, or nothing of it; a fault that ends the transaction is thrown. */
async function apart<T>(
  { client }: Transaction,
  work: () => Promise<T>,
  otherwise: (error: unknown) => Promise<T>,
): Promise<T> {
  await client.query('SAVEPOINT unit');
  try {
    const result = await work();
    await client.query('RELEASE unit');
    return result;
  } catch (error) {
    if (isLost(error) || isOutrun(error)) throw error;
    await client.query('ROLLBACK TO unit');
    await client.query('RELEASE unit');
    return otherwise(error);
  }
}

/** As many as share a transaction: of at most 200 rows, no two of one key. */
function takeGroup(waiting: Waiting[]): Waiting[] {
  const keys = new Set<string>();
  let rows = 0;
  let count = 0;
  for (const { unit } of waiting) {
    rows += Math.max(unit.records.length, 1);
    const key = keyName(unit);
    if ((count > 0 && rows > GROUP_ROWS) || (key !== null && keys.has(key))) break;
    if (key !== null) keys.add(key);
    count += 1;
  }
  return waiting.splice(0, count);
}

function createGroupWriter(publisher: Publisher) {
  const writeTogether = async (transaction: Transaction, group: readonly Waiting[]): Promise<Told[]> => {
    const results = await publisher.write(
      transaction,
      group.map(({ unit }) => unit),
    );
    return group.map(({ resolve, reject }, nth) => {
      const result = results[nth];
      return () => (result === undefined ? reject(new Error('A unit was not written.')) : resolve(result));
    });
  };

  const writeOne = (transaction: Transaction, one: Waiting, tries: number): Promise<Told> =>
    apart<Told>(
      transaction,
      async () => {
        const [told] = await writeTogether(transaction, [one]);
        return told ?? (() => undefined);
      },
      (error) => {
        // An endpoint that matched has gone meanwhile: it matches no more.
        if (isForeignKeyFault(error) && tries < MOST_TRIES) return writeOne(transaction, one, tries + 1);
        return Promise.resolve(() => one.reject(toStoreError(error)));
      },
    );

  /** Each unit in a savepoint of its own, so that a bad one takes no neighbour with it. */
  const writeApart = async (transaction: Transaction, group: readonly Waiting[]): Promise<Told[]> => {
    const told: Told[] = [];
    for (const one of group) told.push(await writeOne(transaction, one, 1));
    return told;
  };

  /** Alone in its transaction, it needs no savepoint. */
  const writeAlone = async (transaction: Transaction, one: readonly Waiting[]): Promise<Told[]> => {
    try {
      return await writeTogether(transaction, one);
    } catch (error) {
      if (isForeignKeyFault(error)) throw new Outrun('An endpoint that matched has gone.', { cause: error });
      throw error;
    }
  };

  return (transaction: Transaction, group: readonly Waiting[]) => {
    if (group.length === 1) return writeAlone(transaction, group);
    return apart(
      transaction,
      () => writeTogether(transaction, group),
      () => writeApart(transaction, group),
    );
  };
}

/**
 * Group commit of publishes: what arrives until the next turn of the event loop, and while a transaction runs, shares
 * one transaction of at most 200 rows; a bad unit rolls back none of its neighbours. Never on a timer.
 */
export function createPublishQueue(
  transactions: Transactions,
  publisher: Publisher,
): (unit: PublishUnit) => Promise<PublishResult> {
  const writeGroup = createGroupWriter(publisher);
  const waiting: Waiting[] = [];
  let scheduled = false;

  const flush = async () => {
    const group = takeGroup(waiting);
    try {
      const told = await transactions.run((transaction) => writeGroup(transaction, group));
      for (const tell of told) tell();
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
    scheduled = false;
    schedule();
  };

  const schedule = () => {
    if (scheduled || waiting.length === 0) return;
    scheduled = true;
    setImmediate(() => void flush());
  };

  return (unit) =>
    new Promise((resolve, reject) => {
      waiting.push({ unit, resolve, reject });
      schedule();
    });
}
