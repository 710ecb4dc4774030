import { QueryCache, QueryClient } from '@tanstack/react-query';
import superjson from 'superjson';

const FRESH_MS = 5_000;

/** The cache of one page: made once in a browser, once per request on the server. */
export function makeQueryClient(onError?: (error: unknown) => void): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    defaultOptions: {
      queries: { staleTime: FRESH_MS, retry: (failures, error) => failures < 2 && isPassing(error) },
      dehydrate: { serializeData: superjson.serialize },
      hydrate: { deserializeData: superjson.deserialize },
    },
  });
}

/**
 * A caller's mistake fails again; what never reached the server may get through. On the server nothing is on the way:
 * a page would wait three seconds to say that there is nothing.
 */
function isPassing(error: unknown): boolean {
  if (typeof window === 'undefined') return false;
  return !(typeof error === 'object' && error !== null && 'data' in error && error.data);
}
