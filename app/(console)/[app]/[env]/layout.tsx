import { dehydrate, HydrationBoundary } from '@tanstack/react-query';
import { notFound } from 'next/navigation';
import type { ReactNode } from 'react';
import { Frame } from '@/components/shell/frame';
import { placeOf } from '../../place-of';
import { currentMe, serverTrpc } from '../../server-query';

/** The frame around every page of an app and environment. */
export default async function EnvironmentLayout(props: {
  params: Promise<{ app: string; env: string }>;
  children: ReactNode;
}) {
  const place = await placeOf(props.params);
  const me = await currentMe();
  const isMine = me.apps.some((app) => app.id === place.appId);
  if (!isMine && me.user.platformRole === null) notFound();
  const { trpc, queryClient } = await serverTrpc();
  // Every page asks who is reading, to say what they may do.
  queryClient.setQueryData(trpc.me.get.queryKey(), me);
  if (isMine) await queryClient.prefetchQuery(trpc.nav.counts.queryOptions(place));
  return (
    <HydrationBoundary state={dehydrate(queryClient)}>
      <Frame me={me} place={place}>
        {props.children}
      </Frame>
    </HydrationBoundary>
  );
}
