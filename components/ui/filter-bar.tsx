'use client';

import type { ReactNode } from 'react';
import { t } from '../messages';
import classes from './filter.module.css';
import frames from './frames.module.css';

/** The filters of a list in one line; each one that is set can be taken off, and all at once. */
export function FilterBar(props: { children: ReactNode; onClear?: (() => void) | null }) {
  return (
    <search className={frames.filters} aria-label={t.common.list.filters}>
      {props.children}
      {props.onClear ? (
        <button type="button" className={classes.clear} onClick={props.onClear}>
          {t.common.actions.clearFilters}
        </button>
      ) : null}
    </search>
  );
}
