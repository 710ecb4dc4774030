import { expect, it } from 'vitest';
import { beginCycle } from '@/server/core/cycle';
import { decider } from '@/server/core/decide';
import type { Claim, Decider } from '@/server/ports/store';
import {
  ANSWER,
  type Bed,
  DOWN,
  HOUR,
  LOST,
  MINUTE,
  NO_BREAKER,
  SECOND,
  T0,
  type WithBed,
} from './bed.conformance';

/** A person resends: a new cycle, whatever lease runs. */
async function resend(bed: Bed, deliveryId: number, now: number): Promise<void> {
  const row = await bed.delivery(deliveryId);
  const next = beginCycle(row, { facts: row, ladder: NO_BREAKER, now, trigger: 'resend' });
  await bed.store.transact((tx) => tx.updateDelivery(deliveryId, next, { actor: 'user:9' }));
}

/** The lease runs out and the lost attempt is recorded. */
async function collect(bed: Bed, claimed: Claim): Promise<void> {
  const now = claimed.leaseUntil;
  await bed.settle(await bed.store.expiredLeases({ now, maxLeaseMs: HOUR, limit: 10 }));
}

export function describeSettle(withBed: WithBed): void {
  it('R-DEL-2 its token, its cycle: attempt, delivery and health are written together', async () => {
    await withBed(async (bed) => {
      const endpoint = await bed.addEndpoint();
      const id = await bed.publishOne();
      const claimed = await bed.claimOne();
      const { decision } = await bed.finish(claimed, DOWN, T0 + 5);
      expect(decision).toMatchObject({ record: 'insert', releaseLease: true, dropped: null });
      expect(await bed.delivery(id)).toMatchObject({
        status: 'pending',
        reason: 'retrying',
        attempts: 1,
        fast: 1,
        dueAt: T0 + 5 + 5 * SECOND,
        waitCause: 'fast',
        lastErrorClass: 'connect_refused',
        lastDurationMs: 5,
        lease: null,
      });
      expect(await bed.endpoint(endpoint.id)).toMatchObject({ failingSince: T0 + 5, consecutiveFailures: 1 });
      expect(await bed.store.read.attempts(id)).toEqual([
        {
          id: 1,
          deliveryId: id,
          appId: bed.app.id,
          environment: 'test',
          endpointId: endpoint.id,
          number: 1,
          cycle: 1,
          trigger: 'first',
          actor: null,
          startedAt: T0,
          endedAt: T0 + 5,
          durationMs: 5,
          dnsMs: null,
          connectMs: null,
          tlsMs: null,
          firstByteMs: 4,
          outcome: 'unavailable',
          statusCode: null,
          errorClass: 'connect_refused',
          message: 'refused',
          url: 'https://hooks.example.com/in',
          address: '203.0.113.7',
          ladder: 'fast',
          step: 1,
          probe: false,
          counted: 'failure',
          epoch: null,
          retriedStale: false,
        },
      ]);
      const again = await bed.claimOne({ now: T0 + MINUTE });
      expect([again.number, again.trigger]).toEqual([2, 'retry']);
      await bed.finish(again, ANSWER(204), T0 + MINUTE + 5);
      expect(await bed.delivery(id)).toMatchObject({
        status: 'delivered',
        reason: null,
        dueAt: null,
        firstDeliveredAt: T0 + MINUTE + 5,
        lease: null,
      });
      expect(await bed.endpoint(endpoint.id)).toMatchObject({ failingSince: null, consecutiveFailures: 0 });
    });
  });

  it('R-DEL-2 R-RES-2 its token, a newer cycle: recorded under its number, and the new cycle is due', async () => {
    await withBed(async (bed) => {
      const endpoint = await bed.addEndpoint();
      const id = await bed.publishOne();
      const claimed = await bed.claimOne();
      await resend(bed, id, T0 + 2);
      expect(await bed.claim({ now: T0 + 3 })).toEqual([]);
      await bed.finish(claimed, DOWN, T0 + 5);
      expect(await bed.delivery(id)).toMatchObject({
        status: 'pending',
        cycle: 2,
        attempts: 1,
        fast: 0,
        dueAt: T0 + 2,
        lease: null,
      });
      expect(await bed.endpoint(endpoint.id)).toMatchObject({ failingSince: T0 + 5 });
      const next = await bed.claimOne({ now: T0 + 6 });
      expect([next.number, next.cycle, next.trigger, next.actor]).toEqual([2, 2, 'resend', 'user:9']);
      expect((await bed.store.read.attempts(id)).map(({ number, cycle }) => [number, cycle])).toEqual([
        [1, 1],
      ]);
    });
  });

  it('R-DEL-2 its token gone, its cycle, still pending: a 2xx settles it and completes the record, whoever holds the row', async () => {
    await withBed(async (bed) => {
      const endpoint = await bed.addEndpoint();
      const id = await bed.publishOne();
      const late = await bed.claimOne();
      await collect(bed, late);
      const holder = await bed.claimOne({ now: late.leaseUntil });
      expect(holder.number).toBe(2);
      const { decision } = await bed.finish(late, ANSWER(200), late.leaseUntil + 50);
      expect(decision).toMatchObject({ record: 'complete', releaseLease: false, dropped: null });
      expect(await bed.delivery(id)).toMatchObject({ status: 'delivered', lease: { token: holder.token } });
      expect((await bed.store.read.attempts(id)).map(({ number, outcome }) => [number, outcome])).toEqual([
        [1, 'delivered'],
      ]);
      await bed.finish(holder, ANSWER(500), late.leaseUntil + 60);
      expect(await bed.delivery(id)).toMatchObject({ status: 'delivered', attempts: 2, lease: null });
      expect(await bed.endpoint(endpoint.id)).toMatchObject({ consecutiveFailures: 1 });
    });
  });

  it('R-DEL-2 P10 its token gone, still pending: all else moves nothing but its record', async () => {
    await withBed(async (bed) => {
      const endpoint = await bed.addEndpoint();
      const id = await bed.publishOne();
      const late = await bed.claimOne();
      await collect(bed, late);
      const before = await bed.delivery(id);
      const { decision } = await bed.finish(late, ANSWER(500), late.leaseUntil + 50);
      expect(decision).toMatchObject({ record: 'complete', dropped: 'lease_lost' });
      expect(await bed.delivery(id)).toEqual(before);
      expect(await bed.store.read.attempts(id)).toMatchObject([{ number: 1, statusCode: 500 }]);
      expect(await bed.endpoint(endpoint.id)).toMatchObject({ failingSince: null });
    });
  });

  it('R-DEL-2 R-RES-8 its token gone, another cycle: only first_delivered_at is noted', async () => {
    await withBed(async (bed) => {
      await bed.addEndpoint();
      const id = await bed.publishOne();
      const late = await bed.claimOne();
      await collect(bed, late);
      await resend(bed, id, late.leaseUntil + 10);
      await bed.finish(late, ANSWER(200), late.leaseUntil + 50);
      expect(await bed.delivery(id)).toMatchObject({
        status: 'pending',
        cycle: 2,
        firstDeliveredAt: late.leaseUntil + 50,
      });
    });
  });

  it('R-DEL-2 a lost end that comes twice is recorded once', async () => {
    await withBed(async (bed) => {
      await bed.addEndpoint();
      const id = await bed.publishOne();
      const claimed = await bed.claimOne();
      const lost = bed.endOf(claimed, LOST, claimed.leaseUntil);
      await bed.settle([lost, lost]);
      await bed.settle([lost]);
      expect(await bed.delivery(id)).toMatchObject({ attempts: 1, unknowns: 1 });
      expect(await bed.store.read.attempts(id)).toHaveLength(1);
    });
  });

  it('R-DEL-4 O09 deleting an endpoint takes its deliveries, keeps its events, and an end in flight finds no row', async () => {
    await withBed(async (bed) => {
      const endpoint = await bed.addEndpoint();
      const kept = await bed.addEndpoint();
      const event = await bed.publish();
      await bed.publish();
      const claims = await bed.claim();
      const flying = claims.find(({ endpointId }) => endpointId === endpoint.id) as Claim;
      for (const claimed of claims) if (claimed !== flying) await bed.finish(claimed, ANSWER(200), T0 + 5);
      await bed.store.transact(async (tx) => {
        await tx.insertSecret({
          endpointId: endpoint.id,
          appId: bed.app.id,
          environment: 'test',
          version: 1,
          sealed: { keyId: 'k', ciphertext: Buffer.from('c') },
          createdAt: T0,
          expiresAt: null,
        });
        await tx.openGate({
          scope: { appId: bed.app.id, environment: 'test' },
          endpointId: endpoint.id,
          kind: 'pause',
          at: T0,
        });
      });
      expect(await bed.store.transact((tx) => tx.deleteEndpoint(endpoint.id))).toBe(2);
      expect(await bed.store.read.endpointById(endpoint.id)).toBeNull();
      expect(await bed.store.read.eventById(event.id)).toMatchObject({ matchedAtPublish: 2 });
      const left = await bed.store.read.deliveriesOfEvents([event.id]);
      expect(left.map(({ endpointId }) => endpointId)).toEqual([kept.id]);
      const { decision } = await bed.finish(flying, ANSWER(200), T0 + 6);
      expect(decision).toMatchObject({ dropped: 'no_row', record: 'none', health: null });
      expect(await bed.store.transact((tx) => tx.deleteEndpoint(endpoint.id))).toBe(0);
      expect(await bed.addEndpoint()).toMatchObject({ number: 3 });
    });
  });

  it('R-DEL-4 keys are never given twice: a late end finds no row, not a newer one', async () => {
    await withBed(async (bed) => {
      const endpoint = await bed.addEndpoint({ types: ['a'] });
      const id = await bed.publishOne({ type: 'a' });
      const flying = await bed.claimOne();
      await bed.store.transact((tx) => tx.deleteEndpoint(endpoint.id));
      await bed.addEndpoint({ types: ['b'] });
      const next = await bed.publishOne({ type: 'b' });
      expect(next).toBeGreaterThan(id);
      await bed.finish(flying, ANSWER(200), T0 + 5);
      expect(await bed.delivery(next)).toMatchObject({ status: 'pending' });
    });
  });

  it('R-DEL-2 a later end of a group sees what the earlier ones did', async () => {
    await withBed(async (bed) => {
      const endpoint = await bed.addEndpoint();
      for (let n = 0; n < 3; n += 1) await bed.publishOne();
      const claims = await bed.claim();
      const settled = await bed.settle(claims.map((claimed, nth) => bed.endOf(claimed, DOWN, T0 + nth)));
      expect(settled.map(({ decision }) => decision.health?.consecutiveFailures)).toEqual([1, 2, 3]);
      expect(await bed.endpoint(endpoint.id)).toMatchObject({
        failingSince: T0,
        lastFailedAt: T0 + 2,
        consecutiveFailures: 3,
      });
    });
  });

  it('O02 O06 a settle that fails leaves nothing, and written again it counts once', async () => {
    await withBed(async (bed) => {
      await bed.addEndpoint();
      const id = await bed.publishOne();
      await bed.publishOne();
      const claims = await bed.claim();
      const ends = claims.map((claimed) => bed.endOf(claimed, DOWN, T0 + 5));
      let decided = 0;
      const failing: Decider = {
        ...decider,
        decide(...args) {
          decided += 1;
          if (decided === 2) throw new Error('disk went away');
          return decider.decide(...args);
        },
      };
      await expect(bed.store.settle(ends, failing, () => 0)).rejects.toThrow('disk went away');
      expect(await bed.delivery(id)).toMatchObject({ attempts: 0, lease: { token: claims[0]?.token } });
      expect(await bed.rows('SELECT count(*) AS n FROM attempts')).toEqual([{ n: 0 }]);
      await bed.settle(ends);
      await bed.settle(ends);
      expect(await bed.delivery(id)).toMatchObject({ attempts: 1, fast: 1, dueAt: T0 + 5 + 5 * SECOND });
      expect(await bed.rows('SELECT delivery_id, number FROM attempts ORDER BY id')).toEqual([
        { delivery_id: 1, number: 1 },
        { delivery_id: 2, number: 1 },
      ]);
      await expect(
        bed.exec(`INSERT INTO attempts (delivery_id, app_id, environment, endpoint_id, number, cycle, "trigger", started_at,
          ended_at, duration_ms, outcome, url, probe, retried_stale)
          SELECT delivery_id, app_id, environment, endpoint_id, number, cycle, "trigger", started_at,
          ended_at, duration_ms, outcome, url, probe, retried_stale FROM attempts LIMIT 1`),
      ).rejects.toThrow(/unique/i);
    });
  });

  it('R-DEL-6 an end whose row cannot be read sets it aside and lets its neighbours be settled', async () => {
    await withBed(async (bed) => {
      await bed.addEndpoint();
      const broken = await bed.publishOne();
      const sound = await bed.publishOne();
      const claims = await bed.claim();
      await bed.damage("UPDATE deliveries SET last_outcome = 'bogus' WHERE id = ?", broken);
      await bed.settle(claims.map((claimed) => bed.endOf(claimed, ANSWER(200), T0 + 5)));
      expect(await bed.delivery(broken)).toMatchObject({ status: 'failed', reason: 'corrupt', lease: null });
      expect(await bed.delivery(sound)).toMatchObject({ status: 'delivered' });
    });
  });

  it('R-FAIL-8 R-LAD-3 pauses and secret outages since the slow ladder began reach the decision', async () => {
    await withBed(
      async (bed) => {
        const endpoint = await bed.addEndpoint();
        const scope = { appId: bed.app.id, environment: 'test' as const };
        const gate = { scope, endpointId: endpoint.id, kind: 'pause' as const };
        const id = await bed.publishOne({ money: true });
        await bed.finish(await bed.claimOne(), ANSWER(400), T0 + 5);
        const slow = await bed.delivery(id);
        expect(slow).toMatchObject({ slow: 1, slowStartedAt: T0 + 5 });
        await bed.store.transact(async (tx) => {
          await tx.openGate({ ...gate, at: T0 + HOUR });
          await tx.closeGate({ ...gate, at: T0 + 3 * HOUR });
        });
        await bed.finish(await bed.claimOne({ now: T0 + 4 * HOUR }), ANSWER(400), T0 + 4 * HOUR);
        expect((await bed.delivery(id)).deadlineAt - slow.deadlineAt).toBe(2 * HOUR);
      },
      {
        ...NO_BREAKER,
        rejected: { money: 'slow', other: 'fail' },
        slowLadder: { kind: 'schedule', waitsMs: [HOUR, HOUR], jitter: 0 },
        slowWindowMs: 48 * HOUR,
      },
    );
  });

  it('D01 a link across apps or environments is refused by the schema', async () => {
    await withBed(async (bed) => {
      const other = await bed.addApp();
      const own = await bed.addEndpoint();
      const foreign = await bed.addEndpoint({ app: other });
      const live = await bed.addEndpoint({ environment: 'live' });
      const event = await bed.publish();
      const row = await bed.delivery(event.deliveries[0]?.id ?? 0);
      const insert = (change: Partial<typeof row>) =>
        bed.store.transact((tx) => tx.insertDelivery({ ...row, ...change }));
      const refused = /foreign key/i;
      await expect(insert({ endpointId: foreign.id })).rejects.toThrow(refused);
      await expect(insert({ endpointId: live.id })).rejects.toThrow(refused);
      await expect(insert({ endpointId: foreign.id, appId: other.id })).rejects.toThrow(refused);
      await expect(insert({ endpointId: live.id, environment: 'live' })).rejects.toThrow(refused);
      const secret = {
        endpointId: own.id,
        appId: bed.app.id,
        environment: 'test' as const,
        version: 1,
        sealed: { keyId: 'k', ciphertext: Buffer.from('c') },
        createdAt: T0,
        expiresAt: null,
      };
      await expect(
        bed.store.transact((tx) => tx.insertSecret({ ...secret, appId: other.id })),
      ).rejects.toThrow(refused);
      await expect(
        bed.store.transact((tx) => tx.insertSecret({ ...secret, environment: 'live' })),
      ).rejects.toThrow(refused);
      const foreignPolicy = await bed.store.read.appEnvironment({ appId: other.id, environment: 'test' });
      await expect(bed.update(own.id, { policyId: foreignPolicy?.policyId })).rejects.toThrow(refused);
      const claimed = await bed.claimOne();
      const end = bed.endOf(claimed, ANSWER(200), T0 + 5);
      await expect(bed.settle([{ ...end, appId: other.id }])).rejects.toThrow(refused);
      await expect(bed.settle([{ ...end, environment: 'live' }])).rejects.toThrow(refused);
      await expect(
        bed.exec("UPDATE deliveries SET environment = 'live' WHERE id = ?", row.id),
      ).rejects.toThrow(refused);
    });
  });
}
