'use client';

import { useThrottledCallback } from '@mantine/hooks';
import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useLiveTick } from '../shell/live';

const PAUSE_MS = 1_000;

/** Fetches what is shown again when the app and environment change, at most once a second. */
export function useLiveRefresh(queryKeys: readonly QueryKey[]): void {
  const cache = useQueryClient();
  const refresh = useThrottledCallback(() => {
    for (const queryKey of queryKeys) void cache.invalidateQueries({ queryKey }, { cancelRefetch: false });
  }, PAUSE_MS);
  useLiveTick(() => refresh());
}
