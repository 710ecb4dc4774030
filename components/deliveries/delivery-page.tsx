'use client';

import { IconArrowLeft } from '@tabler/icons-react';
import Link from 'next/link';
import { t } from '../messages';
import { placePath } from '../shell/navigation-items';
import { usePlace } from '../shell/place';
import { DeliveryView } from './delivery-view';

/** One delivery on a page of its own. */
export function DeliveryPage({ id }: { id: string }) {
  return <DeliveryView id={id} place="page" back={<BackToList />} />;
}

function BackToList() {
  return (
    <Link href={placePath(usePlace(), 'deliveries')}>
      <IconArrowLeft size="1.25em" stroke={1.5} aria-hidden="true" />
      {t.delivery.backToList}
    </Link>
  );
}
