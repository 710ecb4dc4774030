'use client';

import { ActionIcon, Button, TextInput } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useId } from 'react';
import { t } from '../messages';
import classes from './endpoints.module.css';
import { emptyRow, type HeaderValue, rowsFor } from './form-values';
import type { EndpointForm } from './use-endpoint-form';

const words = t.endpoints.form;
const MOST = 20;

export interface HeadersInputProps {
  form: EndpointForm;
  /** Names of those that are set already; their values are never shown. */
  set: readonly string[];
}

/** Own headers. What is set is kept as it is until somebody chooses to replace all of it. */
export function HeadersInput({ form, set }: HeadersInputProps) {
  const note = useId();
  const { headers } = form.values;
  return (
    <fieldset className={classes.fieldset} aria-describedby={note}>
      <legend>{words.headers}</legend>
      <p id={note}>{headers !== null && set.length > 0 ? words.replaceNote : words.headersNote}</p>
      {headers === null ? (
        <SetHeaders names={set} onReplace={() => form.setFieldValue('headers', rowsFor(set))} />
      ) : (
        <HeaderRows form={form} headers={headers} canKeep={set.length > 0} />
      )}
    </fieldset>
  );
}

function SetHeaders({ names, onReplace }: { names: readonly string[]; onReplace: () => void }) {
  return (
    <div className={classes.setRow}>
      {names.map((name) => (
        <span key={name} className={classes.chip}>
          <code>{name}</code> <span className={classes.quiet}>{t.endpoints.facts.headerSet}</span>
        </span>
      ))}
      <Button onClick={onReplace}>{words.replaceHeaders}</Button>
    </div>
  );
}

function HeaderRows(props: { form: EndpointForm; headers: readonly HeaderValue[]; canKeep: boolean }) {
  const { form, headers, canKeep } = props;
  const keep = () => {
    form.setFieldValue('headers', null);
    form.clearErrors();
  };
  return (
    <>
      {headers.map((header, index) => (
        <HeaderRow key={header.key} form={form} index={index} />
      ))}
      {form.errors['headers'] ? <p className={classes.wrong}>{form.errors['headers']}</p> : null}
      <div className={classes.setRow}>
        {headers.length < MOST ? (
          <Button onClick={() => form.insertListItem('headers', emptyRow(headers))}>{words.addHeader}</Button>
        ) : null}
        {canKeep ? (
          <Button variant="subtle" onClick={keep}>
            {words.keepHeaders}
          </Button>
        ) : null}
      </div>
    </>
  );
}

function HeaderRow({ form, index }: { form: EndpointForm; index: number }) {
  const errorId = useId();
  const path = `headers.${index}`;
  const error = form.errors[path];
  const wrong = error ? { 'aria-invalid': true, 'aria-describedby': errorId, error: true } : {};
  return (
    <>
      <div className={classes.headerRow}>
        <TextInput
          aria-label={words.headerNameOf(index + 1)}
          placeholder={words.headerName}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={64}
          {...form.getInputProps(`${path}.name`)}
          {...wrong}
        />
        <TextInput
          aria-label={words.headerValueOf(index + 1)}
          placeholder={words.headerValue}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={1_024}
          {...form.getInputProps(`${path}.value`)}
          {...wrong}
        />
        <ActionIcon
          aria-label={words.removeHeader(index + 1)}
          data-tip={words.removeHeader(index + 1)}
          onClick={() => form.removeListItem('headers', index)}
        >
          <IconX size="1.25em" stroke={1.5} aria-hidden="true" />
        </ActionIcon>
      </div>
      {error ? (
        <p className={classes.wrong} id={errorId}>
          {error}
        </p>
      ) : null}
    </>
  );
}
