'use client';

import { t } from '../messages';
import classes from './atoms.module.css';
import { useNow, useZone } from './clock';
import { clockTime, exactTime, nearTime, shortSpan, span } from './format';

const instantOf = (at: string | number) => (typeof at === 'number' ? at : Date.parse(at));

interface TimeProps {
  /** ISO string or epoch ms. */
  at: string | number;
  /** Reachable by Tab, so that the exact time shows without a mouse. */
  focusable?: boolean;
}

function Time({ at, focusable, text }: TimeProps & { text: string }) {
  const zone = useZone();
  const instant = instantOf(at);
  return (
    <time
      className={classes.time}
      dateTime={new Date(instant).toISOString()}
      data-tip={exactTime(instant, zone)}
      tabIndex={focusable ? 0 : undefined}
    >
      {text}
    </time>
  );
}

/** "4 m ago", the exact instant on hover and focus. */
export function RelativeTime(props: TimeProps) {
  const now = useNow();
  const passed = now - instantOf(props.at);
  const text = passed < 1_000 ? t.common.time.now : t.common.time.ago(shortSpan(passed));
  return <Time {...props} text={text} />;
}

/** "in 2 m 10 s", and when the instant has come "due now". */
export function Countdown(props: TimeProps) {
  const left = instantOf(props.at) - useNow();
  const text = left <= 0 ? t.common.time.dueNow : t.common.time.in(span(left));
  return <Time {...props} text={text} />;
}

/** "14:02:07", with its day when that is not today. */
export function ClockTime(props: TimeProps & { seconds?: boolean }) {
  const now = useNow();
  const zone = useZone();
  const instant = instantOf(props.at);
  const text = props.seconds ? clockTime(instant, zone) : nearTime(instant, now, zone);
  return <Time at={props.at} focusable={props.focusable} text={text} />;
}

/** The whole instant, to the millisecond. */
export function ExactTime({ at }: { at: string | number }) {
  const zone = useZone();
  const instant = instantOf(at);
  return <time dateTime={new Date(instant).toISOString()}>{exactTime(instant, zone)}</time>;
}
