'use client';

import { Button } from '@mantine/core';
import Link from 'next/link';
import { t } from '../messages';
import { placePath } from '../shell/navigation-items';
import { usePlace } from '../shell/place';
import classes from './endpoints.module.css';
import { useRights } from './use-rights';

/** The way to a new endpoint; for whom there is none, why. */
export function CreateButton({ explained }: { explained?: boolean }) {
  const { isMember, writesEndpoints } = useRights();
  const path = `${placePath(usePlace(), 'endpoints')}/new`;
  if (writesEndpoints) {
    return (
      <Button component={Link} href={path} variant="filled">
        {t.endpoints.create}
      </Button>
    );
  }
  return explained && isMember ? <span className={classes.quiet}>{t.endpoints.mayNot}</span> : null;
}
