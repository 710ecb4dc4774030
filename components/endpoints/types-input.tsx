'use client';

import { TagsInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { t } from '../messages';
import { usePlace } from '../shell/place';
import { useTRPC } from '../trpc';
import classes from './endpoints.module.css';
import { filterReach, filterSuggestions } from './filter-suggestions';
import { splitTypes } from './form-values';
import type { EndpointForm } from './use-endpoint-form';

const words = t.endpoints.form;

/** The filter as chips, with the types in use to choose from and what it would have matched of them. */
export function TypesInput({ form }: { form: EndpointForm }) {
  const trpc = useTRPC();
  const { data: types = [] } = useQuery(trpc.deliveries.types.queryOptions(usePlace()));
  const reach = filterReach(form.values.types, types);
  return (
    <>
      <TagsInput
        label={words.types}
        description={words.typesNote}
        placeholder={form.values.types.length === 0 ? words.typesPlaceholder : undefined}
        data={filterSuggestions(types)}
        splitChars={[',', ' ', ';']}
        acceptValueOnBlur
        comboboxProps={{
          withinPortal: false,
          shadow: 'md',
          transitionProps: { duration: 120, transition: 'fade' },
        }}
        openOnFocus={false}
        withScrollArea={false}
        classNames={{ options: classes.options }}
        {...form.getInputProps('types')}
        onChange={(value) => form.setFieldValue('types', splitTypes(value))}
      />
      {reach ? (
        <p className={classes.hint} role="status" data-warn={reach.unseen.length > 0 || undefined}>
          {reach.unseen.length > 0
            ? words.typesUnseen(reach.unseen.join(', '))
            : words.typesMatch(reach.matched, reach.of)}
        </p>
      ) : null}
    </>
  );
}
