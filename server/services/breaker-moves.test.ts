import { afterEach, describe, expect, it } from 'vitest';
import { PRESETS } from '@/server/core/policy';
import { createServiceWorld } from '@/server/testing/service-world';
import { asSystem } from './admin';
import { removeEndpoint, updateEndpoint } from './endpoint-changes';

let world: Awaited<ReturnType<typeof createServiceWorld>>;
afterEach(() => world.close());

/** Two endpoints behind one breaker, one of them dead, and the breaker open. */
async function openShared() {
  world = await createServiceWorld({
    policy: PRESETS['two-ladder'],
    answer: ({ request }) => (request.url.endsWith('/dead') ? 503 : 204),
    runs: true,
  });
  const dead = await world.addEndpoint({ url: 'https://hooks.example.com/dead' });
  await world.addEndpoint({ url: 'https://hooks.example.com/well' });
  for (let n = 0; n < 8; n += 1) await world.publish();
  await world.run(20_000);
  expect(await world.store.read.breakers('not_closed')).toHaveLength(1);
  return { dead, call: { appId: world.app.publicId, environment: 'test' as const } };
}

describe('a breaker that endpoints share', () => {
  it('R-BRK-3 R-BRK-6 is reset when the last endpoint that is down is switched off: nobody is left to probe', async () => {
    const { dead, call } = await openShared();
    const input = { endpointId: dead.publicId, status: 'disabled' as const };
    await updateEndpoint.call(asSystem(world.deps), { ...call, input });
    expect(await world.store.read.breakers('not_closed')).toEqual([]);
  });

  it('R-BRK-3 R-DEL-4 is reset when the last endpoint that is down is deleted', async () => {
    const { dead, call } = await openShared();
    await removeEndpoint.call(asSystem(world.deps), { ...call, input: { endpointId: dead.publicId } });
    expect(await world.store.read.breakers('not_closed')).toEqual([]);
  });

  it('R-BRK-3 stays open when the one that leaves was well', async () => {
    const { call } = await openShared();
    const [, well] = await world.store.read.endpoints({ appId: world.app.id, environment: 'test' });
    const input = { endpointId: well?.publicId ?? '' };
    await removeEndpoint.call(asSystem(world.deps), { ...call, input });
    expect(await world.store.read.breakers('not_closed')).toHaveLength(1);
  });
});
