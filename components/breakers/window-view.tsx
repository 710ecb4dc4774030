import type { BreakerDetail } from '@/server/services/contract';
import { t } from '../messages';
import { span } from '../ui/format';
import { Section } from '../ui/page-head';
import classes from './breakers.module.css';
import gauges from './gauges.module.css';
import { Meter } from './meter';
import { attemptsMeter, failedPercent, failuresMeter, failuresToOpen } from './window';

const words = t.breakers.window;

/** What counts now against what opens it: how near a closed one is. */
export function WindowView({ detail }: { detail: BreakerDetail }) {
  const { breaker, thresholds } = detail;
  const { window } = breaker;
  const alarming = failuresToOpen(window, thresholds) === 1;
  return (
    <Section title={words.title(span(thresholds.windowMs))}>
      {breaker.state === 'closed' ? (
        <div className={gauges.meters}>
          <Meter
            name={words.attempts}
            text={words.attemptsOf(window.attempts, thresholds.minAttempts)}
            meter={attemptsMeter(window, thresholds)}
            alarming={alarming}
          />
          <Meter
            name={words.failures}
            text={words.failuresOf(
              window.failures,
              failedPercent(window),
              Math.round(thresholds.failureRatio * 100),
            )}
            meter={failuresMeter(window, thresholds)}
            alarming={alarming}
          />
        </div>
      ) : (
        <p className={classes.note}>{words.notCounted}</p>
      )}
    </Section>
  );
}
