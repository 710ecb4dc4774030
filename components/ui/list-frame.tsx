'use client';

import { Button } from '@mantine/core';
import { IconArrowUp } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { t } from '../messages';
import { type Column, DataTable, type DataTableProps, TableSkeleton } from './data-table';
import { errorFacts } from './error-facts';
import classes from './frames.module.css';
import { ListKeys, type ListKeysProps } from './list-keys';
import { ErrorState, NoMatch } from './notices';

export interface ListFrameProps<Row> extends Omit<DataTableProps<Row>, 'columns'>, ListKeysProps {
  columns: readonly Column<Row>[];
  /** Something is open beside the list: it makes room and keeps only the columns that say which row is which. */
  beside?: boolean;
  loading?: boolean;
  error?: unknown;
  onRetry?: () => void;
  /** What to say when there is nothing at all. */
  empty: ReactNode;
  /** Given when filters are set: then an empty list is a matter of the filters. */
  onClearFilters?: (() => void) | null;
  /** Rows that wait behind the bar. */
  newer?: { count: number; more: boolean; show: () => void };
  /** `load: null` at the end of the list. */
  more?: { load: (() => void) | null; loading: boolean; error?: unknown };
}

/** A list in each of its states: loading, failed, empty, nothing matches, rows. */
export function ListFrame<Row>(all: ListFrameProps<Row>) {
  const props = all.beside ? { ...all, columns: all.columns.filter((column) => column.beside) } : all;
  return (
    <div className={classes.list} data-beside={props.beside || undefined}>
      <ListKeys onFollow={props.onFollow} onEscape={props.onEscape} onNewer={props.newer?.show} />
      {props.newer && props.newer.count > 0 ? <NewerBar {...props.newer} /> : null}
      <div className={classes.sheet}>
        <ListBody {...props} />
      </div>
      {props.rows.length > 0 && props.more ? <More {...props.more} /> : null}
    </div>
  );
}

function ListBody<Row>(props: ListFrameProps<Row>) {
  if (props.rows.length > 0) return <DataTable {...props} />;
  if (props.error) return <ErrorState error={props.error} onRetry={props.onRetry} />;
  if (props.loading) return <TableSkeleton columns={props.columns} />;
  return props.onClearFilters ? <NoMatch onClear={props.onClearFilters} /> : props.empty;
}

/** New rows gather here, so that nothing moves under the reader. */
function NewerBar({ count, more, show }: { count: number; more: boolean; show: () => void }) {
  return (
    <div className={classes.newer} aria-live="polite">
      <button
        type="button"
        className={classes.newerButton}
        aria-label={t.common.list.showNewer(count, more)}
        onClick={show}
      >
        {t.common.list.newer(count, more)}
        <IconArrowUp size="1em" aria-hidden="true" />
      </button>
    </div>
  );
}

function More({ load, loading, error }: NonNullable<ListFrameProps<unknown>['more']>) {
  if (!load) return <div className={classes.more}>{t.common.list.end}</div>;
  return (
    <div className={classes.more}>
      {error && !loading ? <span role="alert">{errorFacts(error).message}</span> : null}
      <Button variant="subtle" onClick={load} disabled={loading}>
        {loading ? t.common.loading : t.common.actions.loadMore}
      </Button>
    </div>
  );
}
