'use client';

import Link from 'next/link';
import type { BreakerDetail } from '@/server/services/contract';
import { endpointName } from '../deliveries/endpoint-name';
import { t } from '../messages';
import { placePath } from '../shell/navigation-items';
import { usePlace } from '../shell/place';
import { CopyId } from '../ui/copy-id';
import { Facts } from '../ui/facts';
import { Section } from '../ui/page-head';
import { RelativeTime } from '../ui/time';
import classes from './breakers.module.css';
import { isCapped } from './sentence';

const { facts } = t.breakers;

/** What is held and since when, and what it guards. */
export function HeldFacts({ detail, linked }: { detail: BreakerDetail; linked: boolean }) {
  const { breaker, endpoint, app, heldSince } = detail;
  const place = usePlace();
  const deliveries = `${placePath(place, 'deliveries')}?status=pending`;
  const filter = breaker.endpoint_id === null ? deliveries : `${deliveries}&endpoint=${breaker.endpoint_id}`;
  return (
    <Section title={facts.title}>
      <Facts
        columns={2}
        facts={[
          {
            name: facts.held,
            value:
              breaker.held === 0 ? (
                <span className={classes.quiet}>{facts.nothing}</span>
              ) : (
                <>
                  {t.breakers.held(breaker.held, isCapped(breaker.held))}
                  {linked ? <Link href={filter}>{facts.deliveries}</Link> : null}
                </>
              ),
          },
          heldSince === null ? null : { name: facts.since, value: <RelativeTime at={heldSince} focusable /> },
          {
            name: facts.endpoint,
            value:
              endpoint === null ? t.breakers.appScope : <EndpointLink endpoint={endpoint} linked={linked} />,
          },
          linked ? null : { name: facts.app, value: app.name },
          breaker.opened_at === null
            ? null
            : { name: facts.opened, value: <RelativeTime at={breaker.opened_at} focusable /> },
          { name: facts.id, value: <CopyId id={breaker.id} what={facts.id} /> },
        ]}
      />
    </Section>
  );
}

function EndpointLink(props: { endpoint: NonNullable<BreakerDetail['endpoint']>; linked: boolean }) {
  const { endpoint, linked } = props;
  const path = placePath(usePlace(), 'endpoints');
  const name = endpointName(endpoint);
  return linked ? <Link href={`${path}/${endpoint.id}`}>{name}</Link> : name;
}
