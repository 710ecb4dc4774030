import { expect, it } from 'vitest';
import type { DeliveryFilter, EventFilter } from '@/server/ports/queries';
import { ANSWER, type Bed, DAY, DOWN, HOUR, MINUTE, T0, WITH_BREAKER, type WithBed } from './bed.conformance';

const scopeOf = (bed: Bed) => ({ appId: bed.app.id, environment: 'test' as const });

/** A small history in which every filter finds some rows and leaves others. */
async function history(bed: Bed) {
  const a = await bed.addEndpoint({ types: ['order.*'] });
  const b = await bed.addEndpoint({ types: ['order.created', 'refund.*'] });
  const other = await bed.addApp();
  await bed.addEndpoint({ app: other });
  const events = [
    await bed.publish({ type: 'order.created', resource: 'ord_1' }),
    await bed.publish({ type: 'refund.completed', money: true, resource: 'ord_1', createdAt: T0 + HOUR }),
    await bed.publish({ type: 'unknown.thing', createdAt: T0 + 2 * HOUR }),
    await bed.publish({ type: 'order.paid', createdAt: T0 + 3 * HOUR }),
    await bed.publish({ type: 'order.created', createdAt: T0 + 4 * HOUR }),
  ];
  await bed.publish({ app: other, createdAt: T0 + 4 * HOUR });
  await bed.publish({ environment: 'live', createdAt: T0 + 4 * HOUR });
  const now = T0 + 5 * HOUR;
  const claims = await bed.claim({ now });
  const of = (event: number, endpoint: number) =>
    claims.filter(({ eventId, endpointId }) => eventId === events[event]?.id && endpointId === endpoint);
  await bed.settle([
    ...of(0, a.id).map((claimed) => bed.endOf(claimed, ANSWER(200), now)),
    ...of(0, b.id).map((claimed) => bed.endOf(claimed, ANSWER(503), now)),
    ...of(1, b.id).map((claimed) => bed.endOf(claimed, DOWN, now)),
    ...of(3, a.id).map((claimed) => bed.endOf(claimed, ANSWER(204), now)),
  ]);
  return { a, b, events, other, now };
}

