import { expect, it } from 'vitest';
import { inEnvironment, pageOf, pathOfId } from './navigation-items';

const place = { appId: 'app_1', environment: 'live' } as const;

it.each([
  ['dlv_01jq', '/app_1/live/deliveries/dlv_01jq'],
  ['  ep_01jq ', '/app_1/live/endpoints/ep_01jq'],
  ['brk_01jq', '/app_1/live/breakers/brk_01jq'],
  ['app_2', '/app_2/live/deliveries'],
  ['xyz_1', null],
  ['dlv_../../support', null],
  ['', null],
])('an id leads to its page: %s', (id, path) => {
  expect(pathOfId(id, place)).toBe(path);
});

it('the environment switch keeps the page and drops the id', () => {
  expect(inEnvironment('/app_1/test/endpoints/ep_9', place)).toBe('/app_1/live/endpoints');
  expect(inEnvironment('/app_1/test', place)).toBe('/app_1/live/deliveries');
  expect(pageOf('/app_1/test/breakers')).toBe('breakers');
});
