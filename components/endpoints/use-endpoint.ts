'use client';

import { useQuery } from '@tanstack/react-query';
import type { BreakerResource, DeliveryResource } from '@/server/services/contract';
import { usePlace } from '../shell/place';
import { useTRPC } from '../trpc';
import { latestRequest, triedRequest } from './requests';
import { useLiveRefresh } from './use-live-refresh';

const NO_BREAKERS: readonly BreakerResource[] = [];
const NO_DELIVERIES: readonly DeliveryResource[] = [];

/** One endpoint with what its page shows beside it, brought up to date as it changes. */
export function useEndpoint(id: string) {
  const trpc = useTRPC();
  const place = usePlace();
  const options = trpc.endpoints.get.queryOptions({ ...place, endpointId: id });
  const breakerOptions = trpc.breakers.list.queryOptions(place);
  const pendingOptions = trpc.endpoints.pending.queryOptions({ ...place, endpointId: id });
  const latestOptions = trpc.deliveries.list.queryOptions(latestRequest(place, id));
  const triedOptions = trpc.deliveries.list.queryOptions(triedRequest(place, id));
  const query = useQuery(options);
  const breakers = useQuery(breakerOptions);
  const pending = useQuery(pendingOptions);
  const latest = useQuery(latestOptions);
  const tried = useQuery(triedOptions);
  useLiveRefresh([
    options.queryKey,
    breakerOptions.queryKey,
    pendingOptions.queryKey,
    latestOptions.queryKey,
    triedOptions.queryKey,
  ]);
  return {
    query,
    breakers: breakers.data ?? NO_BREAKERS,
    pending: pending.data ?? null,
    deliveries: latest.data?.data ?? NO_DELIVERIES,
    /** Those that wait for another attempt. */
    tried: tried.data?.data ?? NO_DELIVERIES,
    /** Whether the deliveries are known, so that none means none. */
    isCounted: latest.isSuccess,
  };
}
