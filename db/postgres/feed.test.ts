import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import type { EventRow } from '@/server/ports/records';
import type { Store } from '@/server/ports/store';
import { createTestPostgresStore } from '@/server/testing/temp-postgres';
import { type Bed, createBed } from '../conformance/bed.conformance';

async function withBed(work: (bed: Bed, other: Store, beside: pg.Client) => Promise<void>): Promise<void> {
  const store = await createTestPostgresStore();
  const other = await createTestPostgresStore({ url: store.url });
  const beside = new pg.Client({ connectionString: store.url });
  await beside.connect();
  const nothing = async () => undefined;
  const harness = {
    store,
    another: async () => other,
    damage: nothing,
    exec: nothing,
    rows: async (sql: string) => (await beside.query(sql)).rows,
    close: nothing,
  };
  try {
    await work(await createBed(harness), other, beside);
  } finally {
    await beside.end();
    await other.close();
    await store.close();
  }
}

/** One who catches up page by page, as a merchant does: what lies behind the cursor is never asked for again. */
function createReader(bed: Bed, limit = 3) {
  const seen: EventRow[] = [];
  let cursor: number | null = null;
  return {
    seen: () => seen.map(({ publicId }) => publicId),
    async readOn() {
      for (;;) {
        const scope = { appId: bed.app.id, environment: 'test' as const };
        const page: readonly EventRow[] = await bed.store.read.events({
          ...scope,
          order: 'asc',
          limit,
          cursor,
        });
        seen.push(...page);
        cursor = page.at(-1)?.id ?? cursor;
        if (page.length < limit) return;
      }
    },
  };
}

/** A transaction that has published and is not committed until it is let go. */
function heldPublish(store: Store, bed: Bed, records = [bed.record()]) {
  let letGo = () => {};
  let published = () => {};
  const isPublished = new Promise<void>((resolve) => {
    published = resolve;
  });
  const done = store.transact(async (tx) => {
    await tx.publish({ records });
    published();
    await new Promise<void>((resolve) => {
      letGo = resolve;
    });
  });
  return { isPublished, ids: records.map(({ publicId }) => publicId), letGo: () => letGo(), done };
}

describe('events in the order of their ids', () => {
  it('O34 end before what a transaction holds open while others commit: whoever catches up loses none', async () => {
    await withBed(async (bed, other) => {
      const reader = createReader(bed);
      const before = [(await bed.publish()).publicId, (await bed.publish()).publicId];
      const held = heldPublish(other, bed);
      await held.isPublished;
      const after = [];
      for (let n = 0; n < 7; n += 1) after.push((await bed.publish()).publicId);
      await reader.readOn();
      expect(reader.seen()).toEqual(before);
      // Newest first shows what there is, as ever.
      const newest = await bed.store.read.events({ appId: bed.app.id, environment: 'test', limit: 100 });
      expect(newest).toHaveLength(9);
      held.letGo();
      await held.done;
      await reader.readOn();
      expect(reader.seen()).toEqual([...before, ...held.ids, ...after]);
    });
  }, 60_000);

  it('O34 also before the very first event', async () => {
    await withBed(async (bed, other) => {
      const reader = createReader(bed);
      const held = heldPublish(other, bed);
      await held.isPublished;
      const second = (await bed.publish()).publicId;
      await reader.readOn();
      expect(reader.seen()).toEqual([]);
      held.letGo();
      await held.done;
      await reader.readOn();
      expect(reader.seen()).toEqual([...held.ids, second]);
    });
  }, 60_000);

  it('O34 one that is undone holds nobody up, in part or as a whole', async () => {
    await withBed(async (bed, other) => {
      const reader = createReader(bed);
      const failing = other.transact(async (tx) => {
        await tx.publish({ records: [bed.record()] });
        throw new Error('changed my mind');
      });
      await expect(failing).rejects.toThrow('changed my mind');
      const twin = bed.record();
      const group = await Promise.allSettled([
        bed.store.publish({ records: [twin, twin] }),
        bed.store.publish({ records: [bed.record()] }),
      ]);
      expect(group.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
      await reader.readOn();
      expect(reader.seen()).toHaveLength(1);
    });
  }, 60_000);

  it('O34 rows that are written past the store are waited for too', async () => {
    await withBed(async (bed, _other, beside) => {
      const first = (await bed.publish()).publicId;
      await beside.query('BEGIN');
      await beside.query(
        `INSERT INTO events (public_id, app_id, environment, type, content_type, body_sha256, created_at, money,
           matched_at_publish, body)
         SELECT 'evt_beside', app_id, environment, type, content_type, body_sha256, created_at, money,
           matched_at_publish, body FROM events`,
      );
      const last = (await bed.publish()).publicId;
      const reader = createReader(bed);
      await reader.readOn();
      expect(reader.seen()).toEqual([first]);
      await beside.query('COMMIT');
      await reader.readOn();
      expect(reader.seen()).toEqual([first, 'evt_beside', last]);
    });
  }, 60_000);

  it('O34 a reader beside many publishers, some of them slow, reads each event once and in order', async () => {
    await withBed(async (bed, other) => {
      const reader = createReader(bed, 20);
      const published: string[] = [];
      let writing = true;
      const write = async (of: Store, n: number) => {
        for (let nth = 0; nth < n; nth += 1) {
          const records = [bed.record(), bed.record()];
          if (nth % 3 === 0) {
            await of.transact(async (tx) => {
              await tx.publish({ records });
              await wait(nth % 15);
            });
          } else await of.publish({ records });
          published.push(...records.map(({ publicId }) => publicId));
        }
      };
      const read = async () => {
        while (writing) await reader.readOn();
      };
      const reading = read();
      await Promise.all([write(bed.store, 30), write(bed.store, 30), write(other, 30), write(other, 30)]);
      writing = false;
      await reading;
      await reader.readOn();
      expect([...reader.seen()].sort()).toEqual([...published].sort());
    });
  }, 120_000);
});
