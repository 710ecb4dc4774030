'use client';

import {
  createTRPCClient,
  httpBatchLink,
  httpSubscriptionLink,
  splitLink,
  type TRPCClient,
} from '@trpc/client';
import { createTRPCContext } from '@trpc/tanstack-react-query';
import superjson from 'superjson';
import type { AppRouter } from '@/server/api/trpc/router';

export const { TRPCProvider, useTRPC, useTRPCClient } = createTRPCContext<AppRouter>();

export type ConsoleClient = TRPCClient<AppRouter>;

const url = '/api/trpc';

/** Of a batch's address: a page of fifty endpoints asks for more than a server's limit of 16 kB takes. */
const MAX_URL = 8_000;

/** Calls of a batch: the server takes no more (D28). */
const MAX_CALLS = 20;

/** Queries and mutations go in batches; what is live comes as a stream of its own. */
export function makeTrpcClient(): ConsoleClient {
  return createTRPCClient<AppRouter>({
    links: [
      splitLink({
        condition: (operation) => operation.type === 'subscription',
        true: httpSubscriptionLink({ url, transformer: superjson }),
        false: httpBatchLink({ url, transformer: superjson, maxURLLength: MAX_URL, maxItems: MAX_CALLS }),
      }),
    ],
  });
}
