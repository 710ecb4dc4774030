'use client';

import { IconArrowLeft } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import type { BreakerDetail } from '@/server/services/contract';
import { endpointName } from '../deliveries/endpoint-name';
import { Unloaded } from '../endpoints/unloaded';
import { useLiveRefresh } from '../endpoints/use-live-refresh';
import { useRights } from '../endpoints/use-rights';
import { t } from '../messages';
import { placePath } from '../shell/navigation-items';
import { usePlace } from '../shell/place';
import { useTRPC } from '../trpc';
import { useNow, useZone } from '../ui/clock';
import { CopyId } from '../ui/copy-id';
import { DetailFrame } from '../ui/detail-frame';
import { BreakerState } from './breaker-state';
import classes from './breakers.module.css';
import { breakerFace } from './face';
import { HeldFacts } from './held-facts';
import { History } from './history';
import { Machine } from './machine';
import { OpenedBy } from './opened-by';
import { PauseView } from './pause-view';
import { ResetBreaker } from './reset-breaker';
import { breakerSentence } from './sentence';
import { WindowView } from './window-view';

const FIRST_WIDTH = 760;
const EVERY_MS = 5_000;

/** One breaker: what it does and why, what it holds, when the next probe goes. */
export function BreakerPage({ id }: { id: string }) {
  const trpc = useTRPC();
  const options = trpc.breakers.get.queryOptions({ ...usePlace(), breakerId: id });
  // Support has no stream of a merchant's app: then the page asks again.
  const { isMember } = useRights();
  const { data, error, refetch } = useQuery({ ...options, refetchInterval: isMember ? false : EVERY_MS });
  useLiveRefresh([options.queryKey]);
  if (data) return <Loaded detail={data} />;
  return <Unloaded title={t.breakers.one} error={error} onRetry={() => refetch()} />;
}

/** To the app's breakers; for support to those of all merchants. */
function BackToBreakers({ isMember }: { isMember: boolean }) {
  const path = placePath(usePlace(), 'breakers');
  return (
    <Link href={isMember ? path : '/support'}>
      <IconArrowLeft size="1.25em" stroke={1.5} aria-hidden="true" />
      {isMember ? t.breakers.all : t.support.back}
    </Link>
  );
}

function Loaded({ detail }: { detail: BreakerDetail }) {
  const { breaker, endpoint, thresholds } = detail;
  const { isMember } = useRights();
  const now = useNow();
  const zone = useZone();
  const scope = endpoint === null ? t.breakers.wholeApp : endpointName(endpoint);
  return (
    <DetailFrame
      back={<BackToBreakers isMember={isMember} />}
      title={t.breakers.of(scope)}
      marks={
        <>
          <BreakerState breaker={breaker} boxed />
          <CopyId id={breaker.id} what={t.breakers.facts.id} short />
        </>
      }
      sentence={breakerSentence({ breaker, thresholds, scope, now, zone })}
      actions={<Actions detail={detail} scope={scope} />}
    >
      <div className={classes.twoUp}>
        <Machine state={breakerFace(breaker, now)} thresholds={thresholds} firstWidth={FIRST_WIDTH} />
        <div className={classes.besideMachine}>
          {breaker.state === 'closed' ? <WindowView detail={detail} /> : null}
          <PauseView detail={detail} />
          {breaker.state === 'closed' ? null : <WindowView detail={detail} />}
        </div>
      </div>
      <OpenedBy detail={detail} linked={isMember} />
      <HeldFacts detail={detail} linked={isMember} />
      <History history={detail.history} />
    </DetailFrame>
  );
}

/** Support resets it; a merchant reads why not, and what to do instead. */
function Actions({ detail, scope }: { detail: BreakerDetail; scope: string }) {
  const { resetsBreakers, isMember } = useRights();
  const { breaker, app, thresholds } = detail;
  if (breaker.state === 'closed') return null;
  if (resetsBreakers) {
    return <ResetBreaker breaker={breaker} appId={app.id} scope={scope} thresholds={thresholds} />;
  }
  return isMember ? <p className={classes.note}>{t.breakers.reset.merchant}</p> : null;
}
