import { dehydrate, HydrationBoundary } from '@tanstack/react-query';
import type { Metadata } from 'next';
import { Breakers } from '@/components/breakers/breakers';
import { t } from '@/components/messages';
import { placeOf } from '../../../place-of';
import { serverTrpc } from '../../../server-query';

export const metadata: Metadata = { title: t.breakers.title };

export default async function BreakersPage(props: { params: Promise<{ app: string; env: string }> }) {
  const place = await placeOf(props.params);
  const { trpc, queryClient } = await serverTrpc();
  await Promise.all([
    queryClient.prefetchQuery(trpc.breakers.list.queryOptions(place)),
    queryClient.prefetchQuery(trpc.endpoints.list.queryOptions(place)),
  ]);
  return (
    <HydrationBoundary state={dehydrate(queryClient)}>
      <Breakers />
    </HydrationBoundary>
  );
}
