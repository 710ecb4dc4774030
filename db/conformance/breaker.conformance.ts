import { expect, it } from 'vitest';
import { probeDueNow, reset } from '@/server/core/breaker';
import type { Policy } from '@/server/core/policy';
import type { Claim } from '@/server/ports/store';
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
  TWO_LADDER,
  WITH_BREAKER,
  type WithBed,
} from './bed.conformance';

/** Five deliveries that fail one after the other open the breaker; returns when the last one ended. */
async function openBreaker(bed: Bed, change: { type?: string; now?: number } = {}): Promise<number> {
  const now = change.now ?? T0;
  for (let n = 0; n < 5; n += 1)
    await bed.publishOne({ type: change.type ?? 'order.created', createdAt: now });
  const claims = await bed.claim({ now });
  await bed.settle(claims.map((claimed) => bed.endOf(claimed, DOWN, now + 5)));
  return now + 5;
}

const oneBreaker = async (bed: Bed) => {
  const all = await bed.store.read.breakers({ appId: bed.app.id, environment: 'test' });
  expect(all).toHaveLength(1);
  return all[0]!;
};

const kinds = async (bed: Bed) =>
  (await bed.store.read.breakerEvents((await oneBreaker(bed)).id, 100)).map(({ kind }) => kind).reverse();

const FIVE_MINUTES = 5 * MINUTE;

