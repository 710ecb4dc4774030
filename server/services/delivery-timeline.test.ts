import { expect, it } from 'vitest';
import { PRESETS } from '@/server/core/policy';
import { createWorld } from '@/server/testing/world';
import { buildTimeline } from './delivery-timeline';
import { loadView } from './render/view';

it('R-LAD-7 the steps under the marks run on without a break from what was to what is to come', async () => {
  const { breaker: _, ...policy } = PRESETS.standard;
  const world = await createWorld({ policy, answer: () => 400 });
  await world.addEndpoint();
  world.engine.start();
  const event = await world.publish();
  await world.run(60_000);
  const row = await world.delivery(event.deliveries[0]?.id ?? 0);
  const scope = { appId: row.appId, environment: row.environment };
  const queries = world.store.read;
  const view = await loadView({ queries, scope, now: world.clock.now(), hidesQueries: false });
  const attempts = await queries.attempts(row.id);
  const endpoint = (await queries.endpoints(scope))[0] ?? null;
  const { marks } = await buildTimeline(queries, row, { view, attempts, endpoint });
  const steps = marks.filter(({ kind }) => kind === 'attempt' || kind === 'planned');
  expect(steps.map(({ kind, number, ladder, step }) => [kind, number, ladder, step])).toEqual([
    ['attempt', 1, 'fast', 1],
    ['attempt', 2, 'fast', 2],
    ['attempt', 3, 'fast', 3],
    ['planned', 4, 'fast', 4],
    ['planned', 5, 'fast', 5],
    ['planned', 6, 'fast', 6],
    ['planned', 7, 'fast', 7],
    ['planned', 8, 'fast', 8],
    ['planned', 9, 'fast', 9],
  ]);
  await world.close();
});
