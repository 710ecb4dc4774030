'use client';

import { ActionIcon } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import Link from 'next/link';
import type { ReactNode } from 'react';
import { t } from '../messages';
import { placePath } from '../shell/navigation-items';
import { usePlace } from '../shell/place';
import { useNow, useZone } from '../ui/clock';
import { errorFacts } from '../ui/error-facts';
import { nearTime, span } from '../ui/format';
import type { Shape, Tone } from '../ui/status';
import { StatusShape } from '../ui/status-shape';
import classes from './endpoints.module.css';
import { testVerdict } from './test-answer';
import type { Testing } from './use-test-send';

const words = t.endpoints.test;

/** What the last test came to, under the button that sent it. */
export function TestAnswer(props: { name: string; isActive: boolean; testing: Testing }) {
  const { name, isActive, testing } = props;
  const place = usePlace();
  const { answer, error, isRunning } = testing;
  if (isRunning) return <Answer shape="ring" tone="wait" moving text={words.waiting(name)} />;
  if (error) return <Refused error={error} testing={testing} />;
  if (!answer) return null;
  const verdict = testVerdict(answer, isActive);
  return (
    <Answer {...verdict} onDismiss={testing.dismiss}>
      <Link href={`${placePath(place, 'deliveries')}/${answer.delivery_id}`}>{words.delivery}</Link>
    </Answer>
  );
}

/** The limit says when the next one can go; any other refusal says what it is. */
function Refused({ error, testing }: { error: unknown; testing: Testing }) {
  const now = useNow();
  const zone = useZone();
  const { againAt } = testing;
  if (againAt !== null) {
    const text =
      againAt > now
        ? words.limited(nearTime(againAt, now, zone), t.common.time.in(span(againAt - now)))
        : words.again;
    return <Answer shape="bars" tone="held" text={text} onDismiss={testing.dismiss} />;
  }
  const facts = errorFacts(error);
  return (
    <Answer
      shape="cross"
      tone="bad"
      text={`${words.failedTitle} ${facts.message}`}
      detail={facts.requestId ? t.common.requestId(facts.requestId) : null}
      onDismiss={testing.dismiss}
    />
  );
}

function Answer(props: {
  shape: Shape;
  tone: Tone;
  text: string;
  detail?: string | null;
  moving?: boolean;
  onDismiss?: () => void;
  children?: ReactNode;
}) {
  return (
    <section className={classes.answer} aria-label={words.result}>
      <div className={classes.answerHead}>
        <StatusShape shape={props.shape} tone={props.tone} moving={props.moving} />
        <p role="status">{props.text}</p>
        {props.onDismiss ? (
          <ActionIcon onClick={props.onDismiss} aria-label={words.dismiss}>
            <IconX size="1.25em" stroke={1.5} aria-hidden="true" />
          </ActionIcon>
        ) : null}
      </div>
      {props.detail ? <p className={classes.answerDetail}>{props.detail}</p> : null}
      {props.children ? <div className={classes.answerFoot}>{props.children}</div> : null}
    </section>
  );
}
