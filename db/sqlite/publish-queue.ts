import type { Database as Connection } from 'better-sqlite3';
import type { PublishResult, PublishUnit } from '@/server/ports/store';
import { toStoreError } from './errors';
import type { LaneReader } from './lane';
import type { Publisher } from './publish';
import type { Writer } from './writer';

const GROUP_ROWS = 200;

interface Waiting {
  unit: PublishUnit;
  resolve: (result: PublishResult) => void;
  reject: (error: unknown) => void;
}

/** What became of a unit inside the transaction; told to its publisher once that is durable. */
type Told = () => void;

interface QueueDeps {
  db: Connection;
  writer: Writer;
  publisher: Publisher;
  lanes: LaneReader;
}

function createGroupWriter({ db, publisher, lanes }: QueueDeps): (group: readonly Waiting[]) => Told[] {
  const savepoint = db.prepare('SAVEPOINT unit');
  const release = db.prepare('RELEASE unit');
  const rollback = db.prepare('ROLLBACK TO unit');

  /** All of `work`, or nothing of it. A fault of the disk has ended the whole transaction already. */
  const apart = <T>(work: () => T, otherwise: (error: unknown) => T): T => {
    savepoint.run();
    try {
      const result = work();
      release.run();
      return result;
    } catch (error) {
      if (!db.inTransaction) throw error;
      rollback.run();
      release.run();
      return otherwise(error);
    }
  };

  const writeTogether = (group: readonly Waiting[]): Told[] => {
    const scenes = publisher.scenes(lanes.open(0));
    return group.map(({ unit, resolve }) => {
      const result = publisher.write(unit, scenes);
      return () => resolve(result);
    });
  };

  /** Each unit in a savepoint of its own, so that a bad one takes no neighbour with it. */
  const writeApart = (group: readonly Waiting[]): Told[] =>
    group.map(({ unit, resolve, reject }) =>
      apart<Told>(
        () => {
          const result = publisher.write(unit, publisher.scenes(lanes.open(0)));
          return () => resolve(result);
        },
        (error) => () => reject(toStoreError(error)),
      ),
    );

  // A savepoint copies every page that is touched in it: one alone needs none, and the group shares one while none is bad.
  return (group) => {
    if (group.length === 1) return writeTogether(group);
    return apart(
      () => writeTogether(group),
      () => writeApart(group),
    );
  };
}

/**
 * Group commit of publishes: what arrives until the next turn of the event loop, and while a transaction runs, shares
 * one transaction of at most 200 rows; a bad unit rolls back none of its neighbours. Never on a timer.
 */
export function createPublishQueue(deps: QueueDeps): (unit: PublishUnit) => Promise<PublishResult> {
  const writeGroup = createGroupWriter(deps);
  const waiting: Waiting[] = [];
  let scheduled = false;

  const takeGroup = (): Waiting[] => {
    let rows = 0;
    let count = 0;
    for (const { unit } of waiting) {
      rows += Math.max(unit.records.length, 1);
      if (count > 0 && rows > GROUP_ROWS) break;
      count += 1;
    }
    return waiting.splice(0, count);
  };

  const flush = async () => {
    let group: Waiting[] = [];
    try {
      const told = await deps.writer.run(() => {
        group = takeGroup();
        return writeGroup(group);
      });
      for (const tell of told) tell();
    } catch (error) {
      for (const { reject } of group.length > 0 ? group : takeGroup()) reject(error);
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
