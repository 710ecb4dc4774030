import { afterEach, expect, it } from 'vitest';
import { type Policy, PRESETS } from '@/server/core/policy';
import { describeOnEach } from '@/server/testing/dialects';
import type { Answer } from '@/server/testing/fake-dispatcher';
import { createWorld } from '@/server/testing/world';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

let world: Awaited<ReturnType<typeof createWorld>>;
afterEach(() => world.close());

/** Publishes one event to one endpoint and lets time pass: instants of the attempts, and the end. */
async function play(
  policy: Policy,
  answers: (nth: number, elapsedMs: number) => Answer,
  options: { money?: boolean; ms: number },
) {
  const start = { at: 0 };
  world = await createWorld({
    policy,
    answer: (sent, nth) => answers(nth, sent.at - start.at),
    engine: { longestSleepMs: 10 * MINUTE },
  });
  start.at = world.clock.now();
  await world.addEndpoint();
  world.engine.start();
  const { deliveries } = await world.publish({ money: options.money ?? false });
  await world.run(options.ms);
  const delivery = await world.delivery(deliveries[0]?.id ?? 0);
  return { instants: world.sent.map(({ at }) => at - start.at), delivery };
}

const withoutJitter = (policy: Policy): Policy => ({ ...policy, ladder: { ...policy.ladder, jitter: 0 } });
const withoutBreaker = ({ breaker: _, ...policy }: Policy): Policy => policy;
const seconds = (instants: readonly number[]) => instants.map((ms) => ms / SECOND);

