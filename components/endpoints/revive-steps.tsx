'use client';

import Link from 'next/link';
import { t } from '../messages';
import { placePath } from '../shell/navigation-items';
import { usePlace } from '../shell/place';
import { Section } from '../ui/page-head';
import classes from './endpoints.module.css';

/** What to do about an endpoint that was switched off, in order. */
export function ReviveSteps({ endpointId }: { endpointId: string }) {
  const skipped = `${placePath(usePlace(), 'deliveries')}?status=skipped&endpoint=${endpointId}`;
  return (
    <Section title={t.endpoints.steps.title}>
      <ol className={classes.steps}>
        {t.endpoints.steps.list.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      <p className={classes.note}>
        <Link href={skipped}>{t.endpoints.steps.skipped}</Link>
      </p>
    </Section>
  );
}
