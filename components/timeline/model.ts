/**
 * Invariant: the picture and its table are two readings of one list made here, so they cannot differ.
 * Instants are epoch ms.
 */
import type { TimelineMark, TimelineSilence, TimelineView } from '@/server/services/contract';
import { t } from '../messages';
import { nearTime, offset, shortSpan, span, type Zone } from '../ui/format';
import { ATTEMPT_LOOKS, type Shape, type Tone } from '../ui/status';

export interface MarkItem {
  kind: 'published' | 'attempt' | 'in_flight' | 'planned';
  key: string;
  at: number;
  /** End of the jitter's range. */
  atMax: number | null;
  shape: Shape;
  tone: Tone;
  attemptId: string | null;
  /** "503", "timeout"; empty for what has no answer. */
  result: string;
  /** "F 3" */
  step: string;
  /** Under the mark: "+7 s", "in 11 m", "≥ 1 h". */
  distance: string;
  /** The whole of it in words. */
  what: string;
  when: string;
  /** Set where a new cycle begins. */
  cycle: number | null;
}

export interface SilenceItem {
  key: string;
  fromAt: number;
  toAt: number;
  text: string;
  short: string;
  from: string;
  /** Null while it goes on without an end in sight. */
  to: string | null;
}

export interface WallItem {
  key: string;
  at: number;
  name: string;
  when: string;
  distance: string;
}

export interface TimelineDrawing {
  now: number;
  marks: readonly MarkItem[];
  silences: readonly SilenceItem[];
  walls: readonly WallItem[];
  /** Whether anything lies ahead. */
  open: boolean;
}

interface Setting {
  now: number;
  zone: Zone;
  /** From which "+7 s" counts: where the present cycle, or the event, begins. */
  origin: number;
}

function lookOf(mark: TimelineMark): { shape: Shape; tone: Tone } {
  if (mark.kind === 'published') return { shape: 'dot', tone: 'off' };
  if (mark.kind === 'in_flight') return { shape: 'ring', tone: 'wait' };
  if (mark.kind === 'planned') {
    return mark.trigger === 'probe' ? { shape: 'half', tone: 'probe' } : { shape: 'ring', tone: 'off' };
  }
  return ATTEMPT_LOOKS[mark.outcome ?? 'unknown'];
}

/** "503", else the class in words, else nothing. */
export function resultText(mark: Pick<TimelineMark, 'statusCode' | 'errorClass'>): string {
  if (mark.statusCode) return String(mark.statusCode);
  return mark.errorClass ? t.status.errorClass[mark.errorClass] : '';
}

function stepText(mark: TimelineMark): string {
  return mark.ladder && mark.step ? t.timeline.step(t.status.ladderShort[mark.ladder], mark.step) : '';
}

function whatOf(mark: TimelineMark): string {
  if (mark.kind === 'published') return t.timeline.published;
  if (mark.kind === 'planned') return mark.trigger === 'probe' ? t.timeline.probe : t.timeline.planned;
  const attempt = mark.number ? t.timeline.attempt(mark.number) : t.timeline.inFlight;
  const trigger = mark.trigger && !['first', 'retry'].includes(mark.trigger) ? mark.trigger : null;
  return trigger ? `${attempt}, ${t.status.trigger[trigger]}` : attempt;
}

function distanceOf(mark: TimelineMark, at: number, { now, origin, zone }: Setting): string {
  if (mark.kind === 'published') return nearTime(at, now, zone);
  if (mark.kind === 'in_flight') return t.timeline.inFlight;
  if (mark.kind === 'planned') {
    if (at <= now) return t.common.time.dueNow;
    return `${mark.notBefore ? '≥ ' : ''}${shortSpan(at - now)}`;
  }
  return offset(Math.max(0, at - origin));
}

function whenOf(mark: TimelineMark, at: number, { now, zone }: Setting): string {
  const time = nearTime(at, now, zone);
  if (mark.notBefore) return t.timeline.notBefore(time);
  if (mark.atMax && mark.atMax > at) return t.timeline.range(time, nearTime(mark.atMax, now, zone));
  return time;
}

