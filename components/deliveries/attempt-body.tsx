import type { CSSProperties } from 'react';
import type { AttemptResource } from '@/server/services/contract';
import { t } from '../messages';
import { CopyButton } from '../ui/copy-id';
import { Facts } from '../ui/facts';
import { durationMs } from '../ui/format';
import { ExactTime } from '../ui/time';
import classes from './attempts.module.css';
import { phasesOf } from './timings';

const { facts, attempts: words } = t.delivery;

/** One attempt: what was sent where, what came back, and where the time went. */
export function AttemptBody({ attempt, columns }: { attempt: AttemptResource; columns: 1 | 2 }) {
  return (
    <div className={classes.body} data-columns={columns}>
      <div>
        <h3>{words.request}</h3>
        <Request attempt={attempt} />
      </div>
      <div>
        <h3>{words.response}</h3>
        <Response attempt={attempt} />
        <h3>{words.timing}</h3>
        <Timing attempt={attempt} />
      </div>
    </div>
  );
}

function Request({ attempt }: { attempt: AttemptResource }) {
  return (
    <Facts
      facts={[
        {
          name: facts.url,
          value: (
            <>
              <code className={classes.url}>{attempt.url}</code>
              <CopyButton text={attempt.url} what={facts.url} />
            </>
          ),
        },
        attempt.address ? { name: facts.address, value: <code>{attempt.address}</code> } : null,
        { name: facts.started, value: <ExactTime at={attempt.started_at} /> },
        attempt.ladder && attempt.step !== null
          ? { name: facts.ladder, value: words.step(t.status.ladder[attempt.ladder], attempt.step) }
          : null,
        attempt.actor ? { name: facts.actor, value: attempt.actor } : null,
      ]}
    />
  );
}

function Response({ attempt }: { attempt: AttemptResource }) {
  if (attempt.status_code === null && attempt.error_class === null) {
    return <p className={classes.none}>{words.noAnswer}</p>;
  }
  return (
    <Facts
      facts={[
        attempt.status_code === null ? null : { name: facts.code, value: <code>{attempt.status_code}</code> },
        attempt.error_class
          ? { name: facts.errorClass, value: t.status.errorClass[attempt.error_class] }
          : null,
        attempt.message ? { name: facts.message, value: attempt.message } : null,
      ]}
    />
  );
}

function Timing({ attempt }: { attempt: AttemptResource }) {
  const phases = phasesOf(attempt);
  const reused = attempt.timing.connect_ms === null && attempt.timing.first_byte_ms !== null;
  return (
    <>
      <div className={classes.bar} aria-hidden="true">
        {phases.map(({ phase, share }) => (
          <span key={phase} data-phase={phase} style={{ '--share': share } as CSSProperties} />
        ))}
      </div>
      <dl className={classes.phases}>
        {phases.map(({ phase, ms }) => (
          <div key={phase} data-phase={phase}>
            <dt>{words.timings[phase]}</dt>
            <dd>{durationMs(ms)}</dd>
          </div>
        ))}
        <div>
          <dt>{words.total}</dt>
          <dd>{durationMs(attempt.duration_ms)}</dd>
        </div>
      </dl>
      {reused ? <p className={classes.none}>{words.reused}</p> : null}
      {attempt.retried_stale ? <p className={classes.none}>{words.stale}</p> : null}
    </>
  );
}
