'use client';

import { useQueries, useQuery } from '@tanstack/react-query';
import type { BreakerResource, EndpointResource } from '@/server/services/contract';
import { endpointName } from '../deliveries/endpoint-name';
import { usePlace } from '../shell/place';
import { useTRPC } from '../trpc';
import { useNow } from '../ui/clock';
import { type Health, healthOf, type LastAnswer, lastAnswerOf } from './health';
import { latestRequest, triedRequest } from './requests';
import { useLiveRefresh } from './use-live-refresh';

export interface EndpointRow {
  endpoint: EndpointResource;
  name: string;
  health: Health<BreakerResource>;
  /** Undefined until it is counted. */
  pending: { count: number; capped: boolean } | undefined;
  lastAnswer: LastAnswer | null;
}

const NO_BREAKERS: readonly BreakerResource[] = [];

/** The environment's endpoints with what tells how each does; the last answers of those alone that fail. */
export function useEndpointRows() {
  const trpc = useTRPC();
  const place = usePlace();
  const now = useNow();
  const listOptions = trpc.endpoints.list.queryOptions(place);
  const breakerOptions = trpc.breakers.list.queryOptions(place);
  const query = useQuery(listOptions);
  const breakers = useQuery(breakerOptions).data ?? NO_BREAKERS;
  const endpoints = query.data ?? [];
  const failing = endpoints.filter((endpoint) => endpoint.failing_since !== null);
  const pendingOptions = endpoints.map(({ id }) =>
    trpc.endpoints.pending.queryOptions({ ...place, endpointId: id }),
  );
  const latestOptions = failing.map(({ id }) => trpc.deliveries.list.queryOptions(latestRequest(place, id)));
  const triedOptions = failing.map(({ id }) => trpc.deliveries.list.queryOptions(triedRequest(place, id)));
  const pending = useQueries({ queries: pendingOptions });
  const latest = useQueries({ queries: latestOptions });
  const tried = useQueries({ queries: triedOptions });
  useLiveRefresh([
    listOptions.queryKey,
    breakerOptions.queryKey,
    trpc.endpoints.pending.queryKey(),
    ...[...latestOptions, ...triedOptions].map((options) => options.queryKey),
  ]);
  const knownOf = (id: string) => {
    const index = failing.findIndex((endpoint) => endpoint.id === id);
    return [...(latest[index]?.data?.data ?? []), ...(tried[index]?.data?.data ?? [])];
  };
  const rows = endpoints.map((endpoint, index): EndpointRow => {
    const deliveries = knownOf(endpoint.id);
    return {
      endpoint,
      name: endpointName(endpoint),
      health: healthOf(endpoint, { breakers, latest: deliveries }, now),
      pending: pending[index]?.data,
      lastAnswer: lastAnswerOf(deliveries),
    };
  });
  return { query, rows };
}
