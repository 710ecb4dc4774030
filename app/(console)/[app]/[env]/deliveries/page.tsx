import { dehydrate, HydrationBoundary } from '@tanstack/react-query';
import type { Metadata } from 'next';
import { createLoader, type SearchParams } from 'nuqs/server';
import { Deliveries } from '@/components/deliveries/deliveries';
import { deliveryListRequest, deliveryParsers } from '@/components/deliveries/filters';
import { t } from '@/components/messages';
import { placeOf } from '../../../place-of';
import { serverTrpc } from '../../../server-query';

export const metadata: Metadata = { title: t.deliveries.title };

const loadFilters = createLoader(deliveryParsers);

/** The first screen is in the answer: the rows, what the filters offer, and the delivery that is open. */
export default async function DeliveriesPage(props: {
  params: Promise<{ app: string; env: string }>;
  searchParams: Promise<SearchParams>;
}) {
  const place = await placeOf(props.params);
  const { delivery, attempt: _attempt, ...filters } = await loadFilters(props.searchParams);
  const { trpc, queryClient } = await serverTrpc();
  await Promise.all([
    queryClient.prefetchQuery(trpc.deliveries.list.queryOptions(deliveryListRequest(place, filters))),
    queryClient.prefetchQuery(trpc.deliveries.types.queryOptions(place)),
    queryClient.prefetchQuery(trpc.endpoints.list.queryOptions(place)),
    delivery
      ? queryClient.prefetchQuery(trpc.deliveries.get.queryOptions({ ...place, deliveryId: delivery }))
      : null,
  ]);
  return (
    <HydrationBoundary state={dehydrate(queryClient)}>
      <Deliveries />
    </HydrationBoundary>
  );
}
