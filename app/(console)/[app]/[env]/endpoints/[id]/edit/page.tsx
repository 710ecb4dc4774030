import { dehydrate, HydrationBoundary } from '@tanstack/react-query';
import type { Metadata } from 'next';
import { EditEndpoint } from '@/components/endpoints/edit-endpoint';
import { t } from '@/components/messages';
import { placeOf } from '../../../../../place-of';
import { serverTrpc } from '../../../../../server-query';

export const metadata: Metadata = { title: t.endpoints.edit };

export default async function EditEndpointPage(props: {
  params: Promise<{ app: string; env: string; id: string }>;
}) {
  const place = await placeOf(props.params);
  const { id } = await props.params;
  const { trpc, queryClient } = await serverTrpc();
  await Promise.all([
    queryClient.prefetchQuery(trpc.endpoints.get.queryOptions({ ...place, endpointId: id })),
    queryClient.prefetchQuery(trpc.deliveries.types.queryOptions(place)),
  ]);
  return (
    <HydrationBoundary state={dehydrate(queryClient)}>
      <EditEndpoint id={id} />
    </HydrationBoundary>
  );
}
