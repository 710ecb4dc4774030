import { describe, expect, it } from 'vitest';
import { type Box, layMachine } from './machine-layout';

const overlap = (a: Box, b: Box) =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

describe.each([300, 358, 599, 600, 760, 1_100])('drawn %i wide', (width) => {
  const { nodes, ways, height } = layMachine(width);
  const boxes = Object.values(nodes);
  it('R-BRK-8 the three states stand apart and inside', () => {
    for (const [index, box] of boxes.entries()) {
      expect(box.x).toBeGreaterThanOrEqual(0);
      expect(box.x + box.width).toBeLessThanOrEqual(width);
      expect(box.y + box.height).toBeLessThanOrEqual(height);
      for (const other of boxes.slice(index + 1)) expect(overlap(box, other)).toBe(false);
    }
  });
  it('R-BRK-8 every way leaves the state that it leads out of', () => {
    expect(ways.map(({ way, from }) => [way, from])).toEqual([
      ['trips', 'closed'],
      ['waits', 'open'],
      ['fails', 'half_open'],
      ['recovers', 'half_open'],
    ]);
    for (const { path, from, label } of ways) {
      const [x = 0, y = 0] = /^M([\d.]+) ([\d.]+)/.exec(path)?.slice(1).map(Number) ?? [];
      const box = nodes[from];
      const near = { x: box.x - 5, y: box.y - 5, width: box.width + 10, height: box.height + 10 };
      expect(overlap(near, { x, y, width: 0.1, height: 0.1 })).toBe(true);
      expect(label.x).toBeLessThan(width);
      expect(label.y).toBeLessThan(height);
    }
  });
});
