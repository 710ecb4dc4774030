import { describe, expect, it } from 'vitest';
import { onceOrForced } from './signals';

describe('signals', () => {
  it('O32 the first signal stops gracefully, its echoes change nothing, one that comes later forces the end', () => {
    let now = 500;
    let forced = 0;
    const isFirst = onceOrForced(
      () => now,
      () => {
        forced += 1;
      },
    );
    expect(isFirst()).toBe(true);
    now = 1_500;
    expect(isFirst()).toBe(false);
    expect(forced).toBe(0);
    now = 1_501;
    expect(isFirst()).toBe(false);
    expect(forced).toBe(1);
  });
});
