import { dehydrate, HydrationBoundary } from '@tanstack/react-query';
import type { Metadata } from 'next';
import { EndpointPage } from '@/components/endpoints/endpoint-page';
import { latestRequest, triedRequest } from '@/components/endpoints/requests';
import { t } from '@/components/messages';
import { placeOf } from '../../../../place-of';
import { currentMe, serverTrpc } from '../../../../server-query';

export const metadata: Metadata = { title: t.endpoints.one };

export default async function OneEndpointPage(props: {
  params: Promise<{ app: string; env: string; id: string }>;
}) {
  const place = await placeOf(props.params);
  const { id } = await props.params;
  const { trpc, queryClient } = await serverTrpc();
  const named = { ...place, endpointId: id };
  queryClient.setQueryData(trpc.me.get.queryKey(), await currentMe());
  await Promise.all([
    queryClient.prefetchQuery(trpc.endpoints.get.queryOptions(named)),
    queryClient.prefetchQuery(trpc.endpoints.pending.queryOptions(named)),
    queryClient.prefetchQuery(trpc.breakers.list.queryOptions(place)),
    queryClient.prefetchQuery(trpc.deliveries.list.queryOptions(latestRequest(place, id))),
    queryClient.prefetchQuery(trpc.deliveries.list.queryOptions(triedRequest(place, id))),
  ]);
  return (
    <HydrationBoundary state={dehydrate(queryClient)}>
      <EndpointPage id={id} />
    </HydrationBoundary>
  );
}
