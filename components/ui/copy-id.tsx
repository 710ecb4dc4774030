'use client';

import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { t } from '../messages';
import classes from './atoms.module.css';

/** A small button that copies a text and says so. */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const clipboard = useClipboard({ timeout: 1_500 });
  const Icon = clipboard.copied ? IconCheck : IconCopy;
  return (
    <button
      type="button"
      className={classes.copy}
      aria-label={clipboard.copied ? t.common.actions.copied : t.common.copyOf(what)}
      data-tip={clipboard.copied ? t.common.actions.copied : t.common.copyOf(what)}
      onClick={() => clipboard.copy(text)}
    >
      <Icon className={classes.icon} aria-hidden="true" />
    </button>
  );
}

/** An id in mono with its copy button; `short` keeps prefix and tail. */
export function CopyId({ id, what, short }: { id: string; what: string; short?: boolean }) {
  return (
    <span className={classes.id}>
      <code className={classes.code} data-tip={short ? id : undefined}>
        {short ? shortId(id) : id}
      </code>
      <CopyButton text={id} what={what} />
    </span>
  );
}

/** "dlv_01jq…9x2f" */
export function shortId(id: string): string {
  const cut = id.indexOf('_') + 1;
  return id.length - cut <= 10 ? id : `${id.slice(0, cut + 4)}…${id.slice(-4)}`;
}
