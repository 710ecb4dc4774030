import { expect, it } from 'vitest';
import { beginCycle } from '@/server/core/cycle';
import type { DeliveryState } from '@/server/core/model';
import { type Bed, DAY, HOUR, MINUTE, NO_BREAKER, T0, TWO_LADDER, type WithBed } from './bed.conformance';

const sweep = (bed: Bed, now: number, limit = 1_000) => bed.store.sweep({ now, limit });

async function write(bed: Bed, id: number, change: Partial<DeliveryState>): Promise<void> {
  const row = await bed.delivery(id);
  await bed.store.transact((tx) => tx.updateDelivery(id, { ...row, ...change }));
}

export function describeSweep(withBed: WithBed): void {
  it('R-BRK-9 R-FAIL-4 behind a disabled endpoint what is due is skipped, what is not stays; auto-disabled ends both', async () => {
    await withBed(async (bed) => {
      const disabled = await bed.addEndpoint({ types: ['a'] });
      const auto = await bed.addEndpoint({ types: ['b'] });
      const active = await bed.addEndpoint({ types: ['c'] });
      const due = [
        await bed.publishOne({ type: 'a' }),
        await bed.publishOne({ type: 'b' }),
        await bed.publishOne({ type: 'c' }),
      ];
      const later = { createdAt: T0 + HOUR };
      const ahead = [
        await bed.publishOne({ type: 'a', ...later }),
        await bed.publishOne({ type: 'b', ...later }),
        await bed.publishOne({ type: 'c', ...later }),
      ];
      const suspect = await bed.publishOne({ type: 'a' });
      await write(bed, suspect, { unknowns: 4 });
      await bed.update(disabled.id, { status: 'disabled' });
      await bed.update(auto.id, { status: 'auto_disabled', disabledReason: 'failing' });
      expect(active.status).toBe('active');
      expect(await sweep(bed, T0 + 1)).toEqual({ skipped: 4, failed: 0, more: false });
      const status = async (id: number) => {
        const { status: of, reason } = await bed.delivery(id);
        return `${of}/${reason}`;
      };
      expect(await Promise.all([...due, ...ahead, suspect].map(status))).toEqual([
        'skipped/endpoint_disabled',
        'skipped/endpoint_disabled',
        'pending/waiting',
        'pending/waiting',
        'skipped/endpoint_disabled',
        'pending/waiting',
        'skipped/endpoint_disabled',
      ]);
      expect(await sweep(bed, T0 + HOUR)).toEqual({ skipped: 1, failed: 0, more: false });
    });
  });

  it('R-BRK-9 never under a lease that runs, nor a test’s first attempt; in batches', async () => {
    await withBed(async (bed) => {
      const endpoint = await bed.addEndpoint();
      for (let n = 0; n < 5; n += 1) await bed.publishOne();
      const leased = await bed.claimOne({ slots: 1 });
      await bed.update(endpoint.id, { status: 'disabled' });
      const test = await bed.publishOne({ type: 'webhook.test', testEndpointId: endpoint.id });
      expect(await sweep(bed, T0 + 1, 3)).toEqual({ skipped: 3, failed: 0, more: true });
      expect(await sweep(bed, T0 + 1, 3)).toEqual({ skipped: 1, failed: 0, more: false });
      expect(await bed.delivery(leased.deliveryId)).toMatchObject({
        status: 'pending',
        lease: { token: leased.token },
      });
      expect(await bed.delivery(test)).toMatchObject({ status: 'pending' });
      const end = T0 + NO_BREAKER.maxAgeMs + 1;
      expect(await sweep(bed, end)).toEqual({ skipped: 0, failed: 1, more: false });
      expect(await bed.delivery(leased.deliveryId)).toMatchObject({ status: 'pending' });
    });
  });

  it('R-BRK-9 R-LAD-4 R-LAD-3 past the age or the slow window it ends failed, at the limit not yet', async () => {
    await withBed(async (bed) => {
      await bed.addEndpoint();
      const old = await bed.publishOne();
      const slow = await bed.publishOne({ money: true });
      const slowEnd = T0 + HOUR + 48 * HOUR;
      await write(bed, slow, {
        slow: 1,
        slowStartedAt: T0 + HOUR,
        dueAt: T0 + 100 * DAY,
        deadlineAt: slowEnd,
      });
      expect(await sweep(bed, slowEnd)).toEqual({ skipped: 0, failed: 0, more: false });
      expect(await sweep(bed, slowEnd + 1)).toEqual({ skipped: 0, failed: 1, more: false });
      expect(await bed.delivery(slow)).toMatchObject({
        status: 'failed',
        reason: 'slow_window_over',
        dueAt: null,
      });
      const ageEnd = T0 + TWO_LADDER.maxAgeMs;
      expect(await sweep(bed, ageEnd)).toEqual({ skipped: 0, failed: 0, more: false });
      expect(await sweep(bed, ageEnd + 1)).toEqual({ skipped: 0, failed: 1, more: false });
      expect(await bed.delivery(old)).toMatchObject({
        status: 'failed',
        reason: 'too_old',
        endedAt: ageEnd + 1,
      });
    }, TWO_LADDER);
  });

  it('R-FAIL-8 a pause moves the end of the slow window: the sweep notes the new deadline and looks again then', async () => {
    await withBed(async (bed) => {
      const endpoint = await bed.addEndpoint();
      const id = await bed.publishOne({ money: true });
      const slowEnd = T0 + 48 * HOUR;
      await write(bed, id, { slow: 1, slowStartedAt: T0, dueAt: T0 + 20 * DAY, deadlineAt: slowEnd });
      const gate = {
        scope: { appId: bed.app.id, environment: 'test' as const },
        endpointId: endpoint.id,
        kind: 'pause' as const,
      };
      await bed.store.transact(async (tx) => {
        await tx.openGate({ ...gate, at: T0 + HOUR });
        await tx.closeGate({ ...gate, at: T0 + 4 * HOUR });
      });
      expect(await sweep(bed, slowEnd + 1)).toEqual({ skipped: 0, failed: 0, more: false });
      expect(await bed.delivery(id)).toMatchObject({ status: 'pending', deadlineAt: slowEnd + 3 * HOUR });
      expect(await sweep(bed, slowEnd + 3 * HOUR + 1)).toMatchObject({ failed: 1 });
    }, TWO_LADDER);
  });

  it('R-PUB-3 a row that waits for want of an endpoint has none to be inactive; its age ends it', async () => {
    await withBed(async (bed) => {
      const { deliveries } = await bed.publish();
      expect(await sweep(bed, T0 + TWO_LADDER.maxAgeMs)).toMatchObject({ failed: 0, skipped: 0 });
      expect(await sweep(bed, T0 + TWO_LADDER.maxAgeMs + 1)).toMatchObject({ failed: 1, skipped: 0 });
      expect(await bed.delivery(deliveries[0]?.id ?? 0)).toMatchObject({
        status: 'failed',
        reason: 'too_old',
      });
    }, TWO_LADDER);
  });

  it('R-RES-1 a cycle that a person began does not end by age before 48 h after its start', async () => {
    await withBed(async (bed) => {
      await bed.addEndpoint();
      const id = await bed.publishOne();
      const late = T0 + NO_BREAKER.maxAgeMs + DAY;
      await sweep(bed, late);
      const row = await bed.delivery(id);
      expect(row.status).toBe('failed');
      await write(bed, id, beginCycle(row, { facts: row, ladder: NO_BREAKER, now: late, trigger: 'resend' }));
      expect(await sweep(bed, late + 48 * HOUR)).toMatchObject({ failed: 0 });
      expect(await sweep(bed, late + 48 * HOUR + 1)).toMatchObject({ failed: 1 });
    });
  });

  it('R-DEL-6 a row that the sweep cannot read is set aside and stops nothing', async () => {
    await withBed(async (bed) => {
      await bed.addEndpoint();
      const broken = await bed.publishOne();
      const sound = await bed.publishOne();
      await bed.damage('UPDATE deliveries SET policy_id = 999 WHERE id = ?', broken);
      expect(await sweep(bed, T0 + NO_BREAKER.maxAgeMs + MINUTE)).toEqual({
        skipped: 0,
        failed: 2,
        more: false,
      });
      expect(await bed.delivery(broken)).toMatchObject({ status: 'failed', reason: 'corrupt' });
      expect(await bed.delivery(sound)).toMatchObject({ status: 'failed', reason: 'too_old' });
    });
  });
}
