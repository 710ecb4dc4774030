'use client';

import { t } from '../messages';
import type { Column } from '../ui/data-table';
import { RelativeTime } from '../ui/time';
import classes from './endpoints.module.css';
import { HealthChip } from './health-chip';
import type { EndpointRow } from './use-endpoint-rows';

function NameCell({ row }: { row: EndpointRow }) {
  return (
    <span className={classes.name}>
      <span className={classes.number}>{row.endpoint.number}</span>
      <span className={classes.label}>{row.name}</span>
      <span className={classes.url} data-tip={row.endpoint.url}>
        {row.endpoint.url}
      </span>
    </span>
  );
}

function TypesCell({ types }: { types: readonly string[] }) {
  const [first] = types;
  if (first === undefined || first === '*')
    return <span className={classes.quiet}>{t.endpoints.allTypes}</span>;
  return (
    <span data-tip={types.join(', ')}>
      {first}
      {types.length > 1 ? (
        <span className={classes.quiet}> {t.endpoints.moreTypes(types.length - 1)}</span>
      ) : null}
    </span>
  );
}

function PendingCell({ pending }: Pick<EndpointRow, 'pending'>) {
  const isQuiet = !pending || pending.count === 0;
  return (
    <span className={isQuiet ? classes.quiet : undefined}>
      {pending ? t.endpoints.pendingCount(pending.count, pending.capped) : t.common.none}
      <span className={classes.phoneWord}> {t.endpoints.columns.pending.toLowerCase()}</span>
    </span>
  );
}

function LastCell({ lastAnswer }: Pick<EndpointRow, 'lastAnswer'>) {
  if (!lastAnswer) return null;
  return (
    <span className={classes.last}>
      <span className={classes.lastText} data-tip={lastAnswer.error ?? undefined}>
        {lastAnswer.isCode ? <code>{lastAnswer.text}</code> : lastAnswer.text}
      </span>
      <span className={classes.lastWhen}>
        <RelativeTime at={lastAnswer.at} />
      </span>
    </span>
  );
}

const { columns } = t.endpoints;

/** How it does; which it is and where it goes; what it gets; what waits; what came back last where it fails. */
export const ENDPOINT_COLUMNS: readonly Column<EndpointRow>[] = [
  {
    key: 'health',
    header: columns.health,
    width: 'var(--w-status)',
    phone: 'line',
    cell: (row) => <HealthChip endpoint={row.endpoint} health={row.health} />,
  },
  { key: 'name', header: columns.endpoint, phone: 'line', cell: (row) => <NameCell row={row} /> },
  {
    key: 'types',
    header: columns.types,
    width: 'var(--w-endpoint)',
    phone: 'line',
    cell: (row) => <TypesCell types={row.endpoint.types} />,
  },
  {
    key: 'last',
    header: columns.last,
    width: 'var(--w-status)',
    phone: 'end',
    cell: (row) => <LastCell lastAnswer={row.lastAnswer} />,
  },
  {
    key: 'pending',
    header: columns.pending,
    width: 'var(--w-time)',
    align: 'right',
    phone: 'corner',
    cell: (row) => <PendingCell pending={row.pending} />,
  },
];

/** Changes when anything does that a reader would want to notice. */
export function endpointFingerprint({ endpoint, health }: EndpointRow): string {
  return [health.face, endpoint.status, endpoint.failing_since].join();
}
