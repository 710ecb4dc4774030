import { describe, expect, it } from 'vitest';
import { PRESETS } from './policy';
import { planPublish } from './publish-plan';

const D = 86_400_000;
const WAIT = PRESETS['two-ladder'];
const SKIP = PRESETS.standard;

const ENDPOINTS = [
  { id: 1, status: 'active', types: [] },
  { id: 2, status: 'active', types: ['payment.*'] },
  { id: 3, status: 'active', types: ['refund.completed'] },
  { id: 4, status: 'disabled', types: ['*'] },
  { id: 5, status: 'auto_disabled', types: ['*'] },
  { id: 6, status: 'active', types: ['*'] },
] as const;

const plan = (type: string, change: Partial<Parameters<typeof planPublish>[0]> = {}) =>
  planPublish({
    endpoints: ENDPOINTS,
    record: { type, createdAt: 400, testEndpointId: null },
    policy: SKIP,
    now: 500,
    ...change,
  });

describe('whom an event goes to', () => {
  it('R-PUB-2 active endpoints whose filter matches, an empty one being all', () => {
    expect(plan('payment.captured').endpointIds).toEqual([1, 2, 6]);
    expect(plan('refund.completed').endpointIds).toEqual([1, 3, 6]);
    expect(plan('kyc.done')).toEqual({ endpointIds: [1, 6], unmatched: null });
  });

  it('R-PUB-2 R-RES-3 a test send goes to its endpoint, whatever its filter and status, and to no other', () => {
    const record = { type: 'webhook.test', createdAt: 400, testEndpointId: 4 };
    expect(plan('', { record }).endpointIds).toEqual([4]);
  });
});

describe('an event that nobody wants', () => {
  const none = { endpoints: ENDPOINTS.filter(({ id }) => id >= 2 && id <= 5) };

  it('R-PUB-3 is skipped where the policy says so', () => {
    const { endpointIds, unmatched } = plan('kyc.done', none);
    expect(endpointIds).toEqual([]);
    expect(unmatched).toMatchObject({ status: 'skipped', reason: 'no_endpoint', dueAt: null, endedAt: 500 });
  });

  it('R-PUB-3 waits where the policy says so, to its maximum age', () => {
    expect(plan('kyc.done', { ...none, policy: WAIT }).unmatched).toMatchObject({
      status: 'pending',
      reason: 'no_endpoint',
      dueAt: null,
      deadlineAt: 400 + 30 * D,
    });
  });

  it('R-PUB-3 R-RES-3 a test whose endpoint has gone waits for no other', () => {
    const record = { type: 'webhook.test', createdAt: 400, testEndpointId: 77 };
    expect(plan('', { record, policy: WAIT }).unmatched).toMatchObject({ status: 'skipped' });
  });
});
