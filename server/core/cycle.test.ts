import { describe, expect, it } from 'vitest';
import {
  assignEndpoint,
  beginCycle,
  cycleHasAttempt,
  firstState,
  skippedForWantOfEndpoint,
  waitingForEndpoint,
} from './cycle';
import { PRESETS } from './policy';

const D = 86_400_000;
const LADDER = PRESETS['two-ladder'];
const AT = { now: 1_000, eventCreatedAt: 400, ladder: LADDER };

describe('a first state', () => {
  it('R-DEL-6 is pending, waiting, due at once, in its first cycle, with nothing used', () => {
    expect(firstState({ ...AT, trigger: 'first' })).toEqual({
      status: 'pending',
      reason: 'waiting',
      cycle: 1,
      cycleStartedAt: 1_000,
      cycleByPerson: false,
      attempts: 0,
      fast: 0,
      slow: 0,
      slowStartedAt: null,
      unknowns: 0,
      dueAt: 1_000,
      waitCause: null,
      ladderWaitMs: null,
      retryAfterMs: null,
      nextTrigger: 'first',
      lastOutcome: null,
      lastStatusCode: null,
      lastErrorClass: null,
      lastEndedAt: null,
      firstDeliveredAt: null,
      endedAt: null,
      deadlineAt: 400 + 30 * D,
    });
  });

  it('R-RES-1 of a delivery that a person made of an old event is not too old before 48 h', () => {
    const old = { ...AT, now: 40 * D };
    expect(firstState({ ...old, trigger: 'resend' })).toMatchObject({
      cycleByPerson: true,
      deadlineAt: 42 * D,
    });
    expect(firstState({ ...old, trigger: 'replay' })).toMatchObject({ cycleByPerson: true });
    expect(firstState({ ...old, trigger: 'test' })).toMatchObject({
      cycleByPerson: false,
      nextTrigger: 'test',
    });
  });
});

describe('an event that matched none', () => {
  it('R-PUB-3 is skipped at once, or waits with nothing due until its age', () => {
    expect(skippedForWantOfEndpoint(AT)).toMatchObject({
      status: 'skipped',
      reason: 'no_endpoint',
      dueAt: null,
      endedAt: 1_000,
    });
    expect(waitingForEndpoint(AT)).toMatchObject({
      status: 'pending',
      reason: 'no_endpoint',
      dueAt: null,
      endedAt: null,
      deadlineAt: 400 + 30 * D,
    });
  });

  it('R-PUB-3 becomes the delivery of the endpoint that comes, due now', () => {
    const waiting = waitingForEndpoint(AT);
    expect(assignEndpoint(waiting, { ...AT, now: 5 * D })).toEqual({
      ...waiting,
      reason: 'waiting',
      dueAt: 5 * D,
    });
  });

  it('R-PUB-3 not when it is too old, was skipped, or has an endpoint', () => {
    expect(assignEndpoint(waitingForEndpoint(AT), { ...AT, now: 401 + 30 * D })).toBeNull();
    expect(assignEndpoint(skippedForWantOfEndpoint(AT), AT)).toBeNull();
    expect(assignEndpoint(firstState({ ...AT, trigger: 'first' }), AT)).toBeNull();
  });
});

describe('a new cycle', () => {
  const dead = {
    ...firstState({ ...AT, trigger: 'first' }),
    status: 'failed',
    reason: 'exhausted',
    attempts: 12,
    fast: 10,
    slow: 2,
    slowStartedAt: 2_000,
    unknowns: 1,
    dueAt: null,
    nextTrigger: 'retry',
    lastOutcome: 'unavailable',
    lastStatusCode: 503,
    lastErrorClass: 'http_5xx',
    lastEndedAt: 3_000,
    firstDeliveredAt: 1_500,
    endedAt: 3_000,
  } as const;

  it('R-RES-1 R-RES-8 restarts counters and slow window; number of attempts and first success go on', () => {
    const state = beginCycle(dead, { facts: AT, ladder: LADDER, now: 5 * D, trigger: 'resend' });
    expect(state).toEqual({
      ...dead,
      status: 'pending',
      reason: 'waiting',
      cycle: 2,
      cycleStartedAt: 5 * D,
      cycleByPerson: true,
      fast: 0,
      slow: 0,
      slowStartedAt: null,
      dueAt: 5 * D,
      nextTrigger: 'resend',
      endedAt: null,
      deadlineAt: 400 + 30 * D,
    });
  });

  it('R-RES-1 the age goes on, but ends it no sooner than 48 h after it began', () => {
    const late = beginCycle(dead, { facts: AT, ladder: LADDER, now: 29 * D, trigger: 'replay' });
    expect(late).toMatchObject({ deadlineAt: 31 * D, nextTrigger: 'replay' });
  });

  it('R-RES-1 leaves what waited: a retry that was to come is replaced, not added to', () => {
    const waiting = {
      ...dead,
      status: 'pending',
      dueAt: 9 * D,
      waitCause: 'slow',
      ladderWaitMs: 5,
      retryAfterMs: 7,
    } as const;
    const state = beginCycle(waiting, { facts: AT, ladder: LADDER, now: 5 * D, trigger: 'resend' });
    expect(state).toMatchObject({ dueAt: 5 * D, waitCause: null, ladderWaitMs: null, retryAfterMs: null });
  });

  it('R-RES-1 R-RES-2 has had an attempt once one ended or is in flight in it', () => {
    const fresh = firstState({ ...AT, trigger: 'first' });
    expect(cycleHasAttempt(fresh, null)).toBe(false);
    expect(cycleHasAttempt(fresh, 1)).toBe(true);
    expect(cycleHasAttempt({ ...fresh, nextTrigger: 'retry' }, null)).toBe(true);
    const second = beginCycle(dead, { facts: AT, ladder: LADDER, now: 5 * D, trigger: 'resend' });
    expect(cycleHasAttempt(second, null)).toBe(false);
    expect(cycleHasAttempt(second, 1)).toBe(false);
    expect(cycleHasAttempt(second, 2)).toBe(true);
  });
});
