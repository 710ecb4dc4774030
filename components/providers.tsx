'use client';

import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { NuqsAdapter } from 'nuqs/adapters/next/app';
import { type ReactNode, useState } from 'react';
import { makeQueryClient } from './query-client';
import { useStyleNonce } from './style-nonce';
import { cssVariablesResolver, theme } from './theme';
import { makeTrpcClient, TRPCProvider } from './trpc';
import { ClockProvider } from './ui/clock';
import { errorCode } from './ui/error-facts';
import { TipLayer } from './ui/tip';

export interface ProvidersProps {
  /** The server's clock when the page was drawn, epoch ms. */
  drawnAt: number;
  /** Of the content security policy. */
  nonce?: string;
  children: ReactNode;
}

/** A session that has ended: back to the sign-in, and from there to this very page. */
function leaveWhenSignedOut(error: unknown): void {
  if (typeof window === 'undefined' || errorCode(error) !== 'UNAUTHORIZED') return;
  const { pathname, search } = window.location;
  window.location.assign(`/sign-in?next=${encodeURIComponent(pathname + search)}`);
}

/** Everything that a page of the console stands on. */
export function Providers({ drawnAt, nonce, children }: ProvidersProps) {
  const [queryClient] = useState(() => makeQueryClient(leaveWhenSignedOut));
  const [trpcClient] = useState(makeTrpcClient);
  useStyleNonce(nonce);
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariablesResolver}
      defaultColorScheme="auto"
      getStyleNonce={nonce === undefined ? undefined : () => nonce}
    >
      <QueryClientProvider client={queryClient}>
        <TRPCProvider trpcClient={trpcClient} queryClient={queryClient}>
          <NuqsAdapter>
            <ClockProvider drawnAt={drawnAt}>{children}</ClockProvider>
          </NuqsAdapter>
        </TRPCProvider>
      </QueryClientProvider>
      <Notifications position="bottom-right" autoClose={6_000} />
      <TipLayer />
    </MantineProvider>
  );
}
