import type { Database as Connection } from 'better-sqlite3';
import type { PublishResult, PublishUnit } from '@/server/ports/store';
import { toStoreError } from './errors';
import type { LaneReader } from './lane';
import type { Publisher, PublishScenes } from './publish';
import type { Writer } from './writer';

const GROUP_ROWS = 200;

interface Waiting {
  unit: PublishUnit;
  resolve: (result: PublishResult) => void;
  reject: (error: unknown) => void;
}

/** What became of a unit inside the transaction; told to its publisher once that is durable. */
type Told = () => void;

/**
 * Group commit of publishes: what arrives until the next turn of the event loop, and while a transaction runs, shares
 * one transaction of at most 200 rows, each unit in a savepoint of its own. Never on a timer.
 */
export function createPublishQueue(deps: {
  db: Connection;
  writer: Writer;
  publisher: Publisher;
  lanes: LaneReader;
}): (unit: PublishUnit) => Promise<PublishResult> {
  const { db, writer, publisher, lanes } = deps;
  const savepoint = db.prepare('SAVEPOINT unit');
  const releaseUnit = db.prepare('RELEASE unit');
  const rollbackUnit = db.prepare('ROLLBACK TO unit');
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

  const writeOne = ({ unit, resolve, reject }: Waiting, scenes: PublishScenes): Told => {
    savepoint.run();
    try {
      const result = publisher.write(unit, scenes);
      releaseUnit.run();
      return () => resolve(result);
    } catch (error) {
      // A fault of the disk ends the whole transaction; anything else is this unit's own.
      if (!db.inTransaction) throw error;
      rollbackUnit.run();
      releaseUnit.run();
      return () => reject(toStoreError(error));
    }
  };

  const flush = async () => {
    let group: Waiting[] = [];
    try {
      const told = await writer.run(() => {
        group = takeGroup();
        const scenes = publisher.scenes(lanes.open(0));
        return group.map((each) => writeOne(each, scenes));
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
