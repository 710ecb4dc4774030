'use client';

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useLiveTick } from '../shell/live';
import { usePlace } from '../shell/place';
import { useTRPC } from '../trpc';
import { useOneAtATime } from '../ui/use-one-at-a-time';
import { useWhenDue } from './use-when-due';

const PAUSE_MS = 1_000;

/** One delivery with everything its page shows, brought up to date with each tick. */
export function useDelivery(id: string) {
  const trpc = useTRPC();
  const cache = useQueryClient();
  const options = trpc.deliveries.get.queryOptions({ ...usePlace(), deliveryId: id });
  const query = useQuery(options);
  const refresh = useOneAtATime(() => cache.invalidateQueries({ queryKey: options.queryKey }), PAUSE_MS);
  useLiveTick(refresh);
  useWhenDue(query.data ? [query.data.delivery] : [], refresh);
  return query;
}
