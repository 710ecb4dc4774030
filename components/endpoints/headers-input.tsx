'use client';

import { ActionIcon, Button, TextInput } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useId } from 'react';
import { t } from '../messages';
import classes from './endpoints.module.css';
import type { HeaderValue } from './form-values';
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
        <SetHeaders names={set} onReplace={() => form.setFieldValue('headers', [emptyHeader([])])} />
      ) : (
        <HeaderRows form={form} headers={headers} />
      )}
      {headers !== null && set.length > 0 ? (
        <Button
          className={classes.startButton}
          variant="subtle"
          onClick={() => {
            form.setFieldValue('headers', null);
            form.clearErrors();
          }}
        >
          {words.keepHeaders}
        </Button>
      ) : null}
    </fieldset>
  );
}

/** A row's key is its own for as long as it is on the screen. */
function emptyHeader(others: readonly HeaderValue[]): HeaderValue {
  const last = Math.max(0, ...others.map((header) => Number(header.key)));
  return { name: '', value: '', key: String(last + 1) };
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

function HeaderRows({ form, headers }: { form: EndpointForm; headers: readonly HeaderValue[] }) {
  return (
    <>
      {headers.map((header, index) => (
        <HeaderRow key={header.key} form={form} index={index} />
      ))}
      {form.errors['headers'] ? <p className={classes.wrong}>{form.errors['headers']}</p> : null}
      {headers.length < MOST ? (
        <Button
          className={classes.startButton}
          onClick={() => form.insertListItem('headers', emptyHeader(headers))}
        >
          {words.addHeader}
        </Button>
      ) : null}
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
