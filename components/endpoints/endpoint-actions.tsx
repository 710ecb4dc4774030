'use client';

import { Button } from '@mantine/core';
import Link from 'next/link';
import type { EndpointResource } from '@/server/services/contract';
import { t } from '../messages';
import { placePath } from '../shell/navigation-items';
import { usePlace } from '../shell/place';
import { useNow } from '../ui/clock';
import classes from './endpoints.module.css';
import { RemoveEndpoint } from './remove-endpoint';
import { StatusSwitch } from './status-switch';
import { useRights } from './use-rights';
import type { Testing } from './use-test-send';

export interface EndpointActionsProps {
  endpoint: EndpointResource;
  name: string;
  testing: Testing;
}

/** What can be done with it; for whom something cannot be, why. */
export function EndpointActions({ endpoint, name, testing }: EndpointActionsProps) {
  const rights = useRights();
  const place = usePlace();
  const now = useNow();
  const isLimited = testing.againAt !== null && testing.againAt > now;
  return (
    <>
      <Button
        variant={endpoint.status === 'active' && rights.sendsTests ? 'filled' : 'default'}
        disabled={!rights.sendsTests || isLimited}
        aria-disabled={testing.isRunning || undefined}
        aria-busy={testing.isRunning}
        onClick={() => !testing.isRunning && testing.start()}
      >
        {testing.isRunning ? t.endpoints.test.sending : t.endpoints.test.button}
      </Button>
      {rights.writesEndpoints ? (
        <>
          <StatusSwitch endpoint={endpoint} name={name} />
          <Button component={Link} href={`${placePath(place, 'endpoints')}/${endpoint.id}/edit`}>
            {t.endpoints.edit}
          </Button>
          <RemoveEndpoint endpoint={endpoint} name={name} />
        </>
      ) : null}
      <Reasons {...rights} />
    </>
  );
}

function Reasons({ isMember, sendsTests, writesEndpoints }: ReturnType<typeof useRights>) {
  if (!isMember || (sendsTests && writesEndpoints)) return null;
  const reasons = [sendsTests ? '' : t.endpoints.mayNotTest, writesEndpoints ? '' : t.endpoints.mayNot];
  return <span className={classes.quiet}>{reasons.filter(Boolean).join(' ')}</span>;
}
