'use client';

import { useQuery } from '@tanstack/react-query';
import type { BreakerResource } from '@/server/services/contract';
import { useEndpointNames } from '../deliveries/use-endpoint-names';
import { useLiveRefresh } from '../endpoints/use-live-refresh';
import { t } from '../messages';
import { placePath } from '../shell/navigation-items';
import { usePlace } from '../shell/place';
import { useTRPC } from '../trpc';
import { ListFrame } from '../ui/list-frame';
import { EmptyState } from '../ui/notices';
import { PageHead } from '../ui/page-head';
import { BREAKER_LOOKS } from '../ui/status';
import classes from './breakers.module.css';
import { breakerColumns, breakerFingerprint } from './columns';
import { byUrgency, type Tally, tallyOf } from './order';

/** The environment's breakers, those that hold something first. */
export function Breakers() {
  const trpc = useTRPC();
  const place = usePlace();
  const names = useEndpointNames();
  const options = trpc.breakers.list.queryOptions(place);
  const query = useQuery(options);
  useLiveRefresh([options.queryKey]);
  const rows = byUrgency(query.data ?? []);
  const scopeOf = ({ endpoint_id }: BreakerResource) =>
    endpoint_id === null ? t.breakers.wholeApp : (names.get(endpoint_id) ?? t.endpoints.one);
  const path = placePath(place, 'breakers');
  return (
    <>
      <PageHead title={t.breakers.title} />
      {rows.length > 0 ? <p className={classes.summary}>{summaryOf(tallyOf(rows))}</p> : null}
      <ListFrame
        label={t.breakers.list}
        columns={breakerColumns(scopeOf)}
        rows={rows}
        rowKey={(breaker) => breaker.id}
        rowLabel={(breaker) => t.breakers.openRow(BREAKER_LOOKS[breaker.state].word, scopeOf(breaker))}
        rowHref={(breaker) => `${path}/${breaker.id}`}
        fingerprint={breakerFingerprint}
        loading={query.isPending}
        error={query.error}
        onRetry={() => query.refetch()}
        empty={<EmptyState title={t.breakers.emptyTitle}>{t.breakers.empty}</EmptyState>}
      />
    </>
  );
}

function summaryOf({ total, notClosed, held, capped }: Tally): string {
  if (notClosed === 0) return t.breakers.allClosed(total);
  return t.breakers.notClosed(notClosed, total, t.breakers.heldSum(held, capped));
}
