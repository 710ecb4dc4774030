'use client';

import { useQuery } from '@tanstack/react-query';
import { usePlace } from '../shell/place';
import { useTRPC } from '../trpc';

export interface PendingNoteProps {
  endpointId: string;
  words: { counting: string; uncounted: string };
  say: (n: number, capped: boolean) => string;
}

/** What happens to the pending deliveries, with their number as it is now. */
export function PendingNote({ endpointId, words, say }: PendingNoteProps) {
  const trpc = useTRPC();
  const options = trpc.endpoints.pending.queryOptions({ ...usePlace(), endpointId }, { staleTime: 0 });
  const { data, error } = useQuery(options);
  if (data) return <p>{say(data.count, data.capped)}</p>;
  return <p>{error ? words.uncounted : words.counting}</p>;
}
