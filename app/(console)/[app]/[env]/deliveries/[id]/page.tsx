import { dehydrate, HydrationBoundary } from '@tanstack/react-query';
import type { Metadata } from 'next';
import { DeliveryPage } from '@/components/deliveries/delivery-page';
import { t } from '@/components/messages';
import { placeOf } from '../../../../place-of';
import { serverTrpc } from '../../../../server-query';

export const metadata: Metadata = { title: t.deliveries.one };

export default async function OneDeliveryPage(props: {
  params: Promise<{ app: string; env: string; id: string }>;
}) {
  const place = await placeOf(props.params);
  const { id } = await props.params;
  const { trpc, queryClient } = await serverTrpc();
  await Promise.all([
    queryClient.prefetchQuery(trpc.deliveries.get.queryOptions({ ...place, deliveryId: id })),
    queryClient.prefetchQuery(trpc.endpoints.list.queryOptions(place)),
  ]);
  return (
    <HydrationBoundary state={dehydrate(queryClient)}>
      <DeliveryPage id={id} />
    </HydrationBoundary>
  );
}
