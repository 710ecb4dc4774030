'use client';

import Link from 'next/link';
import type { DeliveryResource } from '@/server/services/contract';
import { t } from '../messages';
import { placePath } from '../shell/navigation-items';
import { usePlace } from '../shell/place';
import { Section } from '../ui/page-head';
import { DeliveryChip } from '../ui/status-chip';
import { budgetText } from './cells';
import { nameOf } from './columns';
import classes from './deliveries.module.css';
import { useEndpointNames } from './use-endpoint-names';

export interface SiblingsProps {
  siblings: readonly DeliveryResource[];
  onOpen?: (id: string) => void;
}

/** The same event on its other endpoints. */
export function Siblings({ siblings, onOpen }: SiblingsProps) {
  const place = usePlace();
  const names = useEndpointNames();
  return (
    <Section title={t.delivery.siblings.title}>
      {siblings.length === 0 ? <p className={classes.nothing}>{t.delivery.siblings.none}</p> : null}
      <ul className={classes.siblings}>
        {siblings.map((sibling) => (
          <li key={sibling.id}>
            <Link
              href={`${placePath(place, 'deliveries')}/${sibling.id}`}
              onClick={(event) => {
                if (!onOpen || event.metaKey || event.ctrlKey) return;
                event.preventDefault();
                onOpen(sibling.id);
              }}
            >
              <DeliveryChip delivery={sibling} />
              <span className={classes.siblingName}>{nameOf(sibling, names)}</span>
              <span className={classes.quiet}>{budgetText(sibling)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  );
}
