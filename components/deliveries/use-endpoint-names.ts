'use client';

import { useQuery } from '@tanstack/react-query';
import type { EndpointResource } from '@/server/services/contract';
import { useRights } from '../endpoints/use-rights';
import { usePlace } from '../shell/place';
import { useTRPC } from '../trpc';
import type { EndpointNames } from './columns';
import { endpointName } from './endpoint-name';

const NONE: EndpointNames = new Map();

function namesOf(endpoints: readonly EndpointResource[]): EndpointNames {
  return new Map(endpoints.map((endpoint) => [endpoint.id, endpointName(endpoint)]));
}

/** Names of the environment's endpoints by id; none for support, who sees no endpoints. */
export function useEndpointNames(): EndpointNames {
  const trpc = useTRPC();
  const { isMember } = useRights();
  const options = trpc.endpoints.list.queryOptions(usePlace(), { select: namesOf, enabled: isMember });
  const { data } = useQuery(options);
  return data ?? NONE;
}
