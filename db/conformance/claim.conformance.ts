import { expect, it } from 'vitest';
import type { Claim, Store } from '@/server/ports/store';
import {
  ANSWER,
  type Bed,
  DOWN,
  HOUR,
  MINUTE,
  NO_BREAKER,
  SECOND,
  T0,
  type WithBed,
} from './bed.conformance';

const publishMany = async (bed: Bed, n: number, change: Parameters<Bed['publish']>[0] = {}) => {
  const results = await Promise.all(
    Array.from({ length: Math.ceil(n / 100) }, (_, part) =>
      bed.store.publish({
        records: Array.from({ length: Math.min(100, n - part * 100) }, () => bed.record(change)),
      }),
    ),
  );
  return results.length;
};

const endpointsOf = (claims: readonly Claim[]) => claims.map(({ endpointId }) => endpointId);

export function describeClaim(withBed: WithBed): void {
  it('R-DEL-8 R-ATT-6 a claim carries all that the attempt needs, as it is now', async () => {
    await withBed(async (bed) => {
      const endpoint = await bed.addEndpoint({ concurrency: 3 });
      const sealed = (byte: number) => ({ keyId: 'k1', ciphertext: Buffer.from([byte]) });
      const secret = {
        endpointId: endpoint.id,
        appId: bed.app.id,
        environment: 'test' as const,
        createdAt: T0,
      };
      await bed.store.transact(async (tx) => {
        await tx.insertSecret({ ...secret, version: 1, sealed: sealed(1), expiresAt: T0 + SECOND });
        await tx.insertSecret({ ...secret, version: 2, sealed: sealed(2), expiresAt: T0 + HOUR });
        await tx.insertSecret({ ...secret, version: 3, sealed: sealed(3), expiresAt: null });
      });
      const event = await bed.publish({ money: true, type: 'refund.completed' });
      await bed.store.transact((tx) =>
        tx.updateEndpoint(
          endpoint.id,
          { url: 'https://new.example.com/in', headerNames: ['x-a'], sealedHeaders: sealed(9) },
          T0,
        ),
      );
      const claimed = await bed.claimOne({ now: T0 + SECOND, leaseMs: (timeoutMs) => timeoutMs + 7 });
      expect(claimed).toMatchObject({
        deliveryId: event.deliveries[0]?.id,
        deliveryCreatedAt: T0,
        eventId: event.id,
        eventPublicId: event.publicId,
        appId: bed.app.id,
        appPublicId: bed.app.publicId,
        environment: 'test',
        endpointId: endpoint.id,
        endpointPublicId: endpoint.publicId,
        leaseUntil: T0 + SECOND + 10 * SECOND + 7,
        number: 1,
        cycle: 1,
        trigger: 'first',
        actor: null,
        epoch: null,
        probe: false,
        suspect: false,
        unsigned: false,
        facts: { eventCreatedAt: T0, money: true, isTest: false },
        type: 'refund.completed',
        url: 'https://new.example.com/in',
        concurrency: 3,
        policy: { timeoutMs: 10 * SECOND },
        ladder: { maxAgeMs: NO_BREAKER.maxAgeMs },
      });
      expect(claimed.secrets.map(({ version, sealed: of }) => [version, [...of.ciphertext]])).toEqual([
        [3, [3]],
        [2, [2]],
      ]);
      expect([...(claimed.sealedHeaders?.ciphertext ?? [])]).toEqual([9]);
      expect((await bed.delivery(claimed.deliveryId)).lease).toEqual({
        token: claimed.token,
        until: claimed.leaseUntil,
        number: 1,
        cycle: 1,
        trigger: 'first',
        actor: null,
        epoch: null,
        probe: false,
        startedAt: T0 + SECOND,
      });
    });
  });

  it('R-DEL-2 two stores on one file never lease one row twice', async () => {
    await withBed(async (bed) => {
      for (let n = 0; n < 5; n += 1) await bed.addEndpoint({ types: [`t${n}`] });
      for (let n = 0; n < 5; n += 1) await publishMany(bed, 60, { type: `t${n}` });
      const second = await bed.another();
      const claimAll = async (of: Store) => {
        const seen: number[] = [];
        for (;;) {
          const claims = await bed.claim({ now: T0, slots: 7 }, of);
          if (claims.length === 0) return seen;
          seen.push(...claims.map(({ deliveryId }) => deliveryId));
        }
      };
      const [a, b] = await Promise.all([claimAll(bed.store), claimAll(second)]);
      expect(a.length).toBeGreaterThan(0);
      expect(b.length).toBeGreaterThan(0);
      expect(new Set([...a, ...b]).size).toBe(300);
      expect(a.length + b.length).toBe(300);
    });
  });

  it('R-DEL-8 a leased row is not leased again, one given back is, with the same number', async () => {
    await withBed(async (bed) => {
      await bed.addEndpoint();
      await bed.publishOne();
      const claimed = await bed.claimOne();
      expect(await bed.claim()).toEqual([]);
      await bed.store.release([{ ...claimed, token: 'of another' }], T0);
      expect(await bed.claim()).toEqual([]);
      await bed.store.release([claimed], T0);
      const again = await bed.claimOne();
      expect([again.deliveryId, again.number, again.trigger]).toEqual([claimed.deliveryId, 1, 'first']);
      expect(await bed.rows('SELECT count(*) AS n FROM attempts')).toEqual([{ n: 0 }]);
    });
  });

  it('R-DEL-8 the cap of an endpoint counts the leases of all engines, its own concurrency goes before the default', async () => {
    await withBed(async (bed) => {
      const plain = await bed.addEndpoint({ types: ['plain'] });
      const narrow = await bed.addEndpoint({ types: ['narrow'], concurrency: 2 });
      await publishMany(bed, 20, { type: 'plain' });
      await publishMany(bed, 20, { type: 'narrow' });
      const second = await bed.another();
      const first = await bed.claim({ endpointConcurrency: 5, slots: 4 });
      const rest = await bed.claim({ endpointConcurrency: 5 }, second);
      const all = endpointsOf([...first, ...rest]);
      expect(all.filter((id) => id === plain.id)).toHaveLength(5);
      expect(all.filter((id) => id === narrow.id)).toHaveLength(2);
      expect(await bed.claim({ endpointConcurrency: 5 })).toEqual([]);
      await bed.finish(rest[0] as Claim, ANSWER(200), T0 + 1);
      expect(await bed.claim({ endpointConcurrency: 5 })).toHaveLength(1);
    });
  });

  it('R-DEL-8 slow start: no more than the engine grants an endpoint now', async () => {
    await withBed(async (bed) => {
      const slow = await bed.addEndpoint({ types: ['slow'] });
      const quick = await bed.addEndpoint({ types: ['quick'] });
      await publishMany(bed, 10, { type: 'slow' });
      await publishMany(bed, 10, { type: 'quick' });
      const claims = await bed.claim({ endpointSlots: (id) => (id === slow.id ? 1 : 4) });
      expect(endpointsOf(claims).filter((id) => id === slow.id)).toHaveLength(1);
      expect(endpointsOf(claims).filter((id) => id === quick.id)).toHaveLength(4);
      expect(await bed.claim({ endpointSlots: () => 0 })).toEqual([]);
    });
  });

  it('R-DEL-8 P13 fair over apps: with thousands due for one, another app’s event is among the next 2 × apps', async () => {
    await withBed(async (bed) => {
      const apps = [bed.app, await bed.addApp(), await bed.addApp(), await bed.addApp()];
      for (const app of apps) await bed.addEndpoint({ app });
      await publishMany(bed, 2_000);
      for (const app of apps.slice(1, 3)) await publishMany(bed, 50, { app });
      let afterAppId = 0;
      const inTurn: number[] = [];
      const claimSome = async (slots: number) => {
        const batch = await bed.store.claim(bed.request({ slots, afterAppId }));
        afterAppId = batch.afterAppId;
        inTurn.push(...batch.claims.map(({ appId }) => appId));
      };
      for (let n = 0; n < 10; n += 1) await claimSome(3);
      await bed.publish({ app: apps[3] });
      const before = inTurn.length;
      for (let n = 0; n < 8; n += 1) await claimSome(1);
      expect(inTurn.slice(before)).toContain(apps[3]?.id);
      // Every app with work has its turn, however many slots a claim has.
      expect(inTurn.slice(0, 30).filter((id) => id === apps[1]?.id)).toHaveLength(10);
    });
  });

  it('R-DEL-8 fair inside an app: its endpoints take turns, within a claim and from one to the next', async () => {
    await withBed(async (bed) => {
      const ids: number[] = [];
      for (let n = 0; n < 3; n += 1) ids.push((await bed.addEndpoint({ types: [`t${n}`] })).id);
      await publishMany(bed, 500, { type: 't0' });
      await publishMany(bed, 20, { type: 't1' });
      await publishMany(bed, 20, { type: 't2' });
      const claims = await bed.claim({ slots: 9 });
      for (const id of ids) expect(endpointsOf(claims).filter((other) => other === id)).toHaveLength(3);
      const one: number[] = [];
      for (let n = 0; n < 6; n += 1) one.push(...endpointsOf(await bed.claim({ slots: 1 })));
      for (const id of ids) expect(one.filter((other) => other === id)).toHaveLength(2);
    });
  });

  it('R-DEL-8 inside an endpoint the longest due goes first', async () => {
    await withBed(async (bed) => {
      await bed.addEndpoint();
      const later = await bed.publishOne({ createdAt: T0 + 5 });
      const sooner = await bed.publishOne({ createdAt: T0 + 2 });
      const claims = await bed.claim({ now: T0 + 10 });
      expect(claims.map(({ deliveryId }) => deliveryId)).toEqual([sooner, later]);
    });
  });

  it('R-DEL-8 nextDueAt is when there may be something to claim, and more says that slots ran out', async () => {
    await withBed(async (bed) => {
      expect(await bed.store.claim(bed.request())).toMatchObject({
        claims: [],
        nextDueAt: null,
        more: false,
      });
      const endpoint = await bed.addEndpoint();
      await bed.publishOne({ createdAt: T0 + 9 * SECOND });
      await bed.publishOne({ createdAt: T0 + 4 * SECOND });
      const due = async (change = {}) => {
        const { claims, nextDueAt, more } = await bed.store.claim(bed.request(change));
        return [claims.length, nextDueAt, more];
      };
      expect(await due()).toEqual([0, T0 + 4 * SECOND, false]);
      await bed.update(endpoint.id, { pausedUntil: T0 + 7 * SECOND });
      expect(await due({ now: T0 + 5 * SECOND })).toEqual([0, T0 + 7 * SECOND, false]);
      expect(await due({ now: T0 + 7 * SECOND })).toEqual([1, T0 + 9 * SECOND, false]);
      await bed.update(endpoint.id, { pausedUntil: null });
      await publishMany(bed, 3);
      expect(await due({ slots: 2 })).toEqual([2, T0, true]);
      expect(await due({ slots: 2 })).toEqual([1, T0 + 9 * SECOND, false]);
    });
  });

  it('R-BRK-5 R-BRK-9 held by a pause or by its status, a delivery waits and nothing is written', async () => {
    await withBed(async (bed) => {
      const paused = await bed.addEndpoint({ types: ['paused'] });
      const disabled = await bed.addEndpoint({ types: ['disabled'] });
      await bed.publishOne({ type: 'paused' });
      await bed.publishOne({ type: 'disabled' });
      await bed.update(paused.id, { pausedUntil: T0 + MINUTE });
      await bed.update(disabled.id, { status: 'disabled' });
      const before = [bed.store.version(), await bed.rows('SELECT * FROM deliveries')];
      expect(await bed.store.claim(bed.request())).toMatchObject({ claims: [], nextDueAt: T0 + MINUTE });
      expect([bed.store.version(), await bed.rows('SELECT * FROM deliveries')]).toEqual(before);
    });
  });

  it('R-BRK-9 no attempt starts after a deadline: it ends failed/too_old in the claim', async () => {
    await withBed(async (bed) => {
      await bed.addEndpoint();
      const id = await bed.publishOne();
      const end = T0 + NO_BREAKER.maxAgeMs;
      expect((await bed.delivery(id)).deadlineAt).toBe(end);
      const atTheEnd = await bed.claimOne({ now: end });
      await bed.store.release([atTheEnd], end);
      expect(await bed.store.claim(bed.request({ now: end + 1 }))).toMatchObject({
        claims: [],
        setAside: [],
      });
      expect(await bed.delivery(id)).toMatchObject({ status: 'failed', reason: 'too_old', endedAt: end + 1 });
    });
  });

  it('R-RES-3 the first attempt of a test send passes pause and status, ahead of a full queue; its retry does not', async () => {
    await withBed(async (bed) => {
      const endpoint = await bed.addEndpoint();
      await publishMany(bed, 300);
      await bed.update(endpoint.id, { status: 'disabled', pausedUntil: T0 + MINUTE });
      const id = await bed.publishOne({ type: 'webhook.test', testEndpointId: endpoint.id, actor: 'user:1' });
      const claimed = await bed.claimOne({ slots: 3 });
      expect(claimed).toMatchObject({
        deliveryId: id,
        trigger: 'test',
        actor: 'user:1',
        epoch: null,
        probe: false,
        facts: { isTest: true },
      });
      await bed.finish(claimed, DOWN, T0 + 5);
      expect(await bed.delivery(id)).toMatchObject({ status: 'pending', nextTrigger: 'retry' });
      expect(await bed.claim({ now: T0 + 30 * SECOND })).toEqual([]);
    });
  });

  it('R-RES-3 R-DEL-8 a test send keeps the cap of its endpoint', async () => {
    await withBed(async (bed) => {
      const endpoint = await bed.addEndpoint({ concurrency: 1 });
      await bed.publishOne();
      await bed.claimOne();
      await bed.publishOne({ type: 'webhook.test', testEndpointId: endpoint.id });
      expect(await bed.claim()).toEqual([]);
    });
  });

  it('R-ATT-9 an unopened secret gates its endpoint, tests too; the try after the wait says so', async () => {
    await withBed(async (bed) => {
      const endpoint = await bed.addEndpoint({ types: ['a'] });
      const other = await bed.addEndpoint({ types: ['b'] });
      const id = await bed.publishOne({ type: 'a' });
      const claimed = await bed.claimOne();
      await bed.store.setUnsigned(endpoint.id, { since: T0, retryAt: T0 + MINUTE });
      await bed.store.release([claimed], T0);
      await bed.publishOne({ type: 'webhook.test', testEndpointId: endpoint.id });
      await bed.publishOne({ type: 'b' });
      const held = await bed.store.claim(bed.request());
      expect(endpointsOf(held.claims)).toEqual([other.id]);
      expect(held.nextDueAt).toBe(T0 + MINUTE);
      expect(await bed.delivery(id)).toMatchObject({ attempts: 0, lease: null });
      expect(await bed.endpoint(endpoint.id)).toMatchObject({ failingSince: null, unsignedSince: T0 });

      await bed.store.setUnsigned(endpoint.id, { since: T0 + 5, retryAt: T0 + 2 * MINUTE });
      expect(await bed.endpoint(endpoint.id)).toMatchObject({
        unsignedSince: T0,
        unsignedRetryAt: T0 + 2 * MINUTE,
      });
      expect(await bed.claim({ now: T0 + MINUTE })).toEqual([]);
      await bed.store.retryUnsigned(T0 + MINUTE);
      const tries = await bed.claim({ now: T0 + MINUTE });
      expect(tries.map(({ unsigned, number }) => [unsigned, number])).toEqual([
        [true, 1],
        [true, 1],
      ]);
      await bed.store.setUnsigned(endpoint.id, null);
      expect(await bed.endpoint(endpoint.id)).toMatchObject({ unsignedSince: null, unsignedRetryAt: null });
      const scope = { appId: bed.app.id, environment: 'test' as const };
      const query = { scope, endpointId: endpoint.id, from: T0, to: T0 + HOUR };
      expect(await bed.store.read.gateIntervals(query)).toEqual([
        { kind: 'unsigned', fromAt: T0, toAt: T0 + MINUTE },
      ]);
      await bed.store.setUnsigned(endpoint.id, null);
      expect(await bed.store.read.gateIntervals(query)).toHaveLength(1);
    });
  });

  it('R-DEL-11 leases that are over are collected behind gates and of endpoints that are not active', async () => {
    await withBed(async (bed) => {
      const paused = await bed.addEndpoint({ types: ['a'] });
      const disabled = await bed.addEndpoint({ types: ['b'] });
      await bed.publishOne({ type: 'a' });
      await bed.publishOne({ type: 'b' });
      const claims = await bed.claim();
      await bed.update(paused.id, { pausedUntil: T0 + HOUR });
      await bed.update(disabled.id, { status: 'disabled' });
      const until = claims[0]?.leaseUntil ?? 0;
      const collect = (now: number, limit = 10) =>
        bed.store.expiredLeases({ now, maxLeaseMs: 60 * SECOND, limit });
      expect(await collect(until - 1)).toEqual([]);
      const lost = await collect(until);
      expect(lost.map(({ token }) => token).sort()).toEqual(claims.map(({ token }) => token).sort());
      expect(lost[0]).toMatchObject({
        end: { kind: 'lost' },
        number: 1,
        cycle: 1,
        trigger: 'first',
        startedAt: T0,
        endedAt: until,
        url: 'https://hooks.example.com/in',
      });
      expect(await collect(until, 1)).toHaveLength(1);
      await bed.settle(lost);
      expect(await collect(until + HOUR)).toEqual([]);
      const row = await bed.delivery(claims[0]?.deliveryId ?? 0);
      expect(row).toMatchObject({ status: 'pending', attempts: 1, unknowns: 1, fast: 0, lease: null });
      expect(await bed.store.read.attempts(row.id)).toMatchObject([
        { number: 1, outcome: 'unknown', errorClass: 'lost', counted: null },
      ]);
      expect(await bed.endpoint(paused.id)).toMatchObject({ failingSince: null, consecutiveFailures: 0 });
    });
  });

  it('R-TIM-1 P08 a lease that ends further ahead than its length has expired', async () => {
    await withBed(async (bed) => {
      await bed.addEndpoint();
      await bed.publishOne();
      const claimed = await bed.claimOne({ now: T0 + HOUR });
      const collect = (now: number) => bed.store.expiredLeases({ now, maxLeaseMs: 60 * SECOND, limit: 10 });
      expect(await collect(T0 + HOUR)).toEqual([]);
      expect((await collect(T0)).map(({ token }) => token)).toEqual([claimed.token]);
    });
  });

  it('R-DEL-11 from the third unknown in a row on a delivery is a suspect: as many as asked for, beside ordinary traffic', async () => {
    await withBed(async (bed) => {
      await bed.addEndpoint({ types: ['bad'] });
      await bed.addEndpoint({ types: ['good'] });
      const suspects = [await bed.publishOne({ type: 'bad' }), await bed.publishOne({ type: 'bad' })];
      let now = T0;
      for (let nth = 1; nth <= 3; nth += 1) {
        now += HOUR;
        const claims = await bed.claim({ now, suspects: 0 });
        expect(claims.map(({ suspect }) => suspect)).toEqual([false, false]);
        now = claims[0]?.leaseUntil ?? 0;
        await bed.settle(await bed.store.expiredLeases({ now, maxLeaseMs: HOUR, limit: 10 }));
      }
      expect(await bed.delivery(suspects[0] ?? 0)).toMatchObject({ unknowns: 3, status: 'pending' });
      now += HOUR;
      await publishMany(bed, 5, { type: 'good' });
      const none = await bed.claim({ now, suspects: 0, slots: 2 });
      expect(none.map(({ suspect, type }) => [suspect, type])).toEqual([
        [false, 'good'],
        [false, 'good'],
      ]);
      const some = await bed.claim({ now, suspects: 1, slots: 2 });
      expect(some.map(({ suspect }) => suspect).sort()).toEqual([false, true]);
      const suspect = some.find((claimed) => claimed.suspect);
      expect(suspects).toContain(suspect?.deliveryId);
      await bed.finish(suspect as Claim, ANSWER(200), now + 1);
      const next = await bed.claim({ now: now + 1, suspects: 1 });
      expect(next.filter((claimed) => claimed.suspect)).toHaveLength(1);
    });
  });

  const damages: [string, (bed: Bed, id: number) => Promise<void>][] = [
    ['its event is gone', (bed) => bed.damage('DELETE FROM events WHERE id = 1')],
    ['its body is gone', (bed) => bed.damage("UPDATE events SET body = 'text' WHERE id = 1")],
    [
      'its wait cause is unknown',
      (bed, id) => bed.damage("UPDATE deliveries SET wait_cause = 'bogus' WHERE id = ?", id),
    ],
    [
      'its next trigger is unknown',
      (bed, id) => bed.damage("UPDATE deliveries SET next_trigger = 'bogus' WHERE id = ?", id),
    ],
    [
      'its environment is unknown',
      (bed, id) => bed.damage("UPDATE deliveries SET environment = 'x' WHERE id = ?", id),
    ],
    [
      'its endpoint is gone',
      (bed, id) => bed.damage('UPDATE deliveries SET endpoint_id = 999 WHERE id = ?', id),
    ],
    [
      'its ladder is no JSON',
      async (bed, id) => {
        await bed.damage(
          "INSERT INTO policies SELECT 999, app_id, environment, 99, '{', created_at FROM policies LIMIT 1",
        );
        await bed.damage('UPDATE deliveries SET policy_id = 999 WHERE id = ?', id);
      },
    ],
    ['its ladder is gone', (bed, id) => bed.damage('UPDATE deliveries SET policy_id = 998 WHERE id = ?', id)],
    [
      'its ladder is no policy',
      async (bed, id) => {
        await bed.damage(
          "INSERT INTO policies SELECT 999, app_id, environment, 99, '{}', created_at FROM policies LIMIT 1",
        );
        await bed.damage('UPDATE deliveries SET policy_id = 999 WHERE id = ?', id);
      },
    ],
  ];
  for (const [what, damage] of damages) {
    it(`R-DEL-6 a row that cannot be read (${what}) is set aside as failed/corrupt and stops nothing`, async () => {
      await withBed(async (bed) => {
        await bed.addEndpoint();
        const broken = await bed.publishOne();
        const sound = await bed.publishOne();
        await damage(bed, broken);
        const batch = await bed.store.claim(bed.request());
        expect(batch.claims.map(({ deliveryId }) => deliveryId)).toEqual([sound]);
        expect(batch.setAside).toEqual([{ deliveryId: broken, why: expect.any(String) }]);
        expect(await bed.rows(`SELECT status, reason, due_at FROM deliveries WHERE id = ${broken}`)).toEqual([
          { status: 'failed', reason: 'corrupt', due_at: null },
        ]);
        expect(await bed.store.claim(bed.request())).toMatchObject({ claims: [], setAside: [] });
      });
    });
  }
}
