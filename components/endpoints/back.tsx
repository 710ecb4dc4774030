'use client';

import { IconArrowLeft } from '@tabler/icons-react';
import Link from 'next/link';
import { t } from '../messages';
import { placePath } from '../shell/navigation-items';
import { usePlace } from '../shell/place';

/** The way back to the list. */
export function BackToEndpoints() {
  return (
    <Link href={placePath(usePlace(), 'endpoints')}>
      <IconArrowLeft size="1.25em" stroke={1.5} aria-hidden="true" />
      {t.endpoints.all}
    </Link>
  );
}
