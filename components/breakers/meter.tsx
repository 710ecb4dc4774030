import type { CSSProperties } from 'react';
import classes from './gauges.module.css';
import type { Meter as MeterFacts } from './window';

/** A length against its threshold: the bar, a mark where it is decided, and both in words. */
export function Meter(props: { name: string; text: string; meter: MeterFacts; alarming: boolean }) {
  const { share, mark } = props.meter;
  const style = { '--share': share, '--mark': mark } as CSSProperties;
  return (
    <div className={classes.meter}>
      <span className={classes.meterName}>{props.name}</span>
      <span
        className={classes.meterBar}
        style={style}
        data-alarming={props.alarming || undefined}
        aria-hidden="true"
      />
      <span className={classes.meterText}>{props.text}</span>
    </div>
  );
}
