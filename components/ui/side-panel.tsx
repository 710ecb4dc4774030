'use client';

import { ActionIcon } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { t } from '../messages';
import classes from './side-panel.module.css';

const PANEL_ID = 'side-panel';

/** From the list into what is open beside it. */
export function focusPanel(): void {
  document.getElementById(PANEL_ID)?.focus();
}

/** Beside the list, not over it: the list stays in reach of mouse and keys. */
export function SidePanel(props: {
  title: string;
  onClose: () => void;
  beside?: ReactNode;
  children: ReactNode;
}) {
  return (
    <aside className={classes.aside} aria-label={props.title} id={PANEL_ID} tabIndex={-1}>
      <div className={classes.asideHead}>
        <h2 className={classes.asideTitle}>{props.title}</h2>
        {props.beside}
        <ActionIcon
          onClick={props.onClose}
          aria-label={t.common.actions.close}
          data-tip={`${t.common.actions.close} (Esc)`}
        >
          <IconX size="1.25em" stroke={1.5} aria-hidden="true" />
        </ActionIcon>
      </div>
      <div className={classes.asideBody}>{props.children}</div>
    </aside>
  );
}
