import { describe, expect, it } from 'vitest';
import { planResend, type ResendDelivery, type ResendInput } from './resend-plan';

const EVENT = { environment: 'live', type: 'payment.captured' } as const;
const ENDPOINTS = [
  { id: 1, status: 'active', types: ['payment.*'] },
  { id: 2, status: 'active', types: ['refund.*'] },
  { id: 3, status: 'disabled', types: ['*'] },
] as const;

function delivery(change: Partial<ResendDelivery>): ResendDelivery {
  return { id: 10, endpointId: 1, status: 'failed', nextTrigger: 'retry', cycle: 1, lease: null, ...change };
}

const plan = (change: Partial<ResendInput>) =>
  planResend({ event: EVENT, target: null, deliveries: [], endpoints: ENDPOINTS, ...change });

const NOTHING = { kind: 'ok', begin: [], create: [], already: [], leftOut: [] };

describe('to one endpoint', () => {
  const target = { id: 2, environment: 'live', status: 'active' } as const;

  it('R-RES-1 begins a new cycle of its delivery, whatever its status', () => {
    for (const status of ['delivered', 'failed', 'skipped', 'pending'] as const) {
      const deliveries = [delivery({ id: 10 }), delivery({ id: 11, endpointId: 2, status })];
      expect(plan({ target, deliveries })).toEqual({ ...NOTHING, begin: [11] });
    }
  });

  it('R-RES-1 makes a delivery where it had none, whatever its filter', () => {
    expect(plan({ target, deliveries: [delivery({})] })).toEqual({ ...NOTHING, create: [2] });
    expect(plan({ target, deliveries: [delivery({ endpointId: null, status: 'skipped' })] })).toEqual({
      ...NOTHING,
      create: [2],
    });
  });

  it('R-RES-1 other environment before not active', () => {
    expect(plan({ target: { ...target, environment: 'test', status: 'disabled' } })).toEqual({
      kind: 'environment_mismatch',
    });
    for (const status of ['disabled', 'auto_disabled'] as const) {
      expect(plan({ target: { ...target, status } })).toEqual({ kind: 'endpoint_disabled' });
    }
  });
});

describe('a pending delivery', () => {
  const resent = (change: Partial<ResendDelivery>) =>
    plan({ deliveries: [delivery({ status: 'pending', ...change })] });

  it('R-RES-1 whose present cycle has had no attempt is not resent twice', () => {
    for (const nextTrigger of ['first', 'resend', 'replay', 'test'] as const) {
      expect(resent({ nextTrigger })).toEqual({ ...NOTHING, already: [10] });
    }
  });

  it('R-RES-1 R-RES-2 that waits for a retry, or has an attempt of this cycle in flight, begins a new one', () => {
    expect(resent({ nextTrigger: 'retry' })).toEqual({ ...NOTHING, begin: [10] });
    expect(resent({ nextTrigger: 'first', lease: { cycle: 1 } })).toEqual({ ...NOTHING, begin: [10] });
  });

  it('R-RES-2 whose new cycle waits for an attempt of the one before is not resent twice', () => {
    expect(resent({ nextTrigger: 'resend', cycle: 2, lease: { cycle: 1 } })).toEqual({
      ...NOTHING,
      already: [10],
    });
  });
});

describe('to all that the event went to', () => {
  it('R-RES-1 leaves out endpoints that are not active, and names them', () => {
    const deliveries = [
      delivery({ id: 10 }),
      delivery({ id: 11, endpointId: 2, status: 'pending', nextTrigger: 'first' }),
      delivery({ id: 12, endpointId: 3 }),
    ];
    expect(plan({ deliveries })).toEqual({
      kind: 'ok',
      begin: [10],
      create: [],
      already: [11],
      leftOut: [3],
    });
  });

  it('R-RES-1 none left: endpoint_disabled', () => {
    expect(plan({ deliveries: [delivery({ endpointId: 3 })] })).toEqual({ kind: 'endpoint_disabled' });
  });

  it('R-RES-1 R-PUB-3 O03: no delivery at all: those that are active and match now', () => {
    const unmatched = delivery({ endpointId: null, status: 'skipped' });
    expect(plan({ deliveries: [] })).toEqual({ ...NOTHING, create: [1] });
    expect(plan({ deliveries: [unmatched] })).toEqual({ ...NOTHING, create: [1] });
    expect(plan({ deliveries: [{ ...unmatched, status: 'pending', nextTrigger: 'first' }] })).toEqual({
      ...NOTHING,
      create: [1],
    });
  });

  it('R-RES-1 nobody to send it to: no_webhook', () => {
    expect(plan({ endpoints: ENDPOINTS.slice(1) })).toEqual({ kind: 'no_webhook' });
    expect(plan({ endpoints: [] })).toEqual({ kind: 'no_webhook' });
  });
});
