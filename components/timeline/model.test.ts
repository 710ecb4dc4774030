import { describe, expect, it } from 'vitest';
import type { TimelineMark, TimelineView } from '@/server/services/contract';
import { drawTimeline, fromNow } from './model';

const S = 1_000;
const T0 = Date.parse('2026-01-01T14:02:00.000Z');
const NOW = T0 + 60 * S;

const attempt = (number: number, at: number, change: Partial<TimelineMark> = {}): TimelineMark => ({
  kind: 'attempt',
  at,
  attemptId: `att_${number}`,
  number,
  cycle: 1,
  outcome: 'unavailable',
  statusCode: 503,
  errorClass: 'http_5xx',
  ladder: 'fast',
  step: number,
  trigger: number === 1 ? 'first' : 'retry',
  ...change,
});
const planned = (number: number, at: number, change: Partial<TimelineMark> = {}): TimelineMark => ({
  kind: 'planned',
  at,
  atMax: at,
  number,
  ladder: 'fast',
  step: number - 1,
  ...change,
});
const published: TimelineMark = { kind: 'published', at: T0 };
const wall: TimelineMark = { kind: 'deadline', at: T0 + 30 * 86_400 * S, deadline: 'max_age' };
const draw = (marks: TimelineMark[], silences: TimelineView['silences'] = [], now = NOW) =>
  drawTimeline({ now, marks, silences }, now, 'utc');

describe('the drawing', () => {
  it('R-LAD-7 the past counts from the event, the future from now, the next one stands out', () => {
    const { marks, open } = draw([
      published,
      attempt(1, T0),
      attempt(2, T0 + S),
      planned(3, NOW + 30 * S),
      planned(4, NOW + 3_600 * S, { atMax: NOW + 4_320 * S }),
    ]);
    expect(open).toBe(true);
    expect(marks.map((mark) => mark.distance)).toEqual(['14:02:00', '+0 ms', '+1 s', 'in 30 s', '1 h']);
    expect(marks.map((mark) => mark.step)).toEqual(['', 'F 1', 'F 2', 'F 2', 'F 3']);
    expect(marks.map((mark) => mark.tone)).toEqual(['off', 'bad', 'bad', 'wait', 'off']);
    expect(marks[4]?.when).toBe('15:03:00 to 15:15:00');
  });

  it('R-LAD-7 behind an open breaker it reads "not before"', () => {
    const { marks } = draw([published, planned(1, NOW + 300 * S, { notBefore: true, step: null })]);
    expect(marks[1]).toMatchObject({ distance: '≥ 5 m', when: 'not before 14:08:00', step: '' });
  });

  it('R-LAD-7 a planned instant that has passed stands at now until its attempt exists', () => {
    const { marks } = draw([published, planned(1, NOW - 5 * S)]);
    expect(marks[1]).toMatchObject({ at: NOW, distance: 'due now' });
  });

  it('R-LAD-7 deadlines are walls while something lies ahead, and gone when it is over', () => {
    expect(draw([published, planned(1, NOW + S), wall]).walls).toMatchObject([{ distance: '29 d' }]);
    const over = draw([published, attempt(1, T0, { outcome: 'delivered', statusCode: 204 }), wall]);
    expect(over).toMatchObject({ open: false, walls: [] });
  });

  it('R-DEL-7 a silence is one bar with from, to and why; one that goes on ends at what comes next', () => {
    const { silences } = draw(
      [published, planned(1, NOW + 300 * S)],
      [
        { kind: 'pause', fromAt: T0 + S, toAt: T0 + 9 * S },
        { kind: 'breaker', fromAt: T0 + 20 * S, toAt: null },
      ],
    );
    expect(silences).toMatchObject([
      { text: 'paused', from: '14:02:01', to: '14:02:09' },
      { text: 'held by breaker until 14:08:00', toAt: NOW + 300 * S },
    ]);
    const open = draw([published], [{ kind: 'unsigned', fromAt: T0, toAt: null }]).silences[0];
    expect(open).toMatchObject({ text: 'not signed, no end set', to: null });
  });

  it('R-RES-1 a new cycle is marked where it begins', () => {
    const { marks } = draw([
      published,
      attempt(1, T0),
      attempt(2, T0 + S),
      attempt(3, T0 + 9 * S, { cycle: 2, trigger: 'resend' }),
    ]);
    expect(marks.map((mark) => mark.cycle)).toEqual([null, null, null, 2]);
    expect(marks[3]?.what).toBe('Attempt 3, resend');
  });

  it.each([
    ['delivered', 'dot', 'good'],
    ['unavailable', 'cross', 'bad'],
    ['rejected', 'cross', 'bad'],
    ['held', 'bars', 'held'],
    ['unknown', 'dash', 'off'],
  ] as const)('R-ATT-10 an attempt that came to %s is a %s', (outcome, shape, tone) => {
    expect(draw([published, attempt(1, T0 + S, { outcome })]).marks[1]).toMatchObject({ shape, tone });
  });

  it('R-ATT-18 what came back is the code, else the class in words', () => {
    const result = (change: Partial<TimelineMark>) =>
      draw([published, attempt(1, T0 + S, change)]).marks[1]?.result;
    expect(result({})).toBe('503');
    expect(result({ statusCode: null, errorClass: 'timeout' })).toBe('timeout');
    expect(result({ statusCode: null, errorClass: null, outcome: 'unknown' })).toBe('');
  });
});

it('the table tells the distance from now in words', () => {
  expect([fromNow(NOW, NOW), fromNow(NOW + 130 * S, NOW), fromNow(NOW - 4 * S, NOW)]).toEqual([
    'now',
    'in 2 m 10 s',
    '4 s ago',
  ]);
});
