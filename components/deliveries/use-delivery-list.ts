'use client';

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useLiveTick } from '../shell/live';
import { usePlace } from '../shell/place';
import { useTRPC, useTRPCClient } from '../trpc';
import { useOneAtATime } from '../ui/use-one-at-a-time';
import { type DeliveryFilters, deliveryListRequest } from './filters';
import { type DeliveryPage, fetchHead } from './head';
import { type Merge, mergeHead } from './merge';
import { useWhenDue } from './use-when-due';

const PAUSE_MS = 1_000;
const OLD_MS = 5_000;

const NOTHING: DeliveryPage = { data: [], next_cursor: null };

interface Waiting {
  merge: Merge<DeliveryPage['data'][number]>;
  head: DeliveryPage;
}

/** A reader is at work: then nothing is put in above what he looks at. */
function isReading(): boolean {
  const row = document.activeElement?.closest('[data-row]') ?? null;
  return window.scrollY > 8 || row !== null;
}

/**
 * The deliveries of the page, newest first, kept up to date by the live stream. What is shown changes in place;
 * what is new waits behind a bar while somebody reads, and is put in quietly otherwise. The cache holds all that
 * is shown as one long page.
 */
export function useDeliveryList(filters: DeliveryFilters, panelOpen: boolean) {
  const trpc = useTRPC();
  const api = useTRPCClient();
  const cache = useQueryClient();
  const request = deliveryListRequest(usePlace(), filters);
  const options = trpc.deliveries.list.queryOptions(request, { staleTime: Number.POSITIVE_INFINITY });
  const query = useQuery(options);
  const [waiting, setWaiting] = useState<Waiting | null>(null);
  const [arrived, setArrived] = useState<ReadonlySet<string>>(new Set());
  const fetchPage = (cursor: string | undefined) => api.deliveries.list.query({ ...request, cursor });
  const shown = (): DeliveryPage => cache.getQueryData(options.queryKey) ?? NOTHING;
  const show = (page: DeliveryPage) => cache.setQueryData(options.queryKey, page);

  const accept = ({ merge, head }: Waiting) => {
    show({ data: merge.accepted, next_cursor: merge.afresh ? head.next_cursor : shown().next_cursor });
    setArrived((before) => new Set([...before, ...merge.newer]));
    setWaiting(null);
  };

  const lay = (head: DeliveryPage) => {
    const reach = { headIsAll: head.next_cursor === null, shownIsAll: shown().next_cursor === null };
    const merge = mergeHead(shown().data, head.data, reach);
    if (!merge.gap && !panelOpen && !isReading()) return accept({ merge, head });
    show({ data: merge.kept, next_cursor: shown().next_cursor });
    setWaiting(merge.newer.size > 0 ? { merge, head } : null);
  };

  const refresh = useOneAtATime(async () => {
    if (!query.data) return;
    // A failed refresh leaves the rows as they are: the live mark tells, and the next tick tries again.
    const head = await fetchHead(fetchPage, shown().data).catch(() => null);
    if (head) lay(head);
  }, PAUSE_MS);
  useLiveTick(refresh);
  useWhenDue(query.data?.data ?? NOTHING.data, refresh);
  useRefreshOld(query.dataUpdatedAt, refresh);

  const more = useMutation({
    mutationFn: fetchPage,
    onSuccess: (page) => show({ data: [...shown().data, ...page.data], next_cursor: page.next_cursor }),
  });

  return { query, rows: query.data?.data ?? [], arrived, waiting, accept, more };
}

/** Coming back to a list that was left a while ago: what is in the cache shows at once, then is brought up to date. */
function useRefreshOld(updatedAt: number, refresh: () => void): void {
  const first = useRef({ updatedAt, refresh });
  useEffect(() => {
    const { updatedAt: at, refresh: run } = first.current;
    if (at > 0 && Date.now() - at > OLD_MS) run();
  }, []);
}
