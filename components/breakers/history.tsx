'use client';

import type { BreakerDetail } from '@/server/services/contract';
import { t } from '../messages';
import { shortId } from '../ui/copy-id';
import { span } from '../ui/format';
import { Section } from '../ui/page-head';
import { StatusShape } from '../ui/status-shape';
import { ClockTime, RelativeTime } from '../ui/time';
import classes from './breakers.module.css';
import { historyLine } from './history-words';

const words = t.breakers.history;

/** Every move of the breaker, newest first, with who made it where a person did. */
export function History({ history }: Pick<BreakerDetail, 'history'>) {
  return (
    <Section title={words.title}>
      {history.length === 0 ? <p className={classes.note}>{words.none}</p> : null}
      <ol className={classes.history}>
        {history.map((entry) => (
          <Entry key={`${entry.at} ${entry.kind}`} entry={entry} />
        ))}
      </ol>
    </Section>
  );
}

function Entry({ entry }: { entry: BreakerDetail['history'][number] }) {
  const line = historyLine(entry);
  return (
    <li>
      <StatusShape shape={line.shape} tone={line.tone} />
      <span className={classes.historyWhat}>
        {line.word}
        {line.pauseMs === null ? null : (
          <span className={classes.quiet}>
            {', '}
            {words.paused(span(line.pauseMs))}
          </span>
        )}
        {line.probeAt === null ? null : (
          <span className={classes.quiet}>
            {', '}
            {words.probeAt} <ClockTime at={line.probeAt} />
          </span>
        )}
        {entry.actor === null || entry.reason === null ? null : (
          <span className={classes.historyWhy}>
            {entry.reason} <span className={classes.quiet}>{words.by(shortId(entry.actor))}</span>
          </span>
        )}
      </span>
      <span className={classes.quiet}>
        <RelativeTime at={entry.at} focusable />
      </span>
    </li>
  );
}
