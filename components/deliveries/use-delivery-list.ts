'use client';

import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useLiveTick } from '../shell/live';
import { usePlace } from '../shell/place';
import { useTRPC, useTRPCClient } from '../trpc';
import { useOneAtATime } from '../ui/use-one-at-a-time';
import { type DeliveryFilters, deliveryListRequest } from './filters';
import { type DeliveryPage, fetchHead } from './head';
import { type Merge, mergeHead } from './merge';

const PAUSE_MS = 1_000;
const OLD_MS = 5_000;

interface Waiting {
  merge: Merge<DeliveryPage['data'][number]>;
  head: DeliveryPage;
}

/** A reader is at work: then nothing is put in above what he looks at. */
function isReading(): boolean {
  return window.scrollY > 8 || document.activeElement?.closest('[data-row]') !== null;
}

/**
 * The deliveries of the page, newest first, kept up to date by the live stream. What is shown changes in place;
 * what is new waits behind a bar while somebody reads, and is put in quietly otherwise.
 */
export function useDeliveryList(filters: DeliveryFilters, panelOpen: boolean) {
  const trpc = useTRPC();
  const api = useTRPCClient();
  const cache = useQueryClient();
  const request = deliveryListRequest(usePlace(), filters);
  const options = trpc.deliveries.list.infiniteQueryOptions(request, {
    getNextPageParam: (page) => page.next_cursor,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const query = useInfiniteQuery(options);
  const [waiting, setWaiting] = useState<Waiting | null>(null);
  const [arrived, setArrived] = useState<ReadonlySet<string>>(new Set());

  const write = (page: DeliveryPage) =>
    cache.setQueryData(options.queryKey, { pages: [page], pageParams: [null] });

  const shownNow = () => {
    const pages = cache.getQueryData(options.queryKey)?.pages ?? [];
    return { rows: pages.flatMap((page) => page.data), cursor: pages.at(-1)?.next_cursor ?? null };
  };

  const accept = ({ merge, head }: Waiting) => {
    const fromHead = merge.gap || head.next_cursor === null;
    write({ data: merge.accepted, next_cursor: fromHead ? head.next_cursor : shownNow().cursor });
    setArrived((before) => new Set([...before, ...merge.newer]));
    setWaiting(null);
  };

  const lay = (head: DeliveryPage) => {
    const { rows, cursor } = shownNow();
    const merge = mergeHead(rows, head.data, head.next_cursor === null);
    if (!merge.gap && !panelOpen && !isReading()) return accept({ merge, head });
    write({ data: merge.kept, next_cursor: cursor });
    setWaiting(merge.newer.size > 0 ? { merge, head } : null);
  };

  const refresh = useOneAtATime(async () => {
    if (!query.data) return;
    // A failed refresh leaves the rows as they are: the live mark tells, and the next tick tries again.
    const fetchPage = (cursor: string | undefined) => api.deliveries.list.query({ ...request, cursor });
    const head = await fetchHead(fetchPage, shownNow().rows).catch(() => null);
    if (head) lay(head);
  }, PAUSE_MS);
  useLiveTick(refresh);
  useRefreshOld(query.dataUpdatedAt, refresh);

  return {
    query,
    rows: query.data?.pages.flatMap((page) => page.data) ?? [],
    arrived,
    newer: {
      count: waiting?.merge.newer.size ?? 0,
      more: waiting?.merge.gap ?? false,
      show: () => {
        if (waiting) accept(waiting);
        window.scrollTo({ top: 0 });
      },
    },
  };
}

/** Coming back to a list that was left a while ago: what is in the cache shows at once, then is brought up to date. */
function useRefreshOld(updatedAt: number, refresh: () => void): void {
  const first = useRef({ updatedAt, refresh });
  useEffect(() => {
    const { updatedAt: at, refresh: run } = first.current;
    if (at > 0 && Date.now() - at > OLD_MS) run();
  }, []);
}
