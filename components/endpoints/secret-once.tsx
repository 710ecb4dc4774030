'use client';

import { Button } from '@mantine/core';
import Link from 'next/link';
import type { EndpointResource } from '@/server/services/contract';
import { endpointName } from '../deliveries/endpoint-name';
import { t } from '../messages';
import { placePath } from '../shell/navigation-items';
import { usePlace } from '../shell/place';
import { CopyButton, CopyId } from '../ui/copy-id';
import { DetailFrame } from '../ui/detail-frame';
import { Section } from '../ui/page-head';
import { BackToEndpoints } from './back';
import classes from './endpoints.module.css';
import { SnippetSection } from './snippet-view';
import { useLeaveGuard } from './use-leave-guard';

const words = t.endpoints.created;

/** A new endpoint's secret: it is in this answer alone (R-SIG-3), so it stands in no address and no cache. */
export function SecretOnce({ endpoint }: { endpoint: EndpointResource }) {
  const place = usePlace();
  useLeaveGuard(true);
  return (
    <DetailFrame
      back={<BackToEndpoints />}
      title={words.title(endpointName(endpoint))}
      marks={<CopyId id={endpoint.id} what={t.endpoints.facts.id} />}
      sentence={words.sentence(endpoint.number)}
    >
      <Section title={words.secret}>
        <div className={classes.secret}>
          <code>{endpoint.secret}</code>
          <CopyButton text={endpoint.secret ?? ''} what={words.secret.toLowerCase()} />
        </div>
        <p className={classes.note}>{words.secretFor}</p>
      </Section>
      <SnippetSection scheme={endpoint.scheme} />
      <div className={classes.submit}>
        <Button component={Link} href={`${placePath(place, 'endpoints')}/${endpoint.id}`} variant="filled">
          {words.next}
        </Button>
        <span className={classes.quiet}>{words.leave}</span>
      </div>
    </DetailFrame>
  );
}
