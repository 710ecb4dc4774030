'use client';

import { Button, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { t } from '../messages';
import classes from './confirm.module.css';
import { Dialog } from './dialog';

export interface ConfirmProps {
  opened: boolean;
  onClose: () => void;
  /** A question: "Delete shop-eu?" */
  title: string;
  /** What will happen, with numbers. */
  children: ReactNode;
  /** What the button does, in its own words. */
  action: string;
  danger?: boolean;
  /** A name that has to be typed first. */
  typeName?: string;
  busy?: boolean;
  error?: string | null;
  onConfirm: () => void;
}

/** Asks once, says what will happen, and closes only when told to. */
export function Confirm(props: ConfirmProps) {
  return (
    <Dialog opened={props.opened} onClose={props.onClose} title={props.title}>
      {props.opened ? <ConfirmBody {...props} /> : null}
    </Dialog>
  );
}

function ConfirmBody(props: ConfirmProps) {
  const [typed, setTyped] = useState('');
  const ready = !props.typeName || typed.trim() === props.typeName;
  return (
    <form
      className={classes.body}
      onSubmit={(event) => {
        event.preventDefault();
        if (ready && !props.busy) props.onConfirm();
      }}
    >
      <div className={classes.text}>{props.children}</div>
      {props.typeName ? (
        <TextInput
          label={t.common.confirm.typeToConfirm(props.typeName)}
          value={typed}
          autoComplete="off"
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      ) : null}
      {props.error ? (
        <p className={classes.error} role="alert">
          {props.error}
        </p>
      ) : null}
      <div className={classes.buttons}>
        <Button onClick={props.onClose}>{t.common.actions.cancel}</Button>
        <Button
          type="submit"
          variant="filled"
          color={props.danger ? 'bad' : undefined}
          disabled={!ready || props.busy}
          data-autofocus={props.typeName ? undefined : true}
        >
          {props.action}
        </Button>
      </div>
    </form>
  );
}
