import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answered, failed } from '@/server/testing/core-loop';
import type { AttemptEnd, NetworkErrorClass } from './model';
import { answeredBelow500, classify, countsAs, probeVerdict } from './outcome';

const LADDER = { retryStatuses: [408, 425, 429] };
const of = (end: AttemptEnd) => classify(end, LADDER);

const STATUSES: readonly [statusCode: number, outcome: string, errorClass: string | null][] = [
  [200, 'delivered', null],
  [204, 'delivered', null],
  [299, 'delivered', null],
  [300, 'rejected', 'redirect'],
  [301, 'rejected', 'redirect'],
  [304, 'rejected', 'redirect'],
  [308, 'rejected', 'redirect'],
  [399, 'rejected', 'redirect'],
  [400, 'rejected', 'http_4xx'],
  [408, 'unavailable', 'http_4xx'],
  [410, 'rejected', 'http_4xx'],
  [425, 'unavailable', 'http_4xx'],
  [429, 'unavailable', 'http_429'],
  [499, 'rejected', 'http_4xx'],
  [500, 'unavailable', 'http_5xx'],
  [503, 'unavailable', 'http_5xx'],
  [599, 'unavailable', 'http_5xx'],
  [101, 'unavailable', 'protocol'],
  [99, 'unavailable', 'protocol'],
  [600, 'unavailable', 'protocol'],
  [999, 'unavailable', 'protocol'],
];

describe('an answer', () => {
  it.each(STATUSES)('R-ATT-10 R-ATT-3 R-ATT-4 %i is %s/%s', (statusCode, outcome, errorClass) => {
    expect(of(answered(statusCode))).toEqual({ outcome, errorClass, statusCode });
  });

  it('R-ATT-10 429 is rejected where the policy does not retry it, and keeps its class', () => {
    expect(classify(answered(429), { retryStatuses: [] })).toEqual({
      outcome: 'rejected',
      errorClass: 'http_429',
      statusCode: 429,
    });
  });
});

const CLASSES: Record<NetworkErrorClass, string> = {
  dns: 'unavailable',
  refused_address: 'rejected',
  connect_refused: 'unavailable',
  connect_timeout: 'unavailable',
  tls: 'unavailable',
  reset: 'unavailable',
  closed: 'unavailable',
  timeout: 'unavailable',
  protocol: 'unavailable',
  internal: 'unknown',
};

describe('an exchange without an answer', () => {
  it.each(Object.entries(CLASSES))('R-ATT-10 R-ATT-18 O04: %s is %s', (errorClass, outcome) => {
    const end = failed(errorClass as NetworkErrorClass);
    expect(of(end)).toEqual({ outcome, errorClass, statusCode: null });
  });

  it('R-ATT-10 held and lost', () => {
    expect(of({ kind: 'held' })).toEqual({ outcome: 'held', errorClass: null, statusCode: null });
    expect(of({ kind: 'lost' })).toEqual({ outcome: 'unknown', errorClass: 'lost', statusCode: null });
  });
});

const anEnd: fc.Arbitrary<AttemptEnd> = fc.oneof(
  fc.integer({ min: 0, max: 1_100 }).map((statusCode) => answered(statusCode)),
  fc.constantFrom(...(Object.keys(CLASSES) as NetworkErrorClass[])).map(failed),
  fc.constant<AttemptEnd>({ kind: 'held' }),
  fc.constant<AttemptEnd>({ kind: 'lost' }),
);

it('R-ATT-10 R-ATT-18 every end has an outcome, and a failure exactly one class', () => {
  fc.assert(
    fc.property(
      anEnd,
      fc.uniqueArray(fc.integer({ min: 400, max: 499 }), { maxLength: 5 }),
      (end, retryStatuses) => {
        const { outcome, errorClass, statusCode } = classify(end, { retryStatuses });
        expect(errorClass === null).toBe(outcome === 'delivered' || outcome === 'held');
        expect(statusCode !== null).toBe(end.kind === 'answered');
        expect(outcome === 'delivered').toBe(statusCode !== null && statusCode >= 200 && statusCode <= 299);
      },
    ),
  );
});

it('R-ATT-17 the window and the probe agree: what counts as a failure re-opens, and what closes is reachable', () => {
  fc.assert(
    fc.property(anEnd, (end) => {
      const classified = of(end);
      const counted = countsAs(classified, 'retry');
      const verdict = probeVerdict(classified);
      if (counted === 'failure') expect(verdict).toBe('reopens');
      if (verdict === 'closes') expect(counted).toBe('reachable');
      expect(answeredBelow500(classified)).toBe(counted === 'reachable');
    }),
  );
});

it('R-ATT-17 R-RES-3 the first attempt of a test send counts in no window, whatever came', () => {
  fc.assert(
    fc.property(anEnd, (end) => {
      expect(countsAs(of(end), 'test')).toBeNull();
    }),
  );
});
