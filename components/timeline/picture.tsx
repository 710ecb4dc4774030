'use client';

import { useId } from 'react';
import { t } from '../messages';
import { ShapeGlyph } from '../ui/status-shape';
import { makeAxis } from './axis';
import { fitLabels, type Label, textWidth } from './labels';
import type { MarkItem, SilenceItem, TimelineDrawing } from './model';
import classes from './timeline.module.css';

/** The picture's own measures, in px: it is drawn, not laid out. */
const SIZE = {
  edge: 8,
  height: 148,
  track: 58,
  pad: 26,
  gap: 50,
  glyph: 16,
  bar: 20,
  ui: 7,
  mono: 7.3,
} as const;
const ROWS = { caption: 16, distance: 90, result: 110, step: 130 } as const;

export interface PictureProps {
  drawing: TimelineDrawing;
  width: number;
  selected?: string | null;
  onSelect?: (attemptId: string) => void;
}

/** Past solid, future dotted, a hold a bar with its reason, a deadline a wall. */
export function TimelinePicture({ drawing, width, selected, onSelect }: PictureProps) {
  const { marks, silences, walls, now } = drawing;
  const axis = makeAxis({
    instants: [
      ...marks.map((mark) => mark.at),
      ...silences.flatMap((silence) => [silence.fromAt, silence.toAt]),
      ...walls.map((wall) => wall.at),
    ],
    now: drawing.open ? now : Math.max(now, marks.at(-1)?.at ?? now),
    width,
    pad: SIZE.pad,
    gap: SIZE.gap,
  });
  const x = axis.place;
  const lastPast = drawing.open ? axis.nowX : x(marks.at(-1)?.at ?? now);
  const past = marks.filter((mark) => mark.kind === 'attempt').length;
  const planned = marks.filter((mark) => mark.kind === 'planned').length;
  return (
    <figure className={classes.figure} aria-label={t.timeline.pictureLabel(past, planned)}>
      {/* biome-ignore lint/a11y/noSvgWithoutTitle: the figure is named; a title would pop up over every mark */}
      <svg
        className={classes.picture}
        width={width}
        height={SIZE.height}
        viewBox={`0 0 ${width} ${SIZE.height}`}
      >
        <path className={classes.past} d={`M${x(marks[0]?.at ?? now)} ${SIZE.track}H${lastPast}`} />
        {[...marks, ...walls].some((item) => item.at > now) ? (
          <path className={classes.future} d={`M${axis.nowX} ${SIZE.track}H${width - SIZE.pad}`} />
        ) : null}
        {silences.map((silence) => (
          <Silence key={silence.key} item={silence} x1={x(silence.fromAt)} x2={x(silence.toAt)} />
        ))}
        {walls.map((wall) => (
          <Wall key={wall.key} x={x(wall.at)} />
        ))}
        {drawing.open ? <NowLine x={axis.nowX} /> : null}
        <Captions drawing={drawing} place={x} nowX={axis.nowX} width={width} />
        {stacked(marks).map((mark) => (
          <Mark
            key={mark.key}
            mark={mark}
            x={x(mark.at)}
            xMax={mark.atMax ? x(mark.atMax) : null}
            selected={mark.attemptId !== null && mark.attemptId === selected}
            onSelect={onSelect}
          />
        ))}
        <Underlines drawing={drawing} place={x} width={width} />
      </svg>
    </figure>
  );
}

/** What comes next is drawn over what comes after it. */
function stacked(marks: readonly MarkItem[]): readonly MarkItem[] {
  const planned = marks.filter((mark) => mark.kind === 'planned');
  return [...planned.reverse(), ...marks.filter((mark) => mark.kind !== 'planned')];
}

function Mark(props: {
  mark: MarkItem;
  x: number;
  xMax: number | null;
  selected: boolean;
  onSelect?: (attemptId: string) => void;
}) {
  const { mark, x, xMax } = props;
  const half = SIZE.glyph / 2;
  const label = [mark.what, mark.result, mark.when, mark.step].filter(Boolean).join(', ');
  const glyph = (
    <g className={classes.mark} data-tone={mark.tone} data-kind={mark.kind} data-tip={label}>
      <rect className={classes.hit} x={x - 10} y={SIZE.track - 10} width={20} height={20} rx={10} />
      <g transform={`translate(${x - half} ${SIZE.track - half})`}>
        <ShapeGlyph shape={mark.shape} />
      </g>
    </g>
  );
  const { attemptId } = mark;
  return (
    <>
      {xMax !== null && xMax - x > 2 ? (
        <path
          className={classes.range}
          d={`M${x + half} ${SIZE.track}H${xMax}M${xMax} ${SIZE.track - 4}v8`}
        />
      ) : null}
      {attemptId === null ? (
        glyph
      ) : (
        <a
          className={classes.link}
          href={`#${attemptId}`}
          aria-label={label}
          aria-current={props.selected || undefined}
          onClick={(event) => {
            if (!props.onSelect) return;
            event.preventDefault();
            props.onSelect(attemptId);
          }}
        >
          {glyph}
        </a>
      )}
    </>
  );
}

function silenceTip({ text, from, to }: SilenceItem): string {
  return `${text}: ${to ? t.timeline.range(from, to) : t.timeline.since(from)}`;
}

