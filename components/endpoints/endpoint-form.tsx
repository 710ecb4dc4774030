'use client';

import { Button, NumberInput, Textarea, TextInput } from '@mantine/core';
import Link from 'next/link';
import { t } from '../messages';
import { usePlace } from '../shell/place';
import { errorFacts } from '../ui/error-facts';
import classes from './endpoints.module.css';
import { type EndpointFormValues, refusedFields } from './form-values';
import { HeadersInput } from './headers-input';
import { TypesInput } from './types-input';
import type { useEndpointForm } from './use-endpoint-form';
import { useLeaveGuard } from './use-leave-guard';

export interface EndpointFieldsProps {
  state: ReturnType<typeof useEndpointForm>;
  /** Names of own headers that are set. */
  headersSet: readonly string[];
  submitLabel: string;
  cancelHref: string;
  busy: boolean;
  /** What the last try came to. */
  error: unknown;
  /** What there is to say instead of sending. */
  note?: string | null;
  onSend: (values: EndpointFormValues) => void;
}

const words = t.endpoints.form;

/** URL, name, filter, own headers, cap. What is typed stays until the server has taken it. */
export function EndpointFields(props: EndpointFieldsProps) {
  const { environment } = usePlace();
  const { form, submit } = props.state;
  useLeaveGuard(form.isDirty());
  return (
    <form
      className={classes.form}
      noValidate
      onSubmit={submit((values) => !props.busy && props.onSend(values))}
    >
      <TextInput
        label={words.url}
        description={words.urlNote[environment]}
        placeholder={words.urlExample}
        type="url"
        inputMode="url"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        required
        withAsterisk={false}
        {...form.getInputProps('url')}
      />
      <Textarea
        label={words.name}
        description={words.nameNote}
        placeholder={words.nameExample}
        rows={2}
        {...form.getInputProps('description')}
      />
      <TypesInput form={form} />
      <HeadersInput form={form} set={props.headersSet} />
      <NumberInput
        label={words.concurrency}
        description={words.concurrencyNote}
        clampBehavior="none"
        allowDecimal={false}
        allowNegative={false}
        hideControls
        {...form.getInputProps('concurrency')}
      />
      <Outcome error={props.error} wrong={Object.keys(form.errors).length} note={props.note ?? null} />
      <div className={classes.submit}>
        <Button type="submit" variant="filled" aria-disabled={props.busy} aria-busy={props.busy}>
          {props.busy ? words.saving : props.submitLabel}
        </Button>
        <Button component={Link} href={props.cancelHref} variant="subtle">
          {t.common.actions.cancel}
        </Button>
      </div>
    </form>
  );
}

/** What came of the last try: fields to correct, or the server's refusal with the request's id. */
function Outcome({ error, wrong, note }: { error: unknown; wrong: number; note: string | null }) {
  // A refusal of fields stands at the fields, and goes with the first key typed there.
  const isOfFields = Object.keys(refusedFields(error)).length > 0;
  const facts = error && !isOfFields ? errorFacts(error) : null;
  let text = note ?? '';
  if (wrong > 0) text = words.problems(wrong);
  else if (facts) text = `${words.problem} ${facts.message}`;
  return (
    <p className={note && wrong === 0 && !facts ? classes.nothing : classes.problem} role="alert">
      {text}
      {facts?.requestId && wrong === 0 ? ` ${t.common.requestId(facts.requestId)}` : ''}
    </p>
  );
}
