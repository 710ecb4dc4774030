import { createTRPCOptionsProxy } from '@trpc/tanstack-react-query';
import { headers } from 'next/headers';
import { redirect } from 'next/navigation';
import { cache } from 'react';
import { makeQueryClient } from '@/components/query-client';
import { appRouter, createCaller } from '@/server/api/trpc/router';
import { getContainer } from '@/server/container';

/**
 * The procedures without HTTP, for server components: one cache and one reading of the session per request.
 * Whoever is not signed in is sent to the sign-in; what else may be seen is decided by each procedure.
 */
export const serverTrpc = cache(async () => {
  const { actorOf, runtime, services } = getContainer();
  const actor = await actorOf(await headers(), { renewsSession: false });
  if (actor === null) redirect('/sign-in');
  const context = { actor, deps: services, requestId: runtime.newId('req') };
  const queryClient = makeQueryClient();
  return {
    queryClient,
    /** Options of queries, to be prefetched into `queryClient`. */
    trpc: createTRPCOptionsProxy({ router: appRouter, ctx: context, queryClient }),
    /** Calls a procedure at once, for what the page itself decides by. */
    caller: createCaller(context),
  };
});

/** Who is signed in, asked once per request. */
export const currentMe = cache(async () => (await serverTrpc()).caller.me.get());
