// tRPC over fetch, with the bounds that are checked before anything is routed (D28, O33).
import { fetchRequestHandler } from '@trpc/server/adapters/fetch';
import type { Actor } from '@/server/services/actor';
import type { ServiceDeps } from '@/server/services/deps';
import { appRouter } from './router';

export const TRPC_PATH = '/api/trpc';
const MAX_BATCH = 20;
const MAX_URL = 8_192;
const MAX_BODY = 65_536;

interface Caller {
  actor: Actor | null;
  deps: ServiceDeps;
  requestId: string;
  /** The session read anew, for streams that outlive it. */
  refreshActor?: () => Promise<Actor | null>;
}

/** Answers a request under `/api/trpc`. */
export async function trpcHandler(request: Request, caller: Caller): Promise<Response> {
  const refusal = refusalOf(request);
  if (refusal !== null) return plain(refusal, caller.requestId);
  const { actor, deps, requestId, refreshActor } = caller;
  const response = await fetchRequestHandler({
    endpoint: TRPC_PATH,
    req: request,
    router: appRouter,
    createContext: () => ({ actor, deps, requestId, refreshActor }),
    allowMethodOverride: false,
    allowBatching: true,
    responseMeta: () => ({
      headers: { 'x-request-id': requestId, 'cache-control': 'no-store, no-transform' },
    }),
  });
  return response;
}

function refusalOf(request: Request): 400 | 403 | 413 | 414 | 415 | null {
  if (request.url.length > MAX_URL) return 414;
  const url = new URL(request.url);
  const names = url.pathname.slice(TRPC_PATH.length + 1).split(',');
  if (names.length > MAX_BATCH) return 400;
  if (request.method !== 'POST') return null;
  if (isCrossSite(request)) return 403;
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/json(;|$)/i.test(type.trim())) return 415;
  return Number(request.headers.get('content-length') ?? '0') > MAX_BODY ? 413 : null;
}

/** A change comes from our own pages alone (D15). */
function isCrossSite(request: Request): boolean {
  const site = request.headers.get('sec-fetch-site');
  if (site !== null) return site !== 'same-origin';
  const origin = request.headers.get('origin');
  const host = request.headers.get('host') ?? new URL(request.url).host;
  return origin !== null && (!URL.canParse(origin) || new URL(origin).host !== host);
}

function plain(status: number, requestId: string): Response {
  return new Response(null, { status, headers: { 'x-request-id': requestId, 'cache-control': 'no-store' } });
}
