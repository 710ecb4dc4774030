'use client';

import { useQuery } from '@tanstack/react-query';
import { usePlace } from '../shell/place';
import { useTRPC } from '../trpc';
import { type Rights, rightsOf } from './rights';

/** What the reader may do in the app of the page. */
export function useRights(): Rights {
  const { appId } = usePlace();
  const trpc = useTRPC();
  const { data } = useQuery(trpc.me.get.queryOptions());
  return rightsOf(data, appId);
}
