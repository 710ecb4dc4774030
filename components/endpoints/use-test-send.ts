'use client';

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { usePlace } from '../shell/place';
import { useTRPC } from '../trpc';
import { allowedAgainAt } from './test-answer';

/** Sends a signed webhook.test and keeps what came of the last one. */
export function useTestSend(endpointId: string) {
  const trpc = useTRPC();
  const cache = useQueryClient();
  const place = usePlace();
  const send = useMutation(
    trpc.endpoints.sendTest.mutationOptions({
      onSettled: () =>
        cache.invalidateQueries({ queryKey: trpc.deliveries.list.queryKey({ ...place, endpointId }) }),
    }),
  );
  return {
    start: () => send.mutate({ ...place, endpointId }),
    dismiss: send.reset,
    isRunning: send.isPending,
    answer: send.data ?? null,
    error: send.error,
    /** When the limit lets the next one through, epoch ms. */
    againAt: allowedAgainAt(send.error, send.submittedAt),
  };
}

export type Testing = ReturnType<typeof useTestSend>;
