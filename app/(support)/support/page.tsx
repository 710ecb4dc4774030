import { dehydrate, HydrationBoundary } from '@tanstack/react-query';
import type { Metadata } from 'next';
import { t } from '@/components/messages';
import { SupportForbidden } from '@/components/support/forbidden';
import { SupportBreakers } from '@/components/support/support-breakers';
import { SupportFrame } from '@/components/support/support-frame';
import { currentMe, serverTrpc } from '../../(console)/server-query';

export const metadata: Metadata = { title: t.support.title };

/** For support staff alone; the procedures decide again, whatever is drawn here. */
export default async function SupportPage() {
  const me = await currentMe();
  if (me.user.platformRole !== 'support') {
    return (
      <SupportFrame me={me}>
        <SupportForbidden />
      </SupportFrame>
    );
  }
  const { trpc, queryClient } = await serverTrpc();
  await queryClient.prefetchQuery(trpc.support.breakers.queryOptions());
  return (
    <HydrationBoundary state={dehydrate(queryClient)}>
      <SupportFrame me={me}>
        <SupportBreakers />
      </SupportFrame>
    </HydrationBoundary>
  );
}