function markItem(mark: TimelineMark, kind: MarkItem['kind'], setting: Setting): MarkItem {
  // A planned instant that has passed is due: it stands at now until the attempt exists.
  const at = kind === 'planned' || kind === 'in_flight' ? Math.max(mark.at, setting.now) : mark.at;
  const look = lookOf(mark);
  return {
    kind,
    key: mark.attemptId ?? `${kind}-${mark.ladder ?? ''}-${mark.number ?? mark.step ?? mark.at}`,
    at,
    atMax: mark.atMax && mark.atMax > at ? mark.atMax : null,
    shape: look.shape,
    tone: look.tone,
    attemptId: mark.attemptId ?? null,
    result: resultText(mark),
    step: stepText(mark),
    distance: distanceOf(mark, at, setting),
    what: whatOf(mark),
    when: whenOf(mark, at, setting),
    cycle: null,
  };
}

function marksOf(view: TimelineView, setting: Setting): MarkItem[] {
  const items: MarkItem[] = [];
  let cycle: number | null = null;
  for (const mark of view.marks) {
    if (mark.kind === 'deadline') continue;
    const item = markItem(mark, mark.kind, setting);
    const next: number | null = mark.cycle ?? cycle;
    items.push({ ...item, cycle: next !== null && cycle !== null && next !== cycle ? next : null });
    cycle = next;
  }
  return items.sort((a, b) => a.at - b.at);
}

function silenceItem(silence: TimelineSilence, end: number, { now, zone }: Setting): SilenceItem {
  const toAt = silence.toAt ?? end;
  const short = t.timeline.silence[silence.kind];
  const to = nearTime(toAt, now, zone);
  const going = silence.toAt === null || silence.toAt > now;
  return {
    key: `${silence.kind}-${silence.fromAt}`,
    fromAt: silence.fromAt,
    toAt: Math.max(toAt, silence.fromAt),
    text:
      going && toAt > now
        ? t.timeline.silenceUntil(short, to)
        : going
          ? t.timeline.silenceOpen(short)
          : short,
    short,
    from: nearTime(silence.fromAt, now, zone),
    to: silence.toAt === null && toAt <= now ? null : to,
  };
}

function wallItem(mark: TimelineMark, { now, zone }: Setting): WallItem {
  const left = mark.at - now;
  return {
    key: mark.deadline ?? 'max_age',
    at: mark.at,
    name: t.timeline.walls[mark.deadline ?? 'max_age'],
    when: nearTime(mark.at, now, zone),
    distance: left > 0 ? shortSpan(left) : t.common.time.ago(shortSpan(left)),
  };
}

/** What happens next is the one planned mark that has a colour. */
function nextItem(mark: MarkItem, now: number): MarkItem {
  const distance =
    mark.at > now && !mark.distance.startsWith('≥') ? t.common.time.in(mark.distance) : mark.distance;
  return { ...mark, distance, tone: mark.tone === 'off' ? 'wait' : mark.tone };
}

/** Everything that the timeline shows at `now`. R-LAD-7, R-DEL-7. */
export function drawTimeline(view: TimelineView, now: number, zone: Zone): TimelineDrawing {
  const origin = view.marks.find((mark) => mark.kind === 'published')?.at ?? view.marks[0]?.at ?? now;
  const setting = { now, zone, origin };
  const plain = marksOf(view, setting);
  const ahead = plain.find((mark) => mark.kind === 'planned');
  const marks = plain.map((mark) => (mark === ahead ? nextItem(mark, now) : mark));
  const end = Math.max(now, ahead?.at ?? now);
  const open = marks.some((mark) => mark.kind === 'planned' || mark.kind === 'in_flight');
  return {
    now,
    marks,
    silences: view.silences.map((silence) => silenceItem(silence, end, setting)),
    walls: open ? view.marks.filter((mark) => mark.kind === 'deadline').map((m) => wallItem(m, setting)) : [],
    open,
  };
}

/** The distance from now in words, for the table: "in 11 m 4 s", "2 m ago". */
export function fromNow(at: number, now: number): string {
  if (Math.abs(at - now) < 1_000) return t.common.time.now;
  return at > now ? t.common.time.in(span(at - now)) : t.common.time.ago(span(now - at));
}
