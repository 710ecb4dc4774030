import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { liveSecrets, rotate, type SecretVersion } from '@/server/core/secret-rotation';

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 5, 1);
const first: SecretVersion = { version: 1, createdAt: NOW - 90 * HOUR, expiresAt: null };
const oldEnding: SecretVersion = { version: 1, createdAt: NOW - 90 * HOUR, expiresAt: NOW + 5 * HOUR };
const second: SecretVersion = { version: 2, createdAt: NOW - 19 * HOUR, expiresAt: null };

describe('rotation', () => {
  it('R-SIG-2 a rotation puts a new version beside the old one, which ends after 24 h unless told', () => {
    expect(rotate(NOW, [first])).toEqual({
      ok: true,
      version: 2,
      expiries: [{ version: 1, expiresAt: NOW + 24 * HOUR }],
    });
    expect(rotate(NOW, [first], { overlapMs: 0 })).toMatchObject({
      expiries: [{ version: 1, expiresAt: NOW }],
    });
    expect(rotate(NOW, [first], { overlapMs: 168 * HOUR }).ok).toBe(true);
    expect(rotate(NOW, [])).toEqual({ ok: true, version: 1, expiries: [] });
  });

  it.each([-1, 168 * HOUR + 1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])(
    'R-SIG-2 an overlap of %d ms is refused',
    (overlapMs) => {
      expect(rotate(NOW, [first], { overlapMs })).toMatchObject({ ok: false, why: 'overlap_out_of_range' });
    },
  );

  it('R-SIG-6 a second rotation inside the overlap is refused and says why and until when', () => {
    expect(rotate(NOW, [oldEnding, second])).toEqual({
      ok: false,
      why: 'overlap_running',
      version: 1,
      overlapEndsAt: NOW + 5 * HOUR,
      message:
        'Version 1 still signs beside version 2 until 2026-06-01T05:00:00.000Z. Rotating now would end it at once; wait, or force the rotation.',
    });
  });

  it('R-SIG-6 forced, the oldest ends at once and the newest after the overlap: never three live', () => {
    expect(rotate(NOW, [oldEnding, second], { force: true, overlapMs: HOUR })).toEqual({
      ok: true,
      version: 3,
      expiries: [
        { version: 2, expiresAt: NOW + HOUR },
        { version: 1, expiresAt: NOW },
      ],
    });
  });

  it('R-SIG-6 at the end of the overlap the next rotation is free again', () => {
    expect(rotate(NOW + 5 * HOUR - 1, [oldEnding, second]).ok).toBe(false);
    expect(rotate(NOW + 5 * HOUR, [oldEnding, second])).toMatchObject({ ok: true, version: 3 });
  });

  it('R-SIG-2 R-SIG-6 D23 however rotations follow each other, one or two secrets are live and the newest has no end', () => {
    const step = fc.record({
      afterMs: fc.integer({ min: 0, max: 200 * HOUR }),
      overlapMs: fc.integer({ min: 0, max: 168 * HOUR }),
      force: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        let secrets: SecretVersion[] = [first];
        let now = NOW;
        for (const { afterMs, overlapMs, force } of steps) {
          now += afterMs;
          const liveBefore = liveSecrets(now, secrets).length;
          const rotation = rotate(now, secrets, { overlapMs, force });
          expect(rotation.ok).toBe(force || liveBefore === 1);
          if (!rotation.ok) continue;
          const ends = new Map(rotation.expiries.map(({ version, expiresAt }) => [version, expiresAt]));
          secrets = secrets.map((secret) => ({
            ...secret,
            expiresAt: ends.get(secret.version) ?? secret.expiresAt,
          }));
          secrets.push({ version: rotation.version, createdAt: now, expiresAt: null });
          const live = liveSecrets(now, secrets);
          expect(live.length).toBe(overlapMs === 0 ? 1 : 2);
          expect(live[0]).toMatchObject({ version: rotation.version, expiresAt: null });
        }
      }),
    );
  });
});
