'use client';

import Link from 'next/link';
import type { BreakerResource, EndpointResource } from '@/server/services/contract';
import { BreakerState } from '../breakers/breaker-state';
import { t } from '../messages';
import { figure } from '../messages/plural';
import { placePath } from '../shell/navigation-items';
import { usePlace } from '../shell/place';
import { CopyButton, CopyId } from '../ui/copy-id';
import { Facts } from '../ui/facts';
import { Section } from '../ui/page-head';
import { RelativeTime } from '../ui/time';
import classes from './endpoints.module.css';

const { facts } = t.endpoints;

function Types({ types }: { types: readonly string[] }) {
  if (types.length === 0) return <span className={classes.quiet}>{t.endpoints.allTypes}</span>;
  return (
    <span className={classes.chips}>
      {types.map((type) => (
        <code key={type} className={classes.chip}>
          {type}
        </code>
      ))}
    </span>
  );
}

function OwnHeaders({ names }: { names: readonly string[] }) {
  if (names.length === 0) return <span className={classes.quiet}>{facts.noHeaders}</span>;
  return (
    <span className={classes.chips}>
      {names.map((name) => (
        <span key={name} className={classes.chip}>
          <code>{name}</code> <span className={classes.quiet}>{facts.headerSet}</span>
        </span>
      ))}
    </span>
  );
}

function Guard({ breaker }: { breaker: BreakerResource | null }) {
  const place = usePlace();
  if (!breaker) return <span className={classes.quiet}>{facts.noBreaker}</span>;
  return (
    <>
      <BreakerState breaker={breaker} />
      <Link href={`${placePath(place, 'breakers')}/${breaker.id}`}>{facts.seeBreaker}</Link>
    </>
  );
}

/** What is set of it, and what guards it. */
export function EndpointFacts(props: { endpoint: EndpointResource; breaker: BreakerResource | null }) {
  const { endpoint, breaker } = props;
  const failures = endpoint.consecutive_failures;
  return (
    <Section title={facts.title}>
      <Facts
        columns={2}
        facts={[
          {
            name: facts.url,
            value: (
              <>
                <code>{endpoint.url}</code>
                <CopyButton text={endpoint.url} what={facts.url} />
              </>
            ),
          },
          { name: facts.id, value: <CopyId id={endpoint.id} what={facts.id} /> },
          { name: facts.types, value: <Types types={endpoint.types} /> },
          { name: facts.number, value: figure(endpoint.number) },
          { name: facts.breaker, value: <Guard breaker={breaker} /> },
          failures > 0 ? { name: facts.failures, value: figure(failures) } : null,
          { name: facts.headers, value: <OwnHeaders names={endpoint.headers} /> },
          {
            name: facts.concurrency,
            value:
              endpoint.concurrency === null ? (
                <span className={classes.quiet}>{facts.concurrencyDefault}</span>
              ) : (
                facts.concurrencyOf(endpoint.concurrency)
              ),
          },
          { name: facts.scheme, value: <code>{endpoint.scheme}</code> },
          {
            name: facts.policy,
            value: endpoint.policy ?? <span className={classes.quiet}>{facts.policyOfApp}</span>,
          },
          { name: facts.created, value: <RelativeTime at={endpoint.created_at} focusable /> },
          { name: facts.updated, value: <RelativeTime at={endpoint.updated_at} focusable /> },
        ]}
      />
    </Section>
  );
}