/** Pause bars, so that a hold is told by its shape as well as by its hue. */
function Silence({ item, x1, x2 }: { item: SilenceItem; x1: number; x2: number }) {
  const hatch = useId();
  const width = Math.max(4, x2 - x1);
  return (
    <g data-tip={silenceTip(item)}>
      <pattern id={hatch} width="8" height={SIZE.bar} patternUnits="userSpaceOnUse" x={x1}>
        <rect className={classes.hatch} x="2" width="2" height={SIZE.height} />
      </pattern>
      <rect
        className={classes.silence}
        x={x1}
        y={SIZE.track - SIZE.bar / 2}
        width={width}
        height={SIZE.bar}
        rx="3"
      />
      <rect
        fill={`url(#${hatch})`}
        x={x1}
        y={SIZE.track - SIZE.bar / 2}
        width={width}
        height={SIZE.bar}
        rx="3"
      />
    </g>
  );
}

function Wall({ x }: { x: number }) {
  return (
    <path className={classes.wall} d={`M${x - 1.5} 26V${SIZE.track + 18}M${x + 1.5} 26V${SIZE.track + 18}`} />
  );
}

function NowLine({ x }: { x: number }) {
  return <path className={classes.now} d={`M${x} 24V${SIZE.track + 18}`} />;
}

/** A hold's caption stands over it, and beside the word "now" where the hold reaches across it. */
function silenceLabelX(item: SilenceItem, { drawing, place, nowX }: CaptionsProps): number {
  const from = place(item.fromAt);
  const to = place(item.toAt);
  if (!drawing.open || to <= nowX) return (from + to) / 2;
  const half = textWidth(item.text, SIZE.ui) / 2;
  return Math.max((nowX + to) / 2, nowX + textWidth(t.timeline.now, SIZE.ui) / 2 + 10 + half);
}

interface CaptionsProps {
  drawing: TimelineDrawing;
  place: (at: number) => number;
  nowX: number;
  width: number;
}

function Captions(props: CaptionsProps) {
  const { drawing, place } = props;
  const labels: Label[] = [
    ...drawing.silences.map((item) => ({
      key: item.key,
      x: silenceLabelX(item, props),
      text: item.toAt > drawing.now ? item.text : item.short,
      rank: item.toAt > drawing.now ? 1 : 3,
    })),
    ...(drawing.open ? [{ key: 'now', x: props.nowX, text: t.timeline.now, rank: 0 }] : []),
    ...drawing.walls.map((wall) => ({ key: wall.key, x: place(wall.at), text: wall.name, rank: 2 })),
    ...drawing.marks
      .filter((mark) => mark.kind === 'published')
      .map((mark) => ({ key: mark.key, x: place(mark.at), text: t.timeline.published, rank: 3 })),
    ...drawing.marks.flatMap((mark) =>
      mark.cycle
        ? [{ key: `c${mark.key}`, x: place(mark.at), text: t.timeline.cycle(mark.cycle), rank: 2 }]
        : [],
    ),
  ];
  const placed = fitLabels(labels, { width: props.width, edge: SIZE.edge, em: SIZE.ui, air: 8 });
  return placed.map((label) => (
    <text
      key={label.key}
      className={classes.caption}
      data-now={label.key === 'now' || undefined}
      x={label.middle}
      y={ROWS.caption}
    >
      {label.text}
    </text>
  ));
}

/** Ends of a run matter most: the first, the last, and what comes next. */
function rankOf(mark: MarkItem, index: number, marks: readonly MarkItem[]): number {
  const next = marks.findIndex((m) => m.kind === 'planned');
  if (index === next || index === 0 || index === marks.length - 1) return 0;
  if (index === next - 1) return 1;
  return mark.kind === 'planned' ? 2 : 3;
}

/** Three lines under the track: when, what came back, which step. Each drops what would overlap. */
function Underlines(props: { drawing: TimelineDrawing; place: (at: number) => number; width: number }) {
  const { marks, walls } = props.drawing;
  const line = (text: (mark: MarkItem) => string, em: number, more: readonly Label[] = []) =>
    fitLabels(
      [
        ...marks.flatMap((mark, index) => {
          const words = text(mark);
          const rank = rankOf(mark, index, marks);
          return words ? [{ key: mark.key, x: props.place(mark.at), text: words, rank }] : [];
        }),
        ...more,
      ],
      { width: props.width, edge: SIZE.edge, em, air: 6 },
    );
  const wallLabels = walls.map((w) => ({ key: w.key, x: props.place(w.at), text: w.distance, rank: 1 }));
  const rows = [
    { y: ROWS.distance, name: 'distance', labels: line((mark) => mark.distance, SIZE.ui, wallLabels) },
    { y: ROWS.result, name: 'result', labels: line((mark) => mark.result, SIZE.mono) },
    { y: ROWS.step, name: 'step', labels: line((mark) => mark.step, SIZE.ui) },
  ];
  return rows.flatMap(({ y, name, labels }) =>
    labels.map((label) => (
      <text key={`${name}-${label.key}`} className={classes[name]} x={label.middle} y={y}>
        {label.text}
      </text>
    )),
  );
}
