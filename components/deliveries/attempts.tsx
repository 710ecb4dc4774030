'use client';

import { IconChevronRight } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import type { AttemptResource } from '@/server/services/contract';
import { t } from '../messages';
import { durationMs } from '../ui/format';
import { Section } from '../ui/page-head';
import { ATTEMPT_LOOKS } from '../ui/status';
import { StatusShape } from '../ui/status-shape';
import { RelativeTime } from '../ui/time';
import { AttemptBody } from './attempt-body';
import classes from './attempts.module.css';
import { attemptResult } from './cells';

export interface AttemptsProps {
  attempts: readonly AttemptResource[];
  /** The open one's id; nothing chosen opens the latest, an id that is none opens nothing. */
  selected: string | null;
  onSelect: (id: string | null) => void;
  columns: 1 | 2;
}

/** Every attempt, latest first; one of them open. */
export function Attempts({ attempts, selected, onSelect, columns }: AttemptsProps) {
  const latestFirst = [...attempts].sort((a, b) => b.number - a.number);
  const open = selected ?? latestFirst[0]?.id ?? null;
  return (
    <Section title={t.delivery.attempts.title}>
      {latestFirst.length === 0 ? <p className={classes.none}>{t.delivery.attempts.none}</p> : null}
      <ol className={classes.list}>
        {latestFirst.map((attempt) => (
          <AttemptRow
            key={attempt.id}
            attempt={attempt}
            open={attempt.id === open}
            chosen={attempt.id === selected}
            columns={columns}
            onToggle={(opens) => onSelect(opens ? attempt.id : 'none')}
          />
        ))}
      </ol>
    </Section>
  );
}

function AttemptRow(props: {
  attempt: AttemptResource;
  open: boolean;
  chosen: boolean;
  columns: 1 | 2;
  onToggle: (opens: boolean) => void;
}) {
  const { attempt, open } = props;
  const look = ATTEMPT_LOOKS[attempt.outcome];
  const place = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (props.chosen) place.current?.scrollIntoView({ block: 'nearest' });
  }, [props.chosen]);
  return (
    <li ref={place} id={attempt.id} className={classes.item}>
      <button
        type="button"
        className={classes.row}
        aria-expanded={open}
        onClick={() => props.onToggle(!open)}
      >
        <StatusShape shape={look.shape} tone={look.tone} />
        <span className={classes.number}>{t.delivery.attempts.short(attempt.number)}</span>
        <span className={classes.result}>{attemptResult(attempt)}</span>
        <span className={classes.trigger}>{t.status.trigger[attempt.trigger]}</span>
        <span className={classes.duration}>{durationMs(attempt.duration_ms)}</span>
        <span className={classes.when}>
          <RelativeTime at={attempt.started_at} />
        </span>
        <IconChevronRight className={classes.chevron} aria-hidden="true" />
      </button>
      {open ? <AttemptBody attempt={attempt} columns={props.columns} /> : null}
    </li>
  );
}
