import { dehydrate, HydrationBoundary } from '@tanstack/react-query';
import type { Metadata } from 'next';
import { NewEndpoint } from '@/components/endpoints/new-endpoint';
import { t } from '@/components/messages';
import { placeOf } from '../../../../place-of';
import { serverTrpc } from '../../../../server-query';

export const metadata: Metadata = { title: t.endpoints.form.newTitle };

export default async function NewEndpointPage(props: { params: Promise<{ app: string; env: string }> }) {
  const place = await placeOf(props.params);
  const { trpc, queryClient } = await serverTrpc();
  await queryClient.prefetchQuery(trpc.deliveries.types.queryOptions(place));
  return (
    <HydrationBoundary state={dehydrate(queryClient)}>
      <NewEndpoint />
    </HydrationBoundary>
  );
}
