import { describe, expect, it } from 'vitest';
import { createLanes } from './lanes';

const quick = { failure: false, durationMs: 20, cap: 8 };

describe('lanes', () => {
  it('R-DEL-8 an endpoint nobody has heard from has one slot', () => {
    const lanes = createLanes();
    expect(lanes.slots(1, 0)).toBe(1);
    lanes.started(1, 0);
    expect(lanes.slots(1, 0)).toBe(0);
    expect(lanes.inFlight).toBe(1);
  });

  it('R-DEL-8 quick ends double the slots up to the cap, a failure or a slow end halves them, never below one', () => {
    const lanes = createLanes();
    const allowed = (end: { failure: boolean; durationMs: number; cap: number }) => {
      lanes.started(1, 0);
      lanes.ended(1, { ...end, now: 0 });
      lanes.freed(1);
      return lanes.slots(1, 0);
    };
    expect([quick, quick, quick, quick].map(allowed)).toEqual([2, 4, 8, 8]);
    const failing = { failure: true, durationMs: 20, cap: 8 };
    const slow = { failure: false, durationMs: 2_001, cap: 8 };
    expect([failing, slow, failing, failing].map(allowed)).toEqual([4, 2, 1, 1]);
    expect(allowed({ failure: false, durationMs: 2_000, cap: 8 })).toBe(2);
  });

  it('R-DEL-8 a minute without an end is a new beginning with one slot', () => {
    const lanes = createLanes();
    for (let n = 0; n < 3; n += 1) {
      lanes.started(1, 0);
      lanes.ended(1, { ...quick, now: 0 });
      lanes.freed(1);
    }
    expect(lanes.slots(1, 59_999)).toBe(8);
    expect(lanes.slots(1, 60_000)).toBe(1);
  });

  it('R-ATT-2 the slot is held until the drain is over', () => {
    const lanes = createLanes();
    lanes.started(1, 0);
    lanes.ended(1, { ...quick, now: 0 });
    expect(lanes.inFlight).toBe(1);
    expect(lanes.slots(1, 0)).toBe(1);
    lanes.freed(1);
    expect(lanes.inFlight).toBe(0);
    expect(lanes.slots(1, 0)).toBe(2);
  });
});
