'use client';

import { ActionIcon, Modal } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { t } from '../messages';
import classes from './dialog.module.css';

export interface DialogProps {
  opened: boolean;
  onClose: () => void;
  title: string;
  children: ReactNode;
}

/** What is asked or shown over the page. Its head is a plain line: Mantine's would be a second banner. */
export function Dialog({ opened, onClose, title, children }: DialogProps) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      withCloseButton={false}
      padding={0}
      size="md"
      attributes={{ content: { 'aria-label': title } }}
    >
      <div className={classes.head}>
        <h2 className={classes.title}>{title}</h2>
        <ActionIcon onClick={onClose} aria-label={t.common.actions.close}>
          <IconX size="1.25em" stroke={1.5} aria-hidden="true" />
        </ActionIcon>
      </div>
      <div className={classes.body}>{children}</div>
    </Modal>
  );
}
