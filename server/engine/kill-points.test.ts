import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSystemClock } from '@/server/adapters/system-clock';
import type { KillPoint } from '@/server/engine/attempt';
import { startZoo, type Zoo } from '@/server/testing/receiver-zoo';
import { createTestStore, type TestStore } from '@/server/testing/temp-store';
import { createWorld } from '@/server/testing/world';

const CHILD = fileURLToPath(new URL('../testing/engine-child.ts', import.meta.url));
const IN_FLIGHT = 4;
const EVENTS = 24;
const POINTS: readonly KillPoint[] = [
  'after_claim',
  'before_send',
  'after_send',
  'before_settle',
  'after_settle',
];

let zoo: Zoo;
let store: TestStore;
let world: Awaited<ReturnType<typeof createWorld>>;
let child: ChildProcess | null = null;

beforeEach(async () => {
  zoo = await startZoo('ok-200');
  store = await createTestStore();
  world = await createWorld({ store });
  // Real processes live in real time: what is published is due when they look.
  world.clock.stepWall(createSystemClock().now() - world.clock.now());
});

afterEach(async () => {
  child?.kill('SIGKILL');
  await world.close();
  await zoo.close();
});

function startEngine(point: KillPoint | 'none', nth: number): ChildProcess {
  child = spawn(process.execPath, ['--import', 'tsx', CHILD, store.path, point, String(nth)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  return child;
}

async function killAt(point: KillPoint, nth: number): Promise<void> {
  const running = startEngine(point, nth);
  const [message] = await once(running, 'message');
  expect(message).toEqual({ reached: point });
  const gone = once(running, 'exit');
  running.kill('SIGKILL');
  await gone;
}

async function until(done: () => Promise<boolean>): Promise<void> {
  while (!(await done())) await new Promise((resolve) => setTimeout(resolve, 50));
}

describe('kill -9 of a real engine at a point that it announces', () => {
  it('R-DEL-2 R-DEL-11 P03 ten kills: nothing acknowledged is lost, duplicates carry the same id and bytes, no lease stays', async () => {
    await world.addEndpoint({ url: zoo.url, concurrency: IN_FLIGHT });
    const ledger = new Map<string, number>();
    const publishSome = async () => {
      for (let n = 0; n < EVENTS / 10 + 1; n += 1) {
        const event = await world.publish({ data: JSON.stringify({ n, text: 'сүх 🪓', rate: 1.0 }) });
        ledger.set(event.publicId, event.deliveries[0]?.id ?? 0);
      }
    };
    let kills = 0;
    for (const nth of [1, 2]) {
      for (const point of POINTS) {
        await publishSome();
        await killAt(point, nth);
        kills += 1;
      }
    }
    expect(kills).toBe(10);
    const last = startEngine('none', 1);
    await until(async () => {
      const rows = await Promise.all([...ledger.values()].map((id) => world.delivery(id)));
      return rows.every(({ status, lease }) => status === 'delivered' && lease === null);
    });
    const gone = once(last, 'exit');
    last.kill('SIGTERM');
    expect((await gone)[0]).toBe(0);

    const received = new Map<string, Buffer[]>();
    for (const request of zoo.requests) {
      const id = request.header('webhook-id') ?? '';
      received.set(id, [...(received.get(id) ?? []), request.body]);
    }
    expect([...received.keys()].sort()).toEqual([...ledger.keys()].sort());
    const duplicates = zoo.requests.length - ledger.size;
    expect(duplicates).toBeLessThanOrEqual(kills * IN_FLIGHT);
    for (const [publicId, bodies] of received) {
      const stored = (await store.read.event(publicId))?.body;
      for (const body of bodies) expect(body.equals(Buffer.from(stored ?? []))).toBe(true);
    }
    const attempts = (await Promise.all([...ledger.values()].map((id) => store.read.attempts(id)))).flat();
    const lost = attempts.filter(({ outcome }) => outcome === 'unknown');
    expect(lost.length).toBeGreaterThan(0);
    expect(lost.every(({ errorClass }) => errorClass === 'lost')).toBe(true);
  }, 180_000);
});