describeOnEach('whole ladders under the fake clock', () => {
  it('R-LAD-1 two-ladder: a dead endpoint with the breaker closed is tried ten times in 511 s', async () => {
    const { instants, delivery } = await play(withoutBreaker(PRESETS['two-ladder']), () => 503, { ms: HOUR });
    expect(seconds(instants)).toEqual([0, 1, 3, 7, 15, 31, 63, 127, 255, 511]);
    expect(delivery).toMatchObject({
      status: 'failed',
      reason: 'exhausted',
      attempts: 10,
      fast: 10,
      slow: 0,
    });
  });

  it('R-LAD-1 R-BRK-2 two-ladder: a lone delivery to a dead endpoint goes on as its breaker’s probe for 5,715 s', async () => {
    const { instants, delivery } = await play(PRESETS['two-ladder'], () => 503, { ms: 3 * HOUR });
    expect(seconds(instants)).toEqual([0, 1, 3, 7, 15, 315, 915, 2115, 3915, 5715]);
    expect(delivery).toMatchObject({ status: 'failed', reason: 'exhausted', attempts: 10 });
    const attempts = await world.store.read.attempts(delivery.id);
    expect(attempts.map(({ trigger }) => trigger)).toEqual([
      'first',
      ...Array(4).fill('retry'),
      ...Array(5).fill('probe'),
    ]);
  });

  it('R-LAD-1 backoff: eight attempts, seven waits of 30 s to 1,920 s', async () => {
    const { instants, delivery } = await play(withoutJitter(PRESETS.backoff), () => 'connect_refused', {
      ms: DAY,
    });
    expect(seconds(instants)).toEqual([0, 30, 90, 210, 450, 930, 1890, 3810]);
    expect(delivery).toMatchObject({ status: 'failed', reason: 'exhausted', attempts: 8 });
  });

  it('R-LAD-5 backoff: with jitter each wait lies in [d, 1.3 d] and the stored due time is the one kept', async () => {
    const { instants } = await play(PRESETS.backoff, () => 500, { ms: DAY });
    const waits = instants.slice(1).map((at, index) => at - (instants[index] ?? 0));
    const plain = [30, 60, 120, 240, 480, 960, 1920].map((wait) => wait * SECOND);
    expect(waits).toHaveLength(plain.length);
    waits.forEach((wait, index) => {
      expect(wait).toBeGreaterThanOrEqual(plain[index] ?? 0);
      expect(wait).toBeLessThanOrEqual((plain[index] ?? 0) * 1.3 + 1);
    });
  });

  it('R-LAD-1 schedule: eight attempts in 44 h 36 m', async () => {
    const { instants, delivery } = await play(PRESETS.schedule, () => 404, { ms: 3 * DAY });
    expect(seconds(instants)).toEqual([0, 60, 360, 2160, 9360, 30960, 74160, 160560]);
    expect(delivery).toMatchObject({ status: 'failed', reason: 'exhausted', attempts: 8 });
  });

  it('R-LAD-1 standard: nine attempts over 41 h, rejected answers as unavailable ones', async () => {
    const { instants, delivery } = await play(withoutBreaker(withoutJitter(PRESETS.standard)), () => 422, {
      ms: 3 * DAY,
    });
    expect(seconds(instants)).toEqual([0, 5, 35, 155, 755, 4355, 18755, 61955, 148355]);
    expect(delivery).toMatchObject({ status: 'failed', reason: 'exhausted', attempts: 9 });
  });

  it('R-LAD-2 two counters: 400, 400, 503, 503, 400, 200 waits 15 m, 1 h, 1 s, 2 s, 4 h', async () => {
    const script = [400, 400, 503, 503, 400, 200];
    const { instants, delivery } = await play(PRESETS['two-ladder'], (nth) => script[nth - 1] ?? 200, {
      money: true,
      ms: DAY,
    });
    const waits = instants.slice(1).map((at, index) => at - (instants[index] ?? 0));
    expect(waits).toEqual([15 * MINUTE, HOUR, SECOND, 2 * SECOND, 4 * HOUR]);
    expect(delivery).toMatchObject({ status: 'delivered', fast: 2, slow: 3, attempts: 6 });
  });

  it('R-LAD-2 R-MON-2 what is no money fails at once on a 4xx', async () => {
    const { instants, delivery } = await play(PRESETS['two-ladder'], () => 400, { ms: DAY });
    expect(instants).toEqual([0]);
    expect(delivery).toMatchObject({ status: 'failed', reason: 'rejected', attempts: 1 });
  });

  it('R-LAD-3 a delivery that lay 5 days behind a breaker and then meets a 400 gets its whole slow ladder', async () => {
    const dead = 5 * DAY;
    world = await createWorld({
      policy: PRESETS['two-ladder'],
      answer: (sent) => (sent.at - start < dead ? 503 : 400),
      engine: { longestSleepMs: 10 * MINUTE },
    });
    const start = world.clock.now();
    await world.addEndpoint();
    world.engine.start();
    // Others take the turns as probes, so that this one stays far from its fast ladder's end.
    for (let n = 0; n < 200; n += 1) await world.publish({ money: true });
    const { deliveries } = await world.publish({ money: true });
    const id = deliveries[0]?.id ?? 0;
    await world.run(dead - 1);
    const before = await world.delivery(id);
    expect(before.status).toBe('pending');
    await world.run(4 * DAY);
    const attempts = (await world.store.read.attempts(id)).filter(({ statusCode }) => statusCode === 400);
    const waits = attempts.slice(1).map((row, index) => row.startedAt - (attempts[index]?.endedAt ?? 0));
    expect(waits).toEqual([15 * MINUTE, HOUR, 4 * HOUR, 12 * HOUR, 24 * HOUR]);
    const after = await world.delivery(id);
    expect(after).toMatchObject({ status: 'failed', reason: 'exhausted', slow: 6 });
    expect(after.slowStartedAt).toBe(attempts[0]?.endedAt);
  });

  it('R-ATT-11 a Retry-After postpones to at most the own wait + 2 h and brings nothing forward', async () => {
    const script: Answer[] = [
      { status: 429, retryAfter: '120' },
      { status: 503, retryAfter: '1' },
      { status: 503, retryAfter: '999999' },
      200,
    ];
    const { instants } = await play(withoutJitter(PRESETS.standard), (nth) => script[nth - 1] ?? 200, {
      ms: DAY,
    });
    expect(seconds(instants)).toEqual([0, 120, 150, 150 + 120 + 7200]);
  });
});
