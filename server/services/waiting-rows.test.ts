import { describe, expect, it } from 'vitest';
import { PRESETS } from '@/server/core/policy';
import { createServiceWorld, person } from '@/server/testing/service-world';
import { createEndpoint, updateEndpoint } from './endpoint-changes';

async function start() {
  const world = await createServiceWorld({ policy: PRESETS['two-ladder'] });
  const context = { actor: person('admin'), deps: world.deps, requestId: 'r' };
  const create = (types: string[]) =>
    createEndpoint.call(context, {
      appId: world.app.publicId,
      environment: 'test',
      input: { url: 'https://shop.example.com/', types },
    });
  const rows = () =>
    world.store.read.deliveries({ appId: world.app.id, environment: 'test', limit: 100, order: 'asc' });
  return { world, context, create, rows };
}

describe('events that wait for an endpoint', () => {
  it('R-PUB-3 become the deliveries of the first endpoint that matches, due now; a later one gets none', async () => {
    const { world, create, rows } = await start();
    await world.publish({ type: 'a.b' });
    await world.publish({ type: 'z.z' });
    await world.publish({ type: 'a.c', environment: 'live' });
    expect((await rows()).map((row) => [row.status, row.reason, row.endpointId])).toEqual([
      ['pending', 'no_endpoint', null],
      ['pending', 'no_endpoint', null],
    ]);
    await world.clock.advance(60_000);
    const made = await create(['a.*']);
    const [first, second] = await rows();
    expect(first).toMatchObject({
      endpointPublicId: made.id,
      reason: 'waiting',
      dueAt: world.clock.now(),
      nextTrigger: 'first',
    });
    expect(second).toMatchObject({ endpointId: null, reason: 'no_endpoint' });
    await create(['a.*']);
    expect((await rows())[0]?.endpointPublicId).toBe(made.id);
  });

  it('R-PUB-3 R-FAIL-3 enabling an endpoint takes them too, any other edit does not', async () => {
    const { world, context, create, rows } = await start();
    const made = await create(['a.*']);
    const update = (input: object) =>
      updateEndpoint.call(context, { appId: world.app.publicId, input: { endpointId: made.id, ...input } });
    await update({ status: 'disabled' });
    await world.publish({ type: 'a.b' });
    await update({ description: 'new', types: ['a.*', 'b.*'] });
    expect((await rows())[0]?.endpointId).toBeNull();
    await update({ status: 'active' });
    expect((await rows())[0]).toMatchObject({ endpointPublicId: made.id, reason: 'waiting' });
  });

  it('R-PUB-3 more than one batch is moved to the last row, oldest first', async () => {
    const { world, create } = await start();
    for (let n = 0; n < 1_150; n += 1) await world.publish({ type: 'a.b' });
    const made = await create([]);
    const endpoint = await world.store.read.endpoint(made.id);
    expect(await world.store.read.pendingOf(endpoint?.id ?? 0, 2_000)).toBe(1_150);
  });

  it('R-PUB-3 what is too old stays, to be ended by its age', async () => {
    const { world, create, rows } = await start();
    await world.publish({ type: 'a.b' });
    await world.clock.advance(31 * 86_400_000);
    await create([]);
    expect((await rows())[0]).toMatchObject({ endpointId: null, reason: 'no_endpoint' });
  });
});
