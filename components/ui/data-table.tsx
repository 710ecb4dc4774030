'use client';

import Link from 'next/link';
import { type ReactNode, useState } from 'react';
import { t } from '../messages';
import { Bone } from './notices';
import classes from './table.module.css';

export type PhonePlace = 'line' | 'end' | 'corner' | 'no';

export interface Column<Row> {
  key: string;
  header: string;
  /** A width token of theme.css, as `var(--w-…)`; one column has none and takes what is left. */
  width?: string;
  align?: 'right';
  /** On a phone a row wraps: this cell begins a line, ends it, ends the first one, or is left out. */
  phone?: PhonePlace | ((row: Row) => PhonePlace);
  /** Stays while something is open beside the list. */
  beside?: boolean;
  cell: (row: Row) => ReactNode;
}

export interface DataTableProps<Row> {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /** What is read out for the row's link. */
  rowLabel: (row: Row) => string;
  rowHref: (row: Row) => string;
  /** Opens the row in place; without it the link is followed. */
  onOpen?: (row: Row) => void;
  selected?: string | null;
  /** What of a row, when it changes, is worth a flash. */
  fingerprint?: (row: Row) => string;
  /** Keys of rows that arrived after the page was drawn. */
  arrived?: ReadonlySet<string>;
}

/** A dense list: one line a row, its link first, moved through by j and k (see ListKeys). */
export function DataTable<Row>(props: DataTableProps<Row>) {
  return (
    <table className={classes.table} aria-label={props.label}>
      <Heads columns={props.columns} />
      <tbody>
        {props.rows.map((row) => (
          <TableRow key={props.rowKey(row)} row={row} table={props} />
        ))}
      </tbody>
    </table>
  );
}

function Heads<Row>({ columns }: { columns: readonly Column<Row>[] }) {
  return (
    <>
      <colgroup>
        {columns.map((column) => (
          <col key={column.key} style={{ width: column.width }} />
        ))}
      </colgroup>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column.key} scope="col" data-align={column.align}>
              {column.header}
            </th>
          ))}
        </tr>
      </thead>
    </>
  );
}

function phonePlace<Row>({ phone }: Column<Row>, row: Row): PhonePlace | undefined {
  return typeof phone === 'function' ? phone(row) : phone;
}

function TableRow<Row>({ row, table }: { row: Row; table: DataTableProps<Row> }) {
  const key = table.rowKey(row);
  const print = table.fingerprint?.(row) ?? '';
  const [first] = useState(print);
  const changed = print !== first || table.arrived?.has(key) === true;
  return (
    <tr className={classes.row} data-selected={table.selected === key || undefined}>
      {table.columns.map((column, index) => (
        <td key={column.key} data-align={column.align} data-phone={phonePlace(column, row)}>
          {index === 0 ? (
            <Link
              className={classes.open}
              href={table.rowHref(row)}
              scroll={false}
              prefetch={false}
              data-row={key}
              aria-label={table.rowLabel(row)}
              aria-current={table.selected === key || undefined}
              onClick={(event) => {
                if (!table.onOpen || event.metaKey || event.ctrlKey || event.shiftKey) return;
                event.preventDefault();
                table.onOpen(row);
              }}
            >
              {column.cell(row)}
            </Link>
          ) : (
            column.cell(row)
          )}
          {index === 0 && changed ? <span key={print} className={classes.flash} /> : null}
        </td>
      ))}
    </tr>
  );
}

/** The list while it loads: the same lines, without their words. */
export function TableSkeleton<Row>({
  columns,
  rows = 10,
}: {
  columns: readonly Column<Row>[];
  rows?: number;
}) {
  return (
    <table className={classes.table} aria-busy="true" aria-label={t.common.loading}>
      <Heads columns={columns} />
      <tbody>
        {Array.from({ length: rows }, (_, index) => `bone-${index}`).map((key, line) => (
          <tr key={key}>
            {columns.map((column, index) => (
              <td key={column.key} data-phone={typeof column.phone === 'function' ? 'no' : column.phone}>
                <Bone seed={line * 3 + index} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
