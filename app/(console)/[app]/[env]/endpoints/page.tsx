import { dehydrate, HydrationBoundary } from '@tanstack/react-query';
import type { Metadata } from 'next';
import { Endpoints } from '@/components/endpoints/endpoints';
import { latestRequest, triedRequest } from '@/components/endpoints/requests';
import { t } from '@/components/messages';
import { placeOf } from '../../../place-of';
import { currentMe, serverTrpc } from '../../../server-query';

export const metadata: Metadata = { title: t.endpoints.title };

/** The first screen is in the answer: the endpoints, what guards them, what waits, how those that fail were answered. */
export default async function EndpointsPage(props: { params: Promise<{ app: string; env: string }> }) {
  const place = await placeOf(props.params);
  const { trpc, queryClient } = await serverTrpc();
  const listOptions = trpc.endpoints.list.queryOptions(place);
  queryClient.setQueryData(trpc.me.get.queryKey(), await currentMe());
  await Promise.all([
    queryClient.prefetchQuery(listOptions),
    queryClient.prefetchQuery(trpc.breakers.list.queryOptions(place)),
  ]);
  const endpoints = queryClient.getQueryData(listOptions.queryKey) ?? [];
  await Promise.all(
    endpoints.flatMap(({ id, failing_since }) => [
      queryClient.prefetchQuery(trpc.endpoints.pending.queryOptions({ ...place, endpointId: id })),
      ...(failing_since === null ? [] : [latestRequest(place, id), triedRequest(place, id)]).map((request) =>
        queryClient.prefetchQuery(trpc.deliveries.list.queryOptions(request)),
      ),
    ]),
  );
  return (
    <HydrationBoundary state={dehydrate(queryClient)}>
      <Endpoints />
    </HydrationBoundary>
  );
}
