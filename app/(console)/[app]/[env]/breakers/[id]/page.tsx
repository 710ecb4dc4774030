import { dehydrate, HydrationBoundary } from '@tanstack/react-query';
import type { Metadata } from 'next';
import { BreakerPage } from '@/components/breakers/breaker-page';
import { t } from '@/components/messages';
import { placeOf } from '../../../../place-of';
import { currentMe, serverTrpc } from '../../../../server-query';

export const metadata: Metadata = { title: t.breakers.one };

export default async function OneBreakerPage(props: {
  params: Promise<{ app: string; env: string; id: string }>;
}) {
  const place = await placeOf(props.params);
  const { id } = await props.params;
  const { trpc, queryClient } = await serverTrpc();
  queryClient.setQueryData(trpc.me.get.queryKey(), await currentMe());
  await queryClient.prefetchQuery(trpc.breakers.get.queryOptions({ ...place, breakerId: id }));
  return (
    <HydrationBoundary state={dehydrate(queryClient)}>
      <BreakerPage id={id} />
    </HydrationBoundary>
  );
}
