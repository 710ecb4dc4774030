/** Where the three states and the ways between them are drawn. Lengths in CSS pixels; nothing overlaps. */

export type MachineState = 'closed' | 'open' | 'half_open';
export type MachineWay = 'trips' | 'waits' | 'fails' | 'recovers';

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Way {
  way: MachineWay;
  from: MachineState;
  path: string;
  /** Where its first line of text stands; the others follow below. */
  label: { x: number; y: number; anchor: 'start' | 'middle' };
}

export interface MachineLayout {
  width: number;
  height: number;
  nodes: Readonly<Record<MachineState, Box>>;
  ways: readonly Way[];
}

/** Narrower than this the states stand below each other. */
const LEAST_ROW = 600;
const NODE = { width: 136, height: 56 } as const;

export function layMachine(width: number): MachineLayout {
  return width >= LEAST_ROW ? row(width) : column(width);
}

/** closed → open ⇄ half open, and back to closed below them. */
function row(width: number): MachineLayout {
  const top = 14;
  const at = (x: number): Box => ({ x, y: top, ...NODE });
  const gap = (width - 3 * NODE.width - 2) / 2;
  const nodes = {
    closed: at(1),
    open: at(1 + NODE.width + gap),
    half_open: at(1 + 2 * (NODE.width + gap)),
  };
  const end = (box: Box) => box.x + NODE.width;
  const upper = top + 18;
  const lower = top + NODE.height - 18;
  const middle = top + NODE.height / 2;
  const under = top + NODE.height;
  const turn = under + 36;
  const cx = (box: Box) => box.x + NODE.width / 2;
  const between = (a: Box, b: Box) => (end(a) + b.x) / 2;
  return {
    width,
    height: turn + 24,
    nodes,
    ways: [
      {
        way: 'trips',
        from: 'closed',
        path: `M${end(nodes.closed) + 4} ${middle}H${nodes.open.x - 8}`,
        label: { x: between(nodes.closed, nodes.open), y: middle - 26, anchor: 'middle' },
      },
      {
        way: 'waits',
        from: 'open',
        path: `M${end(nodes.open) + 4} ${upper}H${nodes.half_open.x - 8}`,
        label: { x: between(nodes.open, nodes.half_open), y: upper - 10, anchor: 'middle' },
      },
      {
        way: 'fails',
        from: 'half_open',
        path: `M${nodes.half_open.x - 4} ${lower}H${end(nodes.open) + 8}`,
        label: { x: between(nodes.open, nodes.half_open), y: lower + 18, anchor: 'middle' },
      },
      {
        way: 'recovers',
        from: 'half_open',
        path: `M${cx(nodes.half_open)} ${under + 4}V${turn - 8}q0 8 -8 8H${cx(nodes.closed) + 8}q-8 0 -8 -8V${under + 8}`,
        label: { x: width / 2, y: turn + 18, anchor: 'middle' },
      },
    ],
  };
}

/** The same from top to bottom: texts at the right, the way back at the left. */
function column(width: number): MachineLayout {
  const left = 28;
  const gap = 68;
  const at = (y: number): Box => ({ x: left, y, ...NODE });
  const nodes = {
    closed: at(1),
    open: at(1 + NODE.height + gap),
    half_open: at(1 + 2 * (NODE.height + gap)),
  };
  const end = (box: Box) => box.y + NODE.height;
  const cx = left + NODE.width / 2;
  const cy = (box: Box) => box.y + NODE.height / 2;
  return {
    width,
    height: end(nodes.half_open) + 30,
    nodes,
    ways: [
      {
        way: 'trips',
        from: 'closed',
        path: `M${cx} ${end(nodes.closed) + 4}V${nodes.open.y - 8}`,
        label: { x: cx + 12, y: end(nodes.closed) + 26, anchor: 'start' },
      },
      {
        way: 'waits',
        from: 'open',
        path: `M${cx - 20} ${end(nodes.open) + 4}V${nodes.half_open.y - 8}`,
        label: { x: cx + 36, y: end(nodes.open) + 20, anchor: 'start' },
      },
      {
        way: 'fails',
        from: 'half_open',
        path: `M${cx + 20} ${nodes.half_open.y - 4}V${end(nodes.open) + 8}`,
        label: { x: cx + 36, y: end(nodes.open) + 40, anchor: 'start' },
      },
      {
        way: 'recovers',
        from: 'half_open',
        path: `M${left - 4} ${cy(nodes.half_open)}H16q-8 0 -8 -8V${cy(nodes.closed) + 8}q0 -8 8 -8H${left - 8}`,
        label: { x: 8, y: end(nodes.half_open) + 22, anchor: 'start' },
      },
    ],
  };
}
