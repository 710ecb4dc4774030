'use client';

import { useElementSize } from '@mantine/hooks';
import { useId } from 'react';
import type { BreakerDetail, BreakerResource } from '@/server/services/contract';
import { t } from '../messages';
import { span } from '../ui/format';
import { Section } from '../ui/page-head';
import { BREAKER_LOOKS } from '../ui/status';
import { ShapeGlyph } from '../ui/status-shape';
import classes from './machine.module.css';
import {
  type Box,
  layMachine,
  type MachineLayout,
  type MachineState,
  type MachineWay,
  type Way,
} from './machine-layout';

const words = t.breakers.machine;
const STATES: readonly MachineState[] = ['closed', 'open', 'half_open'];
const LINE = 15;
const GLYPH = 16;

export interface MachineProps {
  state: BreakerResource['state'];
  thresholds: BreakerDetail['thresholds'];
  /** Width for the first paint, before the place is measured. */
  firstWidth: number;
}

/** closed → open → half open, the present one lit. */
export function Machine({ state, thresholds, firstWidth }: MachineProps) {
  const { ref, width } = useElementSize();
  const layout = layMachine(Math.floor(width || firstWidth));
  const lines = linesOf(thresholds);
  return (
    <Section title={words.title}>
      <div ref={ref} className={classes.machine}>
        <MachinePicture layout={layout} state={state} lines={lines} />
      </div>
    </Section>
  );
}

function linesOf(thresholds: MachineProps['thresholds']): Record<MachineWay, readonly string[]> {
  const { failureRatio, minAttempts, windowMs } = thresholds;
  return {
    trips: words.trips(Math.round(failureRatio * 100), minAttempts, span(windowMs)),
    waits: [words.waits],
    fails: words.fails,
    recovers: [words.recovers],
  };
}

function MachinePicture(props: {
  layout: MachineLayout;
  state: MachineState;
  lines: Record<MachineWay, readonly string[]>;
}) {
  const { layout, state, lines } = props;
  const arrow = useId();
  const told = [words.picture(BREAKER_LOOKS[state].word), ...layout.ways.map((way) => tellWay(way, lines))];
  return (
    <svg
      className={classes.picture}
      role="img"
      aria-label={told.join(' ')}
      width={layout.width}
      height={layout.height}
      viewBox={`0 0 ${layout.width} ${layout.height}`}
    >
      <marker id={arrow} viewBox="0 0 8 8" refX="6" refY="4" markerWidth="8" markerHeight="8" orient="auto">
        <path className={classes.tip} d="M1 1L6.5 4L1 7" />
      </marker>
      {layout.ways.map((way) => (
        <WayView key={way.way} way={way} lines={lines[way.way]} lit={way.from === state} arrow={arrow} />
      ))}
      {STATES.map((name) => (
        <Node key={name} name={name} box={layout.nodes[name]} lit={name === state} />
      ))}
    </svg>
  );
}

function tellWay({ way, from }: Way, lines: Record<MachineWay, readonly string[]>): string {
  return `${BREAKER_LOOKS[from].word}: ${lines[way].join(' ')}.`;
}

function WayView(props: { way: Way; lines: readonly string[]; lit: boolean; arrow: string }) {
  const { way, lines, lit, arrow } = props;
  return (
    <g data-lit={lit || undefined}>
      <path className={classes.way} d={way.path} markerEnd={`url(#${arrow})`} />
      {lines.map((line, index) => (
        <text
          key={line}
          className={classes.wayText}
          x={way.label.x}
          y={way.label.y + index * LINE}
          textAnchor={way.label.anchor}
        >
          {line}
        </text>
      ))}
    </g>
  );
}

const NOTES: Record<MachineState, string> = {
  closed: words.closedNote,
  open: words.openNote,
  half_open: words.half_openNote,
};

function Node({ name, box, lit }: { name: MachineState; box: Box; lit: boolean }) {
  const look = BREAKER_LOOKS[name];
  return (
    <g
      className={classes.node}
      data-lit={lit || undefined}
      data-tone={look.tone}
      transform={`translate(${box.x} ${box.y})`}
    >
      <rect width={box.width} height={box.height} rx="6" />
      <g className={classes.nodeGlyph} transform={`translate(12 ${box.height / 2 - GLYPH / 2 - 9})`}>
        <ShapeGlyph shape={look.shape} />
      </g>
      <text className={classes.nodeName} x="36" y="23">
        {look.word}
      </text>
      <text className={classes.nodeNote} x="12" y="43">
        {NOTES[name]}
      </text>
    </g>
  );
}
