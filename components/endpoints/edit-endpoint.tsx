'use client';

import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import type { EndpointResource } from '@/server/services/contract';
import { endpointName } from '../deliveries/endpoint-name';
import { t } from '../messages';
import { placePath } from '../shell/navigation-items';
import { usePlace } from '../shell/place';
import { useTRPC } from '../trpc';
import { PageHead } from '../ui/page-head';
import { EndpointFields } from './endpoint-form';
import { type EndpointFormValues, patchOf, valuesOf } from './form-values';
import { Unloaded } from './unloaded';
import { useEndpointForm } from './use-endpoint-form';

/** Editing an endpoint. */
export function EditEndpoint({ id }: { id: string }) {
  const trpc = useTRPC();
  const options = trpc.endpoints.get.queryOptions({ ...usePlace(), endpointId: id });
  const { data, error, refetch } = useQuery(options);
  if (data) return <Loaded endpoint={data} />;
  return <Unloaded title={t.endpoints.edit} error={error} onRetry={() => refetch()} />;
}

/** The form starts from the endpoint as it was when the page was opened, and is not moved under the hand. */
function Loaded(props: { endpoint: EndpointResource }) {
  const [endpoint] = useState(props.endpoint);
  const [isSame, setIsSame] = useState(false);
  const trpc = useTRPC();
  const cache = useQueryClient();
  const place = usePlace();
  const router = useRouter();
  const state = useEndpointForm(valuesOf(endpoint));
  const path = `${placePath(place, 'endpoints')}/${endpoint.id}`;
  const update = useMutation(
    trpc.endpoints.update.mutationOptions({
      onError: state.showRefusal,
      onSuccess: (saved) => {
        state.form.resetDirty();
        cache.setQueryData(trpc.endpoints.get.queryKey({ ...place, endpointId: saved.id }), saved);
        void cache.invalidateQueries({ queryKey: trpc.endpoints.list.queryKey() });
        notifications.show({ message: t.endpoints.form.saved(endpointName(saved)) });
        router.push(path);
      },
    }),
  );
  const send = (values: EndpointFormValues) => {
    const patch = patchOf(values, endpoint);
    const nothing = Object.keys(patch).length === 0;
    setIsSame(nothing);
    if (!nothing) update.mutate({ ...patch, ...place, endpointId: endpoint.id });
  };
  return (
    <>
      <PageHead title={t.endpoints.form.editTitle(endpointName(endpoint))} />
      <EndpointFields
        state={state}
        headersSet={endpoint.headers}
        submitLabel={t.endpoints.form.submitEdit}
        cancelHref={path}
        busy={update.isPending}
        error={update.error}
        note={isSame && !state.form.isDirty() ? t.endpoints.form.unchanged : null}
        onSend={send}
      />
    </>
  );
}