export function describeBreaker(withBed: WithBed): void {
  it('R-BRK-1 R-BRK-11 the window counts the ends claimed under the present epoch; the fifth failure opens', async () => {
    await withBed(async (bed) => {
      const endpoint = await bed.addEndpoint();
      for (let n = 0; n < 5; n += 1) await bed.publishOne();
      const claims = await bed.claim();
      expect(claims.map(({ epoch }) => epoch)).toEqual([1, 1, 1, 1, 1]);
      for (const [nth, claimed] of claims.entries()) {
        expect(await bed.store.read.breakerFor(endpoint, WITH_BREAKER)).toMatchObject(
          nth === 0 ? {} : { state: 'closed', epoch: 1 },
        );
        await bed.finish(claimed, DOWN, T0 + nth);
      }
      const breaker = await oneBreaker(bed);
      expect(breaker).toMatchObject({
        endpointId: endpoint.id,
        state: 'open',
        epoch: 2,
        openedAt: T0 + 4,
        pauseMs: FIVE_MINUTES,
        probeAt: T0 + 4 + FIVE_MINUTES,
      });
      expect(breaker.publicId).toMatch(/^brk_/);
      expect(await bed.store.read.breaker(breaker.publicId)).toEqual(breaker);
      expect(await bed.store.read.breakers('not_closed')).toEqual([breaker]);
      const window = await bed.store.read.breakerWindow({ ...breaker, epoch: 1 }, T0);
      expect(window.map(({ endedAt, failure }) => [endedAt, failure])).toEqual([
        [T0 + 4, true],
        [T0 + 3, true],
        [T0 + 2, true],
        [T0 + 1, true],
        [T0, true],
      ]);
      expect(await bed.store.read.breakerWindow(breaker, T0)).toEqual([]);
      expect(await bed.store.read.attemptsByIds(breaker.openedBy)).not.toEqual([]);
    }, WITH_BREAKER);
  });

  it('R-BRK-1 P17 what ended before the window counts no more', async () => {
    await withBed(async (bed) => {
      await bed.addEndpoint();
      for (let n = 0; n < 5; n += 1) await bed.publishOne();
      const claims = await bed.claim();
      for (const claimed of claims.slice(0, 4)) await bed.finish(claimed, DOWN, T0);
      await bed.finish(claims[4] as Claim, DOWN, T0 + FIVE_MINUTES + 1);
      expect(await oneBreaker(bed)).toMatchObject({ state: 'closed' });
    }, WITH_BREAKER);
  });

  it('R-BRK-3 while it is open nothing is claimed until the probe is due, then one, across stores', async () => {
    await withBed(async (bed) => {
      await bed.addEndpoint();
      const openedAt = await openBreaker(bed);
      await bed.publishOne({ createdAt: openedAt });
      const probeAt = openedAt + FIVE_MINUTES;
      const second = await bed.another();
      expect(await bed.store.claim(bed.request({ now: probeAt - 1 }))).toMatchObject({
        claims: [],
        nextDueAt: probeAt,
      });
      const [a, b] = await Promise.all([bed.claim({ now: probeAt }), bed.claim({ now: probeAt }, second)]);
      expect(a.length + b.length).toBe(1);
      const probe = [...a, ...b][0] as Claim;
      expect(probe).toMatchObject({ probe: true, trigger: 'probe', epoch: 3 });
      expect(await oneBreaker(bed)).toMatchObject({
        state: 'half_open',
        epoch: 3,
        probeDeliveryId: probe.deliveryId,
        probeToken: probe.token,
      });
      expect(await bed.store.claim(bed.request({ now: probeAt + HOUR }))).toMatchObject({
        claims: [],
        nextDueAt: null,
      });
      await bed.finish(probe, DOWN, probeAt + 20);
      expect(await oneBreaker(bed)).toMatchObject({
        state: 'open',
        pauseMs: 2 * FIVE_MINUTES,
        probeAt: probeAt + 20 + 2 * FIVE_MINUTES,
        probeToken: null,
      });
      expect(await kinds(bed)).toEqual(['opened', 'probe_leased', 'probe_failed']);
    }, WITH_BREAKER);
  });

  it('R-BRK-3 the probe is the one with the fewest fast attempts used, the longest due among equals; never a test', async () => {
    await withBed(async (bed) => {
      const endpoint = await bed.addEndpoint({ concurrency: 1 });
      const openedAt = await openBreaker(bed).then(async () => {
        let now = T0 + 5;
        for (let n = 0; n < 4; n += 1) {
          now += SECOND;
          const claims = await bed.claim({ now });
          for (const claimed of claims) await bed.finish(claimed, DOWN, now);
        }
        return now;
      });
      expect(await oneBreaker(bed)).toMatchObject({ state: 'open' });
      const used = (await bed.rows('SELECT id, fast FROM deliveries ORDER BY id')).map(({ fast }) => fast);
      expect(used).toEqual([1, 1, 1, 1, 1]);
      await bed.publishOne({ type: 'webhook.test', testEndpointId: endpoint.id, createdAt: openedAt + 1 });
      const younger = await bed.publishOne({ createdAt: openedAt + 9 });
      const elder = await bed.publishOne({ createdAt: openedAt + 8 });
      const now = openedAt + HOUR;
      const test = await bed.claimOne({ now });
      expect(test).toMatchObject({ trigger: 'test', probe: false, epoch: null });
      await bed.finish(test, DOWN, now + 1);
      const probe = await bed.claimOne({ now: now + 2 });
      expect(probe).toMatchObject({ deliveryId: elder, probe: true });
      await bed.finish(probe, DOWN, now + 3);
      const next = await bed.claimOne({ now: now + 2 * HOUR });
      expect(next).toMatchObject({ deliveryId: younger, probe: true });
    }, WITH_BREAKER);
  });

  it('R-BRK-3 there is no probe while another gate holds the endpoint, nor while its cap is full', async () => {
    await withBed(async (bed) => {
      const endpoint = await bed.addEndpoint();
      const openedAt = await openBreaker(bed);
      const now = openedAt + FIVE_MINUTES;
      await bed.update(endpoint.id, { pausedUntil: now + MINUTE });
      expect(await bed.store.claim(bed.request({ now }))).toMatchObject({
        claims: [],
        nextDueAt: now + MINUTE,
      });
      await bed.update(endpoint.id, { pausedUntil: null });
      expect(await bed.claim({ now, endpointSlots: () => 0 })).toEqual([]);
      expect(await bed.claim({ now })).toHaveLength(1);
    }, WITH_BREAKER);
  });

  it('R-BRK-3 with nothing due the next delivery to fall due is the probe', async () => {
    await withBed(async (bed) => {
      await bed.addEndpoint();
      const openedAt = await openBreaker(bed);
      const now = openedAt + FIVE_MINUTES;
      const [probe] = await bed.claim({ now });
      await bed.finish(probe as Claim, ANSWER(200), now + 1);
      await bed.store.drain({ now: now + 1, limit: 100 });
      const rest = await bed.claim({ now: now + 2 });
      await bed.settle(rest.map((claimed) => bed.endOf(claimed, ANSWER(200), now + 3)));
      const breaker = await oneBreaker(bed);
      await bed.store.transact((tx) =>
        tx.saveBreaker(
          breaker,
          { ...breaker, state: 'open', pauseMs: MINUTE, probeAt: now + 4 },
          [],
          now + 3,
        ),
      );
      expect(await bed.store.claim(bed.request({ now: now + 9 }))).toMatchObject({
        claims: [],
        nextDueAt: null,
      });
      await bed.publishOne({ createdAt: now + HOUR });
      expect(await bed.store.claim(bed.request({ now: now + 9 }))).toMatchObject({
        claims: [],
        nextDueAt: now + HOUR,
      });
      expect(await bed.claimOne({ now: now + HOUR })).toMatchObject({ probe: true });
    }, WITH_BREAKER);
  });

  it('R-BRK-3 app scope: an endpoint whose last counted end was reachable is neither held nor probed', async () => {
    await withBed(async (bed) => {
      const dead = await bed.addEndpoint({ types: ['dead'] });
      const alive = await bed.addEndpoint({ types: ['alive'] });
      const openedAt = await openBreaker(bed, { type: 'dead' });
      expect(await oneBreaker(bed)).toMatchObject({ endpointId: null, state: 'open' });
      await bed.publishOne({ type: 'alive', createdAt: openedAt });
      await bed.publishOne({ type: 'dead', createdAt: openedAt });
      expect(await bed.claimOne({ now: openedAt + 1 })).toMatchObject({ endpointId: alive.id, probe: false });
      const probe = await bed.claimOne({ now: openedAt + FIVE_MINUTES });
      expect(probe).toMatchObject({ endpointId: dead.id, probe: true });
      expect(await bed.endpoint(dead.id)).toMatchObject({ lastEndReachable: false });
    }, TWO_LADDER);
  });

  it('R-BRK-4 on closing what waited on the fast ladder before it is due now, in batches, by any store, each once', async () => {
    await withBed(async (bed) => {
      const endpoint = await bed.addEndpoint();
      const openedAt = await openBreaker(bed);
      const now = openedAt + FIVE_MINUTES;
      const waiting: number[] = [];
      for (let n = 0; n < 7; n += 1) waiting.push(await bed.publishOne({ createdAt: openedAt }));
      const row = await bed.delivery(waiting[0] ?? 0);
      const waits = (change: object) => ({
        ...row,
        reason: 'retrying' as const,
        lastOutcome: 'unavailable' as const,
        lastEndedAt: openedAt,
        waitCause: 'fast' as const,
        dueAt: now + HOUR,
        ...change,
      });
      const states = [
        waits({}),
        waits({ lastEndedAt: now + 10 }),
        waits({ lastEndedAt: now + 11 }),
        waits({ waitCause: 'slow', lastOutcome: 'rejected' }),
        waits({ waitCause: 'retry_after' }),
        waits({ waitCause: 'unknown', lastOutcome: 'unknown' }),
        waits({ dueAt: now + 2 * HOUR }),
      ];
      await bed.store.transact(async (tx) => {
        for (const [nth, id] of waiting.entries()) await tx.updateDelivery(id, states[nth] ?? row);
      });
      const [probe] = await bed.claim({ now });
      const closedAt = now + 10;
      await bed.finish(probe as Claim, ANSWER(200), closedAt);
      const breaker = await oneBreaker(bed);
      expect(breaker).toMatchObject({
        state: 'closed',
        closedAt,
        drainCursor: 0,
        pauseMs: null,
        probeAt: null,
      });
      const second = await bed.another();
      const at = { now: closedAt + 1, limit: 4 };
      expect(await bed.store.drain(at)).toBe(true);
      const between = await oneBreaker(bed);
      expect(between.drainCursor).toBeGreaterThan(0);
      // What fails again after the closing keeps its own wait, whichever batch comes by.
      let more = true;
      for (let nth = 0; more && nth < 10; nth += 1)
        more = await second.drain({ ...at, now: closedAt + 2 + nth });
      expect(more).toBe(false);
      expect((await oneBreaker(bed)).drainCursor).toBeNull();
      const due = await bed.rows(
        `SELECT id FROM deliveries WHERE endpoint_id = ${endpoint.id} AND due_at <= ${closedAt + 20}`,
      );
      const moved = due.map(({ id }) => id).filter((id) => waiting.includes(Number(id)));
      expect(moved).toEqual([waiting[0], waiting[1], waiting[6]]);
      expect(await bed.delivery(waiting[0] ?? 0)).toMatchObject({
        waitCause: null,
        dueAt: expect.any(Number),
      });
      expect(await bed.store.drain(at)).toBe(false);
    }, WITH_BREAKER);
  });

  it('R-BRK-6 a reset by hand closes, drains, keeps its reason and ends the gate’s interval', async () => {
    await withBed(async (bed) => {
      const endpoint = await bed.addEndpoint();
      const openedAt = await openBreaker(bed);
      const breaker = await oneBreaker(bed);
      const move = reset(breaker, openedAt + MINUTE);
      await bed.store.transact((tx) =>
        tx.saveBreaker(
          breaker,
          move.breaker,
          move.events.map((kind) => ({ kind, actor: 'user:1', reason: 'receiver fixed' })),
          openedAt + MINUTE,
        ),
      );
      expect(await oneBreaker(bed)).toMatchObject({ state: 'closed', epoch: 3, drainCursor: 0 });
      expect((await bed.store.read.breakerEvents(breaker.id, 1))[0]).toMatchObject({
        kind: 'reset',
        actor: 'user:1',
        reason: 'receiver fixed',
        at: openedAt + MINUTE,
        epoch: 3,
      });
      const scope = { appId: bed.app.id, environment: 'test' as const };
      expect(
        await bed.store.read.gateIntervals({ scope, endpointId: endpoint.id, from: T0, to: T0 + HOUR }),
      ).toEqual([{ kind: 'breaker', fromAt: openedAt, toAt: openedAt + MINUTE }]);
    }, WITH_BREAKER);
  });

  it('R-BRK-7 only the end that carries the present epoch moves a breaker that is not closed; a 2xx makes the probe due', async () => {
    await withBed(async (bed) => {
      await bed.addEndpoint();
      for (let n = 0; n < 7; n += 1) await bed.publishOne();
      const claims = await bed.claim();
      for (const claimed of claims.slice(0, 5)) await bed.finish(claimed, DOWN, T0 + 5);
      const opened = await oneBreaker(bed);
      await bed.finish(claims[5] as Claim, DOWN, T0 + 6);
      expect(await oneBreaker(bed)).toEqual(opened);
      await bed.finish(claims[6] as Claim, ANSWER(200), T0 + 7);
      expect(await oneBreaker(bed)).toEqual({ ...opened, probeAt: T0 + 7 });
      expect(await kinds(bed)).toEqual(['opened', 'probe_due_now']);
    }, WITH_BREAKER);
  });

  it('R-BRK-7 the turn is given back, undoubled, when the probe’s lease is released unsent', async () => {
    await withBed(async (bed) => {
      await bed.addEndpoint();
      const now = (await openBreaker(bed)) + FIVE_MINUTES;
      const probe = await bed.claimOne({ now });
      await bed.store.release([probe], now + 1);
      expect(await oneBreaker(bed)).toMatchObject({
        probeToken: null,
        pauseMs: FIVE_MINUTES,
        probeAt: now + 1,
      });
      expect(await bed.claimOne({ now: now + 1 })).toMatchObject({ probe: true, number: probe.number });
      expect(await kinds(bed)).toEqual(['opened', 'probe_leased', 'turn_given_back', 'probe_leased']);
    }, WITH_BREAKER);
  });

  it('R-BRK-7 P17 the turn is given back when the probe’s lease is collected', async () => {
    await withBed(async (bed) => {
      await bed.addEndpoint();
      const now = (await openBreaker(bed)) + FIVE_MINUTES;
      const probe = await bed.claimOne({ now });
      await bed.settle([bed.endOf(probe, LOST, probe.leaseUntil)]);
      expect(await oneBreaker(bed)).toMatchObject({ probeToken: null, pauseMs: FIVE_MINUTES });
      expect(await bed.claimOne({ now: probe.leaseUntil })).toMatchObject({ probe: true });
    }, WITH_BREAKER);
  });

  it('R-BRK-7 R-DEL-4 the turn is given back when the probe’s row is gone, whether or not its end ever comes', async () => {
    await withBed(async (bed) => {
      const dead = await bed.addEndpoint({ types: ['dead'] });
      const other = await bed.addEndpoint({ types: ['other'] });
      const now = (await openBreaker(bed, { type: 'dead' })) + FIVE_MINUTES;
      await bed.update(other.id, { lastEndReachable: false });
      const probe = await bed.claimOne({ now });
      await bed.store.transact((tx) => tx.deleteEndpoint(dead.id));
      await bed.finish(probe, DOWN, now + 1);
      expect(await oneBreaker(bed)).toMatchObject({
        probeToken: null,
        pauseMs: FIVE_MINUTES,
        probeAt: now + 1,
      });
      await bed.publishOne({ type: 'other', createdAt: now });
      const next = await bed.claimOne({ now: now + 2 });
      expect(next).toMatchObject({ endpointId: other.id, probe: true });
      await bed.damage('DELETE FROM deliveries WHERE id = ?', next.deliveryId);
      await bed.publishOne({ type: 'other', createdAt: now });
      expect(await bed.claimOne({ now: now + 3 })).toMatchObject({ endpointId: other.id, probe: true });
    }, TWO_LADDER);
  });

  it('R-BRK-7 R-FAIL-8 a probe made due by hand is claimed at once', async () => {
    await withBed(async (bed) => {
      await bed.addEndpoint();
      const openedAt = await openBreaker(bed);
      const now = openedAt + 10 * SECOND;
      const breaker = await oneBreaker(bed);
      const move = probeDueNow(breaker, now);
      await bed.store.transact((tx) =>
        tx.saveBreaker(breaker, move.breaker, [{ kind: 'probe_due_now', actor: null, reason: null }], now),
      );
      expect(await bed.claimOne({ now })).toMatchObject({ probe: true });
    }, WITH_BREAKER);
  });

  it('R-BRK-11 an endpoint feeds and obeys the breaker that its effective policy names, and no other', async () => {
    const own: Policy = WITH_BREAKER;
    await withBed(async (bed) => {
      const app = await bed.addEndpoint({ types: ['a'] });
      const alone = await bed.addEndpoint({ types: ['b'], policy: own });
      const none = await bed.addEndpoint({ types: ['c'], policy: NO_BREAKER });
      await bed.update(app.id, { lastEndReachable: false });
      const openedAt = await openBreaker(bed, { type: 'b' });
      const breakers = await bed.store.read.breakers({ appId: bed.app.id, environment: 'test' });
      expect(breakers.map(({ endpointId, state }) => [endpointId, state])).toEqual([[alone.id, 'open']]);
      await openBreaker(bed, { type: 'c', now: openedAt });
      expect(await bed.store.read.breakers({ appId: bed.app.id, environment: 'test' })).toHaveLength(1);
      expect(await bed.store.read.breakerFor(none, NO_BREAKER)).toBeNull();
      for (const type of ['a', 'b', 'c']) await bed.publishOne({ type, createdAt: openedAt + 10 });
      const claims = await bed.claim({ now: openedAt + 10 });
      const seen = claims.filter(({ number }) => number === 1);
      expect(seen.map(({ endpointId, epoch }) => [endpointId, epoch])).toEqual([
        [app.id, 1],
        [none.id, null],
      ]);
      // A counted end of one scope is in no other scope's window, though their epochs are equal.
      await bed.settle(seen.map((claimed) => bed.endOf(claimed, DOWN, openedAt + 20)));
      const [ofApp] = (await bed.store.read.breakers({ appId: bed.app.id, environment: 'test' })).filter(
        ({ endpointId }) => endpointId === null,
      );
      expect(await bed.store.read.breakerWindow(ofApp!, T0)).toHaveLength(1);
    }, TWO_LADDER);
  });

  it('R-BRK-11 R-BRK-4 a closing app breaker drains the endpoints under it alone', async () => {
    await withBed(async (bed) => {
      const under = await bed.addEndpoint({ types: ['a'] });
      const apart = await bed.addEndpoint({ types: ['b'], policy: NO_BREAKER });
      const openedAt = await openBreaker(bed, { type: 'a' });
      const id = await bed.publishOne({ type: 'b', createdAt: openedAt });
      await bed.finish(
        await bed.claimOne({ now: openedAt, endpointSlots: (of) => (of === apart.id ? 1 : 0) }),
        DOWN,
        openedAt,
      );
      const before = await bed.delivery(id);
      const now = openedAt + FIVE_MINUTES;
      const probe = (await bed.claim({ now, endpointSlots: (of) => (of === under.id ? 1 : 0) }))[0] as Claim;
      await bed.finish(probe, ANSWER(204), now);
      while (await bed.store.drain({ now, limit: 100 }));
      expect(await bed.delivery(id)).toEqual(before);
      const rows = await bed.rows(
        `SELECT due_at FROM deliveries WHERE endpoint_id = ${under.id} AND status = 'pending'`,
      );
      for (const { due_at } of rows) expect(Number(due_at)).toBeLessThanOrEqual(now);
    }, TWO_LADDER);
  });

  it('R-DEL-11 R-BRK-3 a suspect is the probe only where no ordinary delivery can be', async () => {
    await withBed(async (bed) => {
      await bed.addEndpoint();
      const openedAt = await openBreaker(bed);
      const suspect = await bed.publishOne({ createdAt: openedAt });
      const row = await bed.delivery(suspect);
      await bed.store.transact((tx) =>
        tx.updateDelivery(suspect, { ...row, unknowns: 3, nextTrigger: 'retry' }),
      );
      const now = openedAt + FIVE_MINUTES;
      const ordinary = await bed.claimOne({ now });
      expect(ordinary).toMatchObject({ probe: true, suspect: false });
      await bed.store.release([ordinary], now);
      await bed.damage("UPDATE deliveries SET status = 'failed', due_at = NULL WHERE id <> ?", suspect);
      expect(await bed.claimOne({ now })).toMatchObject({ probe: true, suspect: true, deliveryId: suspect });
    }, WITH_BREAKER);
  });
}