export function describeQueries(withBed: WithBed): void {
  it('O34 D01 every filter of the deliveries list gives its own rows, newest first, of this app and environment only', async () => {
    await withBed(async (bed) => {
      const { a, b, events, other } = await history(bed);
      // Deliveries: 1 e1→a 200, 2 e1→b 503, 3 e2→b refused, 4 e3 unmatched, 5 e4→a 204, 6 e5→a, 7 e5→b pending.
      const ids = async (filter: Partial<DeliveryFilter>) =>
        (await bed.store.read.deliveries({ ...scopeOf(bed), limit: 100, ...filter })).map(({ id }) => id);
      const table: [Partial<DeliveryFilter>, number[]][] = [
        [{}, [7, 6, 5, 4, 3, 2, 1]],
        [{ order: 'asc' }, [1, 2, 3, 4, 5, 6, 7]],
        [{ limit: 2 }, [7, 6]],
        [{ limit: 2, cursor: 6 }, [5, 4]],
        [{ limit: 2, cursor: 2, order: 'asc' }, [3, 4]],
        [{ status: 'delivered' }, [5, 1]],
        [{ status: 'pending' }, [7, 6, 3, 2]],
        [{ status: 'pending', cursor: 6 }, [3, 2]],
        [{ status: 'skipped' }, [4]],
        [{ status: 'failed' }, []],
        [{ reason: 'waiting' }, [7, 6]],
        [{ reason: 'retrying' }, [3, 2]],
        [{ reason: 'no_endpoint' }, [4]],
        [{ type: 'order.created' }, [7, 6, 2, 1]],
        [{ endpointId: a.id }, [6, 5, 1]],
        [{ endpointId: b.id, status: 'pending' }, [7, 3, 2]],
        [{ endpointId: a.id, status: 'delivered' }, [5, 1]],
        [{ eventId: events[0]?.id }, [2, 1]],
        [{ eventId: events[0]?.id, order: 'asc', limit: 1 }, [1]],
        [{ errorClass: 'http_5xx' }, [2]],
        [{ errorClass: 'connect_refused' }, [3]],
        [{ statusCode: 200 }, [1]],
        [{ statusCode: 503 }, [2]],
        [{ trigger: 'first' }, [5, 3, 2, 1]],
        [{ trigger: 'resend' }, []],
        [{ money: true }, [3]],
        [{ money: false }, [7, 6, 5, 4, 2, 1]],
        [{ createdAfter: T0 + HOUR }, [7, 6, 5, 4, 3]],
        [{ createdBefore: T0 + HOUR }, [3, 2, 1]],
        [{ createdAfter: T0 + 30 * MINUTE, createdBefore: T0 + 3 * HOUR }, [5, 4, 3]],
        [{ status: 'pending', type: 'order.created', errorClass: 'http_5xx', statusCode: 503 }, [2]],
        [{ status: 'pending', createdAfter: T0 + 4 * HOUR }, [7, 6]],
        [{ environment: 'live' }, [9]],
        [{ appId: other.id }, [8]],
        [{ appId: other.id, endpointId: a.id }, []],
        [{ appId: other.id, eventId: events[0]?.id }, []],
        [{ environment: 'live', endpointId: a.id }, []],
      ];
      for (const [filter, expected] of table) {
        expect([filter, await ids(filter)]).toEqual([filter, expected]);
      }
    });
  });

  it('R-RES-2 the trigger filter finds a delivery once, by any of its attempts', async () => {
    await withBed(async (bed) => {
      await bed.addEndpoint();
      const ids = [await bed.publishOne(), await bed.publishOne(), await bed.publishOne()];
      let now = T0;
      for (let nth = 0; nth < 3; nth += 1) {
        const claims = await bed.claim({ now });
        await bed.settle(
          claims.map((claimed) =>
            bed.endOf(claimed, claimed.deliveryId === ids[1] ? ANSWER(200) : DOWN, now),
          ),
        );
        now += HOUR;
      }
      const found = async (filter: Partial<DeliveryFilter>) =>
        (await bed.store.read.deliveries({ ...scopeOf(bed), limit: 100, ...filter })).map(({ id }) => id);
      expect(await found({ trigger: 'retry' })).toEqual([ids[2], ids[0]]);
      expect(await found({ trigger: 'retry', order: 'asc', limit: 1 })).toEqual([ids[0]]);
      expect(await found({ trigger: 'retry', cursor: ids[2] })).toEqual([ids[0]]);
      expect(await found({ trigger: 'retry', status: 'delivered' })).toEqual([]);
    });
  });

  it('O34 every filter of the Events API gives its own rows, newest first, of this app and environment only', async () => {
    await withBed(async (bed) => {
      const { a, b, events, other } = await history(bed);
      const [e1, e2, e3, e4, e5] = events.map(({ id }) => id);
      const ids = async (filter: Partial<EventFilter>) =>
        (await bed.store.read.events({ ...scopeOf(bed), limit: 100, ...filter })).map(({ id }) => id);
      const table: [Partial<EventFilter>, (number | undefined)[]][] = [
        [{}, [e5, e4, e3, e2, e1]],
        [{ order: 'asc', limit: 2 }, [e1, e2]],
        [{ order: 'asc', limit: 2, cursor: e2 }, [e3, e4]],
        [{ cursor: e3 }, [e2, e1]],
        [{ status: 'delivered' }, [e4, e1]],
        [{ status: 'pending' }, [e5, e2, e1]],
        [{ status: 'pending', cursor: e5, limit: 1 }, [e2]],
        [{ status: 'pending', order: 'asc' }, [e1, e2, e5]],
        [{ status: 'skipped' }, [e3]],
        [{ status: 'failed' }, []],
        [{ type: 'order.created' }, [e5, e1]],
        [{ endpointId: a.id }, [e5, e4, e1]],
        [{ endpointId: b.id, status: 'pending' }, [e5, e2, e1]],
        [{ resource: 'ord_1' }, [e2, e1]],
        [{ resource: 'ord_1', status: 'delivered' }, [e1]],
        [{ createdAfter: T0 + 2 * HOUR }, [e5, e4, e3]],
        [{ createdBefore: T0 + 2 * HOUR }, [e3, e2, e1]],
        [{ delivered: 'true' }, [e4]],
        [{ delivered: 'false' }, [e5, e2, e1]],
        [{ delivered: 'none' }, [e3]],
        [{ delivered: 'none', status: 'pending' }, []],
        [{ appId: other.id }, [6]],
        [{ environment: 'live' }, [7]],
        [{ appId: other.id, endpointId: a.id }, []],
      ];
      for (const [filter, expected] of table) {
        expect([filter, await ids(filter)]).toEqual([filter, expected]);
      }
    });
  });

  it('R-TIM-1 a clock set back by up to an hour hides no row from a list by time', async () => {
    await withBed(async (bed) => {
      await bed.addEndpoint();
      const steps = [0, 60, 120, 61, 90, 150, 100, 600].map((minutes) => T0 + minutes * MINUTE);
      for (const createdAt of steps) await bed.publishOne({ createdAt });
      for (const [from, to] of [
        [T0 + 60 * MINUTE, T0 + 120 * MINUTE],
        [T0 + 61 * MINUTE, T0 + 100 * MINUTE],
        [T0 + 150 * MINUTE, T0 + DAY],
      ]) {
        const rows = await bed.store.read.deliveries({
          ...scopeOf(bed),
          limit: 100,
          order: 'asc',
          createdAfter: from,
          createdBefore: to,
        });
        const expected = steps.flatMap((at, nth) => (at >= (from ?? 0) && at <= (to ?? 0) ? [nth + 1] : []));
        expect(rows.map(({ id }) => id)).toEqual(expected);
      }
    });
  });

  it('R-PUB-3 a list row carries what its event and endpoint add, and does without the latter', async () => {
    await withBed(async (bed) => {
      const { b, events } = await history(bed);
      const [row] = await bed.store.read.deliveriesOfEvents([events[1]?.id ?? 0]);
      expect(row).toMatchObject({
        eventPublicId: events[1]?.publicId,
        resource: 'ord_1',
        endpointPublicId: b.publicId,
        endpointNumber: 2,
        endpointUrl: b.url,
        endpointDescription: '',
      });
      expect(await bed.delivery(4)).toMatchObject({
        endpointId: null,
        endpointPublicId: null,
        endpointNumber: null,
        endpointUrl: null,
      });
      expect(await bed.store.read.delivery(999)).toBeNull();
      expect(await bed.store.read.typesInUse(scopeOf(bed), 10)).toEqual([
        'order.created',
        'order.paid',
        'refund.completed',
        'unknown.thing',
      ]);
      expect(await bed.store.read.typesInUse(scopeOf(bed), 2)).toHaveLength(2);
    });
  });

  it('R-FAIL-8 endpoints are numbered per app and environment, numbers are never reused', async () => {
    await withBed(async (bed) => {
      const numbers: number[] = [];
      for (let n = 0; n < 2; n += 1) numbers.push((await bed.addEndpoint()).number);
      const last = await bed.addEndpoint();
      await bed.store.transact((tx) => tx.deleteEndpoint(last.id));
      numbers.push((await bed.addEndpoint()).number, (await bed.addEndpoint({ environment: 'live' })).number);
      expect(numbers).toEqual([1, 2, 4, 1]);
      const listed = await bed.store.read.endpoints(scopeOf(bed));
      expect(listed.map(({ number }) => number)).toEqual([1, 2, 4]);
    });
  });

  it('R-LAD-8 policies are versions: a changed one is a new row, the old one stays', async () => {
    await withBed(async (bed) => {
      const scope = scopeOf(bed);
      const before = await bed.store.read.appEnvironment(scope);
      const row = await bed.store.transact(async (tx) => {
        const made = await tx.insertPolicy(scope, WITH_BREAKER, T0 + 1);
        await tx.updateAppEnvironment(scope, {
          policyId: made.id,
          envelope: 'none',
          catalogueMode: 'reject',
        });
        return made;
      });
      expect(row).toMatchObject({ version: 2, policy: { name: 'standard' }, createdAt: T0 + 1 });
      expect(await bed.store.read.appEnvironment(scope)).toEqual({
        ...scope,
        policyId: row.id,
        envelope: 'none',
        catalogueMode: 'reject',
        nextEndpointNumber: 1,
      });
      expect(await bed.store.read.policy(before?.policyId ?? 0)).toMatchObject({ version: 1 });
      expect(await bed.store.read.appEnvironment({ ...scope, environment: 'live' })).toMatchObject({
        envelope: 'standard',
      });
    });
  });

  it('R-LAD-8 a cycle keeps the ladder part it began with; a rolled-back policy leaves no trace in what is claimed', async () => {
    await withBed(async (bed) => {
      const scope = scopeOf(bed);
      await bed.addEndpoint();
      await bed.publishOne();
      const change = async (maxAgeMs: number, fails: boolean) =>
        bed.store.transact(async (tx) => {
          const made = await tx.insertPolicy(
            scope,
            { ...WITH_BREAKER, maxAgeMs, timeoutMs: maxAgeMs / DAY },
            T0,
          );
          await tx.updateAppEnvironment(scope, { policyId: made.id });
          await tx.publish({ records: [bed.record()] });
          if (fails) throw new Error('no');
          return made;
        });
      await expect(change(99 * DAY, true)).rejects.toThrow('no');
      await change(7 * DAY, false);
      const claims = await bed.claim();
      expect(claims.map(({ ladder }) => ladder.maxAgeMs / DAY)).toEqual([30, 7]);
      expect(claims.map(({ policy }) => policy.timeoutMs)).toEqual([7, 7]);
    });
  });

  it('R-SIG-2 secrets come newest first; a rotation shortens overlaps and never lengthens one', async () => {
    await withBed(async (bed) => {
      const endpoint = await bed.addEndpoint();
      const add = (version: number, expiresAt: number | null) =>
        bed.store.transact((tx) =>
          tx.insertSecret({
            endpointId: endpoint.id,
            ...scopeOf(bed),
            version,
            sealed: { keyId: 'k1', ciphertext: Buffer.from([version]) },
            createdAt: T0,
            expiresAt,
          }),
        );
      await add(1, T0 + HOUR);
      await add(2, null);
      await bed.store.transact((tx) => tx.expireSecrets(endpoint.id, T0 + 2 * HOUR));
      await add(3, null);
      const rows = await bed.store.read.secrets(endpoint.id);
      expect(rows.map(({ version, expiresAt }) => [version, expiresAt])).toEqual([
        [3, null],
        [2, T0 + 2 * HOUR],
        [1, T0 + HOUR],
      ]);
      expect(rows[0]?.sealed).toEqual({ keyId: 'k1', ciphertext: Buffer.from([3]) });
    });
  });

  it('R-BRK-8 what an endpoint holds is counted up to a limit, and the oldest due is told', async () => {
    await withBed(async (bed) => {
      const endpoint = await bed.addEndpoint();
      expect(await bed.store.read.oldestDueOf(endpoint.id)).toBeNull();
      for (let n = 5; n > 0; n -= 1) await bed.publishOne({ createdAt: T0 + n });
      expect(await bed.store.read.pendingOf(endpoint.id, 100)).toBe(5);
      expect(await bed.store.read.pendingOf(endpoint.id, 3)).toBe(3);
      expect(await bed.store.read.pendingOfEnvironment(scopeOf(bed), 100)).toBe(5);
      expect(await bed.store.read.pendingOfEnvironment({ ...scopeOf(bed), environment: 'live' }, 100)).toBe(
        0,
      );
      expect(await bed.store.read.oldestDueOf(endpoint.id)).toBe(T0 + 1);
      expect(await bed.store.read.oldestDueOf(999)).toBeNull();
    });
  });

  it('R-DEL-7 gate intervals that touch a span come in order, those of the app’s own breaker too', async () => {
    await withBed(async (bed) => {
      const endpoint = await bed.addEndpoint();
      const scope = scopeOf(bed);
      await bed.store.transact(async (tx) => {
        await tx.openGate({ scope, endpointId: endpoint.id, kind: 'pause', at: T0 + HOUR });
        await tx.closeGate({ scope, endpointId: endpoint.id, kind: 'pause', at: T0 + 2 * HOUR });
        await tx.openGate({ scope, endpointId: endpoint.id, kind: 'unsigned', at: T0 + 5 * HOUR });
        await tx.closeGate({ scope, endpointId: endpoint.id, kind: 'pause', at: T0 + 9 * HOUR });
      });
      await bed.exec(
        "INSERT INTO gate_intervals (app_id, environment, kind, from_at) VALUES (?, 'test', 'breaker', ?)",
        bed.app.id,
        T0 + 3 * HOUR,
      );
      const between = async (from: number, to: number) =>
        (await bed.store.read.gateIntervals({ scope, endpointId: endpoint.id, from, to })).map(
          ({ kind }) => kind,
        );
      expect(await between(T0, T0 + 9 * HOUR)).toEqual(['pause', 'breaker', 'unsigned']);
      expect(await between(T0 + 2 * HOUR, T0 + 4 * HOUR)).toEqual(['breaker']);
      expect(await between(T0, T0 + HOUR)).toEqual([]);
      expect(await between(T0 + 8 * HOUR, T0 + 9 * HOUR)).toEqual(['breaker', 'unsigned']);
    });
  });

  it('D19 keys, audit lines, meta, receivers and the catalogue come back as they were written', async () => {
    await withBed(async (bed) => {
      const scope = scopeOf(bed);
      const key = {
        publicId: 'key_1',
        organizationId: 'org_1',
        appId: bed.app.id,
        environment: 'test' as const,
        name: 'CI',
        scopes: ['events:write'],
        prefix: 'hk_test_ab',
        last4: 'wxyz',
        hash: 'h1',
        createdAt: T0,
        expiresAt: null,
      };
      const audit = {
        organizationId: 'org_1',
        appId: bed.app.id,
        environment: 'test' as const,
        at: T0,
        actorKind: 'user' as const,
        actorId: 'usr_1',
        action: 'endpoint.test',
        objectId: null,
        result: 'ok' as const,
        requestId: 'req_1',
        detail: { b: 1, a: ['x'] },
      };
      const made = await bed.store.transact(async (tx) => {
        const row = await tx.insertApiKey(key);
        await tx.touchApiKey(row.id, T0 + 5);
        await tx.insertAudit(audit);
        await tx.insertAudit({ ...audit, at: T0 + 10, result: 'denied' });
        await tx.setMeta('demo', '1');
        await tx.setMeta('demo', '2');
        await tx.insertReceiver({ ...scope, token: 'tok', behaviour: 'flaky', createdAt: T0 });
        return row;
      });
      expect(await bed.store.read.apiKeyByHash('h1')).toEqual({
        ...key,
        id: made.id,
        revokedAt: null,
        lastUsedAt: T0 + 5,
      });
      expect(await bed.store.read.apiKeys('org_1')).toHaveLength(1);
      expect(await bed.store.read.apiKeys('org_2')).toEqual([]);
      expect(await bed.store.read.audit({ organizationId: 'org_1', limit: 10 })).toEqual([
        { ...audit, at: T0 + 10, result: 'denied' },
        audit,
      ]);
      const count = { appId: bed.app.id, action: 'endpoint.test', limit: 10 };
      expect(await bed.store.read.auditCount({ ...count, since: T0 + 1 })).toEqual([T0 + 10]);
      expect(await bed.store.read.auditCount({ ...count, since: T0, limit: 1 })).toEqual([T0 + 10]);
      expect(await bed.store.read.meta('demo')).toBe('2');
      expect(await bed.store.read.receiver('tok')).toMatchObject({ behaviour: 'flaky' });
      expect(await bed.store.read.receivers()).toHaveLength(1);
      const app = await bed.store.transact((tx) =>
        tx.insertApp({
          publicId: 'app_2',
          organizationId: 'org_2',
          name: 'Two',
          policy: WITH_BREAKER,
          eventTypes: [
            { type: 'refund.completed', description: 'x', money: { money: 'always' }, example: '{"a":1}' },
          ],
          now: T0,
        }),
      );
      expect(await bed.store.read.eventTypes(app.id)).toEqual([
        {
          appId: app.id,
          type: 'refund.completed',
          description: 'x',
          money: { money: 'always' },
          example: '{"a":1}',
          createdAt: T0,
        },
      ]);
      expect(await bed.store.read.eventType(app.id, 'refund.completed')).toMatchObject({ description: 'x' });
      expect(await bed.store.read.eventType(app.id, 'other')).toBeNull();
      expect((await bed.store.read.appsOf('org_2')).map(({ id }) => id)).toEqual([app.id]);
      expect(await bed.store.read.app('app_2')).toEqual(await bed.store.read.appById(app.id));
    });
  });

  it('D37 an audit line can be neither changed nor removed', async () => {
    await withBed(async (bed) => {
      await bed.store.transact((tx) =>
        tx.insertAudit({
          organizationId: 'org_1',
          appId: null,
          environment: null,
          at: T0,
          actorKind: 'system',
          actorId: 'engine',
          action: 'x',
          objectId: null,
          result: 'ok',
          requestId: 'r',
          detail: {},
        }),
      );
      await expect(bed.exec("UPDATE audit_log SET action = 'y'")).rejects.toThrow(/insert-only/);
      await expect(bed.exec('DELETE FROM audit_log')).rejects.toThrow(/insert-only/);
      await expect(bed.damage('DELETE FROM audit_log')).rejects.toThrow(/insert-only/);
      expect(await bed.store.read.audit({ organizationId: 'org_1', limit: 5 })).toHaveLength(1);
    });
  });

  it('R-PUB-5 an idempotency row written beside a command decides by its unique key', async () => {
    await withBed(async (bed) => {
      const row = { ...scopeOf(bed), key: 'k', contentHash: 'h', status: 201, body: '{}', createdAt: T0 };
      const insert = () => bed.store.transact((tx) => tx.insertIdempotency(row));
      expect([await insert(), await insert()]).toEqual(['inserted', 'exists']);
      expect(await bed.store.read.idempotency(scopeOf(bed), 'k')).toEqual(row);
      expect(await bed.store.read.idempotency({ ...scopeOf(bed), environment: 'live' }, 'k')).toBeNull();
    });
  });
}
