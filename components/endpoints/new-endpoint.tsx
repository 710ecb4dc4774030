'use client';

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { t } from '../messages';
import { placePath } from '../shell/navigation-items';
import { usePlace } from '../shell/place';
import { useTRPC } from '../trpc';
import { PageHead } from '../ui/page-head';
import { EndpointFields } from './endpoint-form';
import { createInputOf, EMPTY_VALUES } from './form-values';
import { SecretOnce } from './secret-once';
import { useEndpointForm } from './use-endpoint-form';

/** Creating an endpoint; then its secret, once. */
export function NewEndpoint() {
  const trpc = useTRPC();
  const cache = useQueryClient();
  const place = usePlace();
  const state = useEndpointForm(EMPTY_VALUES);
  const create = useMutation(
    trpc.endpoints.create.mutationOptions({
      onError: state.showRefusal,
      onSuccess: () => cache.invalidateQueries({ queryKey: trpc.endpoints.list.queryKey() }),
    }),
  );
  if (create.data) return <SecretOnce endpoint={create.data} />;
  return (
    <>
      <PageHead title={t.endpoints.form.newTitle} />
      <EndpointFields
        state={state}
        headersSet={[]}
        submitLabel={t.endpoints.form.submitNew}
        cancelHref={placePath(place, 'endpoints')}
        busy={create.isPending}
        error={create.error}
        onSend={(values) => create.mutate({ ...createInputOf(values), ...place })}
      />
    </>
  );
}
