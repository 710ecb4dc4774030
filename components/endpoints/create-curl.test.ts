import { expect, it } from 'vitest';
import { createExample } from './create-curl';

it('R-FAIL-8 the request that creates a first endpoint is ready but for the key', () => {
  expect(createExample({ appId: 'app_1', environment: 'test' })).toBe(
    [
      'curl -X POST "$HOOKLADDER_URL/dev/apps/app_1/webhook-endpoints"',
      '-H "authorization: Bearer $HOOKLADDER_TEST_KEY"',
      "-H 'content-type: application/json'",
      `-d '{"url":"https://hooks.example.com/payments","description":"shop-eu","types":[]}'`,
    ].join(' \\\n  '),
  );
});
