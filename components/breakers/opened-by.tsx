'use client';

import { Button } from '@mantine/core';
import Link from 'next/link';
import { useState } from 'react';
import type { AttemptResource, BreakerDetail } from '@/server/services/contract';
import { t } from '../messages';
import { placePath } from '../shell/navigation-items';
import { usePlace } from '../shell/place';
import { shortId } from '../ui/copy-id';
import { durationMs, span } from '../ui/format';
import { Section } from '../ui/page-head';
import { ClockTime } from '../ui/time';
import { answersTally, answerText } from './answers';
import classes from './breakers.module.css';

const words = t.breakers.opened;
const SHOWN = 5;

/** The attempts that opened it, or while closed the failures that count. Who sees no deliveries gets no links. */
export function OpenedBy({ detail, linked }: { detail: BreakerDetail; linked: boolean }) {
  const { breaker, openedBy, thresholds } = detail;
  const [all, setAll] = useState(false);
  const isClosed = breaker.state === 'closed';
  const shown = all ? openedBy : openedBy.slice(0, SHOWN);
  const hidden = openedBy.length - shown.length;
  const tally = answersTally(openedBy);
  const lead = isClosed ? tally : words.lead(openedBy.length, span(thresholds.windowMs), tally);
  return (
    <Section title={isClosed ? words.titleClosed : words.title}>
      <p className={classes.note}>{openedBy.length > 0 ? lead : isClosed ? words.noneClosed : words.none}</p>
      {openedBy.length > 0 ? <Attempts attempts={shown} linked={linked} /> : null}
      {hidden > 0 ? (
        <Button className={classes.startButton} onClick={() => setAll(true)}>
          {words.more(hidden)}
        </Button>
      ) : null}
    </Section>
  );
}

function Attempts({ attempts, linked }: { attempts: readonly AttemptResource[]; linked: boolean }) {
  const { columns } = words;
  return (
    <div className={classes.sheet}>
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">{columns.at}</th>
            <th scope="col">{columns.answer}</th>
            <th scope="col" data-phone="no">
              {columns.message}
            </th>
            <th scope="col">{columns.duration}</th>
            <th scope="col">{columns.delivery}</th>
          </tr>
        </thead>
        <tbody>
          {attempts.map((attempt) => (
            <AttemptRow key={attempt.id} attempt={attempt} linked={linked} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function AttemptRow({ attempt, linked }: { attempt: AttemptResource; linked: boolean }) {
  const path = placePath(usePlace(), 'deliveries');
  const endedAt = Date.parse(attempt.started_at) + attempt.duration_ms;
  const id = <code>{shortId(attempt.delivery_id)}</code>;
  return (
    <tr>
      <td>
        <ClockTime at={endedAt} />
      </td>
      <td>{attempt.status_code === null ? answerText(attempt) : <code>{attempt.status_code}</code>}</td>
      <td data-phone="no" className={classes.message}>
        {attempt.message ?? t.common.none}
      </td>
      <td>{durationMs(attempt.duration_ms)}</td>
      <td>{linked ? <Link href={`${path}/${attempt.delivery_id}`}>{id}</Link> : id}</td>
    </tr>
  );
}
