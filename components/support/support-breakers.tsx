'use client';

import { useQuery } from '@tanstack/react-query';
import { BreakerState } from '../breakers/breaker-state';
import breakers from '../breakers/breakers.module.css';
import { HeldCell, ProbeCell, SinceCell } from '../breakers/columns';
import { ResetBreaker } from '../breakers/reset-breaker';
import { t } from '../messages';
import { placePath } from '../shell/navigation-items';
import { useTRPC } from '../trpc';
import type { Column } from '../ui/data-table';
import { ListFrame } from '../ui/list-frame';
import { EnvironmentBadge } from '../ui/marks';
import { EmptyState } from '../ui/notices';
import { PageHead } from '../ui/page-head';
import { BREAKER_LOOKS } from '../ui/status';
import classes from './support.module.css';
import { byAge, type SupportRow, scopeOf, summaryOf } from './support-rows';

/** There is no stream across merchants: the list is asked for again. */
const EVERY_MS = 5_000;

const { columns } = t.breakers;

const COLUMNS: readonly Column<SupportRow>[] = [
  {
    key: 'state',
    header: columns.state,
    width: 'var(--w-budget)',
    phone: 'line',
    cell: ({ breaker }) => <BreakerState breaker={breaker} />,
  },
  {
    key: 'app',
    header: columns.merchant,
    phone: 'line',
    cell: ({ app, breaker }) => (
      <span className={classes.app}>
        <span className={classes.appName}>{app.name}</span>
        <EnvironmentBadge environment={breaker.environment} />
      </span>
    ),
  },
  {
    key: 'scope',
    header: columns.scope,
    width: 'var(--w-status)',
    phone: 'end',
    cell: (row) => scopeOf(row),
  },
  {
    key: 'probe',
    header: columns.probe,
    width: 'var(--w-budget)',
    phone: 'line',
    cell: ({ breaker }) => <ProbeCell breaker={breaker} />,
  },
  {
    key: 'since',
    header: columns.since,
    width: 'var(--w-time)',
    phone: 'corner',
    cell: ({ breaker }) => <SinceCell breaker={breaker} />,
  },
  {
    key: 'held',
    header: columns.held,
    width: 'var(--w-time)',
    align: 'right',
    phone: 'end',
    cell: ({ breaker }) => <HeldCell breaker={breaker} />,
  },
  {
    key: 'reset',
    header: t.breakers.reset.short,
    width: 'var(--w-time)',
    align: 'right',
    phone: 'no',
    cell: (row) => (
      <span className={classes.above}>
        <ResetBreaker breaker={row.breaker} appId={row.app.id} scope={scopeOf(row)} short />
      </span>
    ),
  },
];

/** Every breaker that is not closed, of all merchants, each with its reset. */
export function SupportBreakers() {
  const trpc = useTRPC();
  const query = useQuery(trpc.support.breakers.queryOptions(undefined, { refetchInterval: EVERY_MS }));
  const rows = byAge(query.data ?? []);
  return (
    <>
      <PageHead title={t.support.breakers} />
      {rows.length > 0 ? <p className={breakers.summary}>{summaryOf(rows)}</p> : null}
      <ListFrame
        label={t.support.list}
        columns={COLUMNS}
        rows={rows}
        rowKey={({ breaker }) => breaker.id}
        rowLabel={(row) => t.breakers.openRow(BREAKER_LOOKS[row.breaker.state].word, scopeOf(row))}
        rowHref={({ app, breaker }) =>
          `${placePath({ appId: app.id, environment: breaker.environment }, 'breakers')}/${breaker.id}`
        }
        loading={query.isPending}
        error={query.error}
        onRetry={() => query.refetch()}
        empty={<EmptyState title={t.support.emptyTitle}>{t.support.empty}</EmptyState>}
      />
    </>
  );
}
