import { expect, it } from 'vitest';
import { createWorld } from '@/server/testing/world';

it('R-PUB-6 what is due is counted over apps and endpoints, gates included, up to the limit and no further', async () => {
  const world = await createWorld({ answer: () => 503 });
  const other = await world.addApp((await world.store.read.policy(1))?.policy ?? never());
  await world.addEndpoint();
  await world.addEndpoint({ types: ['order.*'] });
  await world.addEndpoint({ app: other });
  const now = () => world.clock.now();
  expect(await world.store.read.dueNow(now(), 100)).toBe(0);
  for (let n = 0; n < 5; n += 1) await world.publish();
  for (let n = 0; n < 3; n += 1) await world.publish({ app: other });
  expect(await world.store.read.dueNow(now(), 100)).toBe(13);
  expect(await world.store.read.dueNow(now() - 1, 100)).toBe(0);
  expect(await world.store.read.dueNow(now(), 7)).toBe(7);
  await world.close();
});

function never(): never {
  throw new Error('the first app has a policy');
}
