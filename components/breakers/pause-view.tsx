'use client';

import type { CSSProperties } from 'react';
import type { BreakerDetail } from '@/server/services/contract';
import { t } from '../messages';
import { useNow } from '../ui/clock';
import { span } from '../ui/format';
import { Section } from '../ui/page-head';
import { Countdown } from '../ui/time';
import classes from './gauges.module.css';
import { type PauseStep, pauseElapsed, pauseSteps } from './pause-steps';

const words = t.breakers.ladder;

/** The pauses between probes, the present one lit and running out (R-BRK-2). */
export function PauseView({ detail }: { detail: BreakerDetail }) {
  const { breaker, thresholds } = detail;
  const steps = pauseSteps(thresholds.pausesMs, breaker.pause_ms);
  return (
    <Section title={words.title} beside={<NextProbe breaker={breaker} />}>
      <ol className={classes.pauses} aria-label={words.list}>
        {steps.map((step, index) => (
          <Step
            key={step.pauseMs}
            step={step}
            isLast={index === steps.length - 1}
            probeAt={breaker.probe_at}
          />
        ))}
      </ol>
    </Section>
  );
}

function Step(props: { step: PauseStep; isLast: boolean; probeAt: string | null }) {
  const { step, isLast, probeAt } = props;
  const now = useNow();
  const elapsed =
    step.state === 'now' && probeAt !== null
      ? pauseElapsed({ pauseMs: step.pauseMs, probeAt: Date.parse(probeAt), now })
      : 0;
  const style = { '--length': step.pauseMs, '--share': step.state === 'past' ? 1 : elapsed } as CSSProperties;
  return (
    <li
      className={classes.pause}
      style={style}
      data-state={step.state}
      aria-current={step.state === 'now' ? 'step' : undefined}
    >
      <span className={classes.pauseBar} />
      <span className={classes.pauseName}>
        {span(step.pauseMs)}
        {isLast ? <span className={classes.quiet}> {words.more}</span> : null}
      </span>
      <span className={classes.pauseNote}>{step.failed === 0 ? words.first : words.nth(step.failed)}</span>
    </li>
  );
}

function NextProbe({ breaker }: { breaker: BreakerDetail['breaker'] }) {
  if (breaker.state === 'closed') return <span className={classes.quiet}>{words.notNow}</span>;
  if (breaker.probe_in_flight || breaker.probe_at === null) {
    return (
      <span className={classes.probing}>
        {t.breakers.columns.probe} {t.breakers.probeInFlight}
      </span>
    );
  }
  return (
    <span>
      <span className={classes.quiet}>{words.untilProbe}</span> <Countdown at={breaker.probe_at} />
    </span>
  );
}
