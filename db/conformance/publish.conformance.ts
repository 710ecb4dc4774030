import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { PublishRecord, PublishUnit } from '@/server/ports/store';
import { type Bed, T0, TWO_LADDER, type WithBed } from './bed.conformance';

type Keyed = NonNullable<PublishUnit['idempotency']>;

const keyed = (bed: Bed, change: Partial<Keyed> = {}): Keyed => ({
  appId: bed.app.id,
  environment: 'test',
  key: 'k-1',
  contentHash: 'hash-1',
  createdAt: T0,
  answer: (events) => ({ status: 201, body: JSON.stringify(events.map(({ publicId }) => publicId)) }),
  ...change,
});

export function describePublish(withBed: WithBed): void {
  it('R-PUB-1 an event and one delivery per matching endpoint are written together', async () => {
    await withBed(async (bed) => {
      const [a, b] = [await bed.addEndpoint(), await bed.addEndpoint()];
      const event = await bed.publish({ type: 'order.created' });
      expect(event.matchedAtPublish).toBe(2);
      expect(event.deliveries).toMatchObject([
        {
          endpointId: a.id,
          endpointPublicId: a.publicId,
          endpointNumber: 1,
          status: 'pending',
          reason: 'waiting',
        },
        {
          endpointId: b.id,
          endpointPublicId: b.publicId,
          endpointNumber: 2,
          status: 'pending',
          reason: 'waiting',
        },
      ]);
      const rows = await bed.store.read.deliveriesOfEvents([event.id]);
      expect(rows.map(({ endpointId, dueAt, attempts }) => [endpointId, dueAt, attempts])).toEqual([
        [a.id, T0, 0],
        [b.id, T0, 0],
      ]);
    });
  });

  it('R-PUB-1 P05 O30 P25 an exception after publishing in a transaction leaves neither row', async () => {
    await withBed(async (bed) => {
      await bed.addEndpoint();
      const record = bed.record();
      const failing = bed.store.transact(async (tx) => {
        await tx.publish({ records: [record] });
        await tx.setMeta('beside', '1');
        expect(await tx.event(record.publicId)).not.toBeNull();
        await Promise.resolve();
        throw new Error('changed my mind');
      });
      await expect(failing).rejects.toThrow('changed my mind');
      expect(await bed.store.read.event(record.publicId)).toBeNull();
      expect(await bed.store.read.meta('beside')).toBeNull();
      expect(await bed.rows('SELECT count(*) AS n FROM deliveries')).toEqual([{ n: 0 }]);
      expect((await bed.publish()).deliveries).toHaveLength(1);
    });
  });

  it('R-PUB-1 inside a transaction a publish sees what the transaction wrote before it', async () => {
    await withBed(async (bed) => {
      const endpoint = await bed.addEndpoint();
      const result = await bed.store.transact(async (tx) => {
        await tx.updateEndpoint(endpoint.id, { types: ['refund.*'] }, T0);
        return tx.publish({ records: [bed.record(), bed.record({ type: 'refund.completed' })] });
      });
      if (result.kind !== 'published') throw new Error(result.kind);
      expect(result.events.map(({ matchedAtPublish }) => matchedAtPublish)).toEqual([0, 1]);
    });
  });

  it('R-PUB-2 matching: same app, same environment, active or paused, filter; a test send ignores filter and status', async () => {
    await withBed(async (bed) => {
      const other = await bed.addApp();
      const exact = await bed.addEndpoint({ types: ['order.created'] });
      const prefix = await bed.addEndpoint({ types: ['order.*'] });
      const all = await bed.addEndpoint({ types: ['*'] });
      const paused = await bed.addEndpoint();
      await bed.update(paused.id, { pausedUntil: T0 + 1_000 });
      const refund = await bed.addEndpoint({ types: ['refund.*'] });
      const disabled = await bed.addEndpoint();
      await bed.update(disabled.id, { status: 'disabled' });
      const auto = await bed.addEndpoint();
      await bed.update(auto.id, { status: 'auto_disabled', disabledReason: 'failing' });
      await bed.addEndpoint({ environment: 'live' });
      await bed.addEndpoint({ app: other });

      const endpointsOf = async (change: Parameters<Bed['publish']>[0]) =>
        (await bed.publish(change)).deliveries.map(({ endpointId }) => endpointId);
      expect(await endpointsOf({ type: 'order.created' })).toEqual([exact.id, prefix.id, all.id, paused.id]);
      expect(await endpointsOf({ type: 'order.line.added' })).toEqual([prefix.id, all.id, paused.id]);
      expect(await endpointsOf({ type: 'order' })).toEqual([all.id, paused.id]);
      expect(await endpointsOf({ type: 'webhook.test', testEndpointId: refund.id })).toEqual([refund.id]);
      expect(await endpointsOf({ type: 'webhook.test', testEndpointId: disabled.id })).toEqual([disabled.id]);
    });
  });

  it('R-PUB-3 skip: an event that matched none is kept, with one row that names no endpoint', async () => {
    await withBed(async (bed) => {
      await bed.addEndpoint({ types: ['refund.*'] });
      const event = await bed.publish();
      expect(event).toMatchObject({ matchedAtPublish: 0 });
      expect(event.deliveries).toMatchObject([
        { endpointId: null, status: 'skipped', reason: 'no_endpoint' },
      ]);
      expect(await bed.store.read.eventById(event.id)).toMatchObject({ matchedAtPublish: 0 });
      expect(await bed.claim({ now: T0 + 1 })).toEqual([]);
      const again = bed.exec(
        `INSERT INTO deliveries (event_id, app_id, environment, status, unknowns, attempts, is_test, deadline_at, type,
          policy_id, created_at, event_created_at, money, cycle, cycle_started_at, cycle_by_person, fast, slow, next_trigger)
         SELECT event_id, app_id, environment, status, unknowns, attempts, is_test, deadline_at, type,
          policy_id, created_at, event_created_at, money, cycle, cycle_started_at, cycle_by_person, fast, slow, next_trigger
         FROM deliveries`,
      );
      await expect(again).rejects.toThrow();
    });
  });

  it('R-PUB-3 wait: the row is pending without a due time until an endpoint comes, and no claim takes it', async () => {
    await withBed(async (bed) => {
      const event = await bed.publish();
      const id = event.deliveries[0]!.id;
      expect(await bed.delivery(id)).toMatchObject({ status: 'pending', reason: 'no_endpoint', dueAt: null });
      expect(await bed.store.claim(bed.request({ now: T0 + 1 }))).toMatchObject({
        claims: [],
        nextDueAt: null,
      });
      const waiting = await bed.store.read.deliveries({
        appId: bed.app.id,
        environment: 'test',
        status: 'pending',
        reason: 'no_endpoint',
        order: 'asc',
        limit: 100,
      });
      expect(waiting.map((row) => row.id)).toEqual([id]);
      const endpoint = await bed.addEndpoint();
      const row = await bed.delivery(id);
      await bed.store.transact((tx) =>
        tx.updateDelivery(id, { ...row, reason: 'waiting', dueAt: T0 + 5 }, { endpointId: endpoint.id }),
      );
      expect(await bed.claimOne({ now: T0 + 5 })).toMatchObject({ deliveryId: id, endpointId: endpoint.id });
    }, TWO_LADDER);
  });

  it('R-PUB-4 R-PUB-9 any bytes come back as they were published, from reads and from claims', async () => {
    await withBed(async (bed) => {
      await bed.addEndpoint();
      const awkward = Buffer.from('{"amount":9007199254740993,"rate":1.0,"2":"b","1":"a"}\n');
      await fc.assert(
        fc.asyncProperty(fc.oneof(fc.constant(awkward), fc.uint8Array({ maxLength: 500 })), async (body) => {
          const event = await bed.publish({ body, contentType: 'text/plain' });
          const read = await bed.store.read.eventById(event.id);
          expect(Buffer.from(read?.body ?? [])).toEqual(Buffer.from(body));
          const claimed = await bed.claimOne({ now: T0 + 1 });
          expect(Buffer.from(claimed.body)).toEqual(Buffer.from(body));
          expect(claimed.contentType).toBe('text/plain');
          const bodies = await bed.store.read.eventBodies([event.id]);
          expect(Buffer.from(bodies.get(event.id) ?? [])).toEqual(Buffer.from(body));
        }),
        { numRuns: 30, seed: 4 },
      );
    });
  });

  it('R-PUB-5 same key: same content is answered again, other content conflicts, another scope is another key', async () => {
    await withBed(async (bed) => {
      await bed.addEndpoint();
      const record = bed.record();
      const unit = (change: Partial<Keyed>, records: PublishRecord[] = [bed.record()]): PublishUnit => ({
        records,
        idempotency: keyed(bed, change),
      });
      expect(await bed.store.publish(unit({}, [record]))).toMatchObject({ kind: 'published' });
      expect(await bed.store.publish(unit({}))).toEqual({
        kind: 'replayed',
        status: 201,
        body: JSON.stringify([record.publicId]),
      });
      expect(await bed.store.publish(unit({ contentHash: 'hash-2' }))).toEqual({ kind: 'conflict' });
      expect(await bed.store.publish(unit({ environment: 'live' }))).toMatchObject({ kind: 'published' });
      expect(await bed.store.publish(unit({ key: 'k-2' }))).toMatchObject({ kind: 'published' });
      expect(await bed.rows('SELECT count(*) AS n FROM events')).toEqual([{ n: 3 }]);
      expect(
        await bed.store.read.idempotency({ appId: bed.app.id, environment: 'test' }, 'k-1'),
      ).toMatchObject({
        contentHash: 'hash-1',
        status: 201,
      });
    });
  });

  it('R-PUB-5 of many calls with one key over two stores exactly one publishes', async () => {
    await withBed(async (bed) => {
      await bed.addEndpoint();
      const second = await bed.another();
      const calls = Array.from({ length: 20 }, (_, nth) =>
        (nth % 2 === 0 ? bed.store : second).publish({ records: [bed.record()], idempotency: keyed(bed) }),
      );
      const results = await Promise.all(calls);
      expect(results.filter(({ kind }) => kind === 'published')).toHaveLength(1);
      expect(results.filter(({ kind }) => kind === 'replayed')).toHaveLength(19);
      expect(await bed.rows('SELECT count(*) AS n FROM events')).toEqual([{ n: 1 }]);
    });
  });

  it('R-PUB-5 O20 the key goes with what it protects: a unit that fails leaves neither', async () => {
    await withBed(async (bed) => {
      await bed.addEndpoint();
      const failing = bed.store.publish({
        records: [bed.record()],
        idempotency: keyed(bed, {
          answer: () => {
            throw new Error('no answer');
          },
        }),
      });
      await expect(failing).rejects.toThrow('no answer');
      expect(await bed.rows('SELECT count(*) AS n FROM events')).toEqual([{ n: 0 }]);
      expect(await bed.store.publish({ records: [bed.record()], idempotency: keyed(bed) })).toMatchObject({
        kind: 'published',
      });
    });
  });

  it('R-PUB-7 a unit is written whole or not at all, and a bad one takes no neighbour with it', async () => {
    await withBed(async (bed) => {
      await bed.addEndpoint();
      const twin = bed.record();
      const [first, bad, last] = await Promise.allSettled([
        bed.store.publish({ records: [bed.record(), bed.record()] }),
        bed.store.publish({ records: [bed.record(), twin, twin, bed.record()] }),
        bed.store.publish({ records: [bed.record()] }),
      ]);
      expect([first?.status, bad?.status, last?.status]).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      expect(await bed.rows('SELECT count(*) AS n FROM events')).toEqual([{ n: 3 }]);
      expect(await bed.rows('SELECT count(*) AS n FROM deliveries')).toEqual([{ n: 3 }]);
    });
  });

  it('R-PUB-6 listeners are told after the commit, and not of what was rolled back', async () => {
    await withBed(async (bed) => {
      const told: unknown[] = [];
      const stop = bed.store.onChange((changes) => told.push(...changes));
      await bed.publish();
      expect(told).toEqual([{ appId: bed.app.id, environment: 'test', kind: 'published' }]);
      await bed.store
        .transact(async (tx) => {
          await tx.publish({ records: [bed.record()] });
          throw new Error('no');
        })
        .catch(() => undefined);
      expect(told).toHaveLength(1);
      stop();
      await bed.publish();
      expect(told).toHaveLength(1);
    });
  });

  it('R-DEL-8 version() rises with commits of this store and of others', async () => {
    await withBed(async (bed) => {
      const second = await bed.another();
      const before = bed.store.version();
      await bed.publish();
      const own = bed.store.version();
      expect(own).not.toBe(before);
      await second.publish({ records: [bed.record()] });
      // What another process commits is heard a moment later.
      await expect.poll(() => bed.store.version()).not.toBe(own);
      const still = bed.store.version();
      await bed.claim({ now: T0 - 1 });
      expect(bed.store.version()).toBe(still);
    });
  });
}
