import { describe, expect, it } from 'vitest';
import { freshHealth } from '@/server/testing/core-loop';
import {
  autoDisable,
  disable,
  enable,
  type HealthEnd,
  healthAfter,
  healthDiffers,
  healthOf,
  isFailingFor,
  pause,
  resume,
} from './endpoint-health';
import type { EndpointHealth } from './model';

const H = 3_600_000;
const D = 24 * H;

function ended(health: EndpointHealth, change: Partial<HealthEnd>): EndpointHealth {
  return healthAfter(health, {
    outcome: 'unavailable',
    trigger: 'retry',
    endedAt: 10,
    late: false,
    reachable: null,
    ...change,
  });
}

describe('failing since', () => {
  it('R-FAIL-1 is set by the first failed attempt after a success; the count goes on beside it', () => {
    const first = ended(freshHealth(), { endedAt: 10 });
    expect(first).toMatchObject({ failingSince: 10, lastFailedAt: 10, consecutiveFailures: 1 });
    const second = ended(first, { outcome: 'rejected', endedAt: 25 });
    expect(second).toMatchObject({ failingSince: 10, lastFailedAt: 25, consecutiveFailures: 2 });
  });

  it('R-FAIL-1 ends that settle out of order keep the latest failure', () => {
    expect(ended(ended(freshHealth(), { endedAt: 25 }), { endedAt: 10 })).toMatchObject({ lastFailedAt: 25 });
  });

  it('R-FAIL-1 R-DEL-2 is cleared by any delivered attempt, a late one too', () => {
    const failing = ended(freshHealth(), {});
    for (const late of [false, true]) {
      expect(ended(failing, { outcome: 'delivered', late })).toEqual(freshHealth());
    }
  });

  it('R-FAIL-1 a late success after auto-disable clears and re-enables nothing', () => {
    const off = autoDisable(ended(freshHealth(), {}), 'failing');
    expect(ended(off, { outcome: 'delivered', late: true })).toEqual(
      freshHealth({ status: 'auto_disabled', disabledReason: 'failing' }),
    );
  });

  it('R-DEL-2 a late failure moves nothing', () => {
    expect(ended(freshHealth(), { late: true })).toEqual(freshHealth());
  });

  it('R-ATT-17 unknown and held ends move nothing; of a test’s first attempt only a 2xx acts', () => {
    const failing = ended(freshHealth(), {});
    for (const outcome of ['unknown', 'held'] as const) expect(ended(failing, { outcome })).toEqual(failing);
    expect(ended(failing, { trigger: 'test', endedAt: 99 })).toEqual(failing);
    expect(ended(failing, { trigger: 'test', outcome: 'delivered' })).toEqual(freshHealth());
  });

  it('R-BRK-3 whether the last counted end was reachable is kept with it', () => {
    expect(ended(freshHealth(), { outcome: 'rejected', reachable: true }).lastEndReachable).toBe(true);
    expect(ended(freshHealth({ lastEndReachable: true }), { reachable: false }).lastEndReachable).toBe(false);
    expect(ended(freshHealth({ lastEndReachable: true }), { reachable: null }).lastEndReachable).toBe(true);
  });
});

describe('failing for N', () => {
  it.each([
    [0, 24 * H - 1_000, false],
    [0, 24 * H, true],
    [0, 24 * H + 1_000, true],
    [5 * H, 28 * H, false],
  ])('R-FAIL-2 P18: failures at %i and %i ms are 24 h apart: %s', (failingSince, lastFailedAt, failing) => {
    expect(isFailingFor({ failingSince, lastFailedAt }, 24 * H)).toBe(failing);
  });

  it('R-FAIL-2 silence is not failing: one failure five days ago is none of 24 h', () => {
    const health = ended(freshHealth(), { endedAt: 10 });
    expect(isFailingFor(health, 5 * D)).toBe(false);
    expect(isFailingFor(freshHealth(), 0)).toBe(false);
  });
});

describe('status', () => {
  const failing = ended(freshHealth(), { endedAt: 10 });

  it('R-FAIL-3 R-FAIL-8 enabling clears the counters and the reason', () => {
    expect(enable(autoDisable(failing, 'gone'))).toEqual(freshHealth());
    expect(enable(disable(failing))).toEqual(freshHealth());
  });

  it('R-FAIL-8 disabling by a person keeps what is known and has no reason', () => {
    expect(disable(failing)).toEqual({ ...failing, status: 'disabled' });
    expect(disable(autoDisable(failing, 'failing'))).toEqual({ ...failing, status: 'disabled' });
  });

  it('R-FAIL-2 auto-disabling acts on an active endpoint alone', () => {
    expect(autoDisable(failing, 'failing')).toEqual({
      ...failing,
      status: 'auto_disabled',
      disabledReason: 'failing',
    });
    expect(autoDisable(disable(failing), 'failing')).toEqual(disable(failing));
  });

  it('R-FAIL-7 R-FAIL-8 a pause is no status, lasts at most 7 d, and touches no counter', () => {
    expect(pause(failing, { until: D, now: 0 })).toEqual({ ...failing, pausedUntil: D });
    expect(pause(failing, { until: 99 * D, now: D }).pausedUntil).toBe(8 * D);
    expect(resume(pause(failing, { until: D, now: 0 }))).toEqual(failing);
  });
});

it('R-FAIL-1 nothing is written where nothing differs, and everything that differs is seen', () => {
  const health = freshHealth();
  expect(healthDiffers(health, healthOf({ ...health }))).toBe(false);
  const other: EndpointHealth = {
    status: 'disabled',
    disabledReason: 'gone',
    pausedUntil: 1,
    failingSince: 1,
    lastFailedAt: 1,
    consecutiveFailures: 1,
    lastEndReachable: true,
    unsignedSince: 1,
    unsignedRetryAt: 1,
  };
  const fields = Object.keys(other) as (keyof EndpointHealth)[];
  for (const field of fields) {
    expect(healthDiffers(health, { ...health, [field]: other[field] })).toBe(true);
  }
  expect(healthOf({ ...other, url: 'https://x' } as EndpointHealth)).toEqual(other);
});
