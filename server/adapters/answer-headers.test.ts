import { describe, expect, it } from 'vitest';
import { locationOf, retryAfterOf } from './answer-headers';

const raw = (...pairs: [string, string][]) => pairs.flat().map((text) => Buffer.from(text));

describe('answer headers', () => {
  it('R-ATT-11 takes every Retry-After in any case and order, and nothing that only looks like it', () => {
    expect(
      retryAfterOf(
        raw(['Retry-After', '5'], ['retry_after', '6'], ['RETRY-AFTER', ''], ['x-retry-after', '7']),
      ),
    ).toEqual(['5', '']);
    expect(retryAfterOf(raw(['__proto__', 'x'], ['constructor', 'y']))).toEqual([]);
    expect(retryAfterOf([Buffer.from('retry-after')])).toEqual([]);
  });

  it('R-ATT-4 gives the first location as text, cut without breaking a character', () => {
    expect(locationOf(raw(['location', 'https://a.example/ü'], ['location', 'b']))).toBe(
      'https://a.example/ü',
    );
    expect(locationOf(raw(['locatioN', 'javascript:alert(1)']))).toBe('javascript:alert(1)');
    const cut = locationOf(raw(['location', `a${'😀'.repeat(3_000)}`]));
    expect(cut).toBe(`a${'😀'.repeat(1_023)}`);
    expect(locationOf([Buffer.from('location'), Buffer.from([0xff, 0xfe])])).toBe('\ufffd\ufffd');
    expect(locationOf(raw(['x', 'y']))).toBeNull();
  });
});
