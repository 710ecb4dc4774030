// What of Better Auth is reachable from outside: signing in and out and the own password. All else (its organization
// verbs, its sign-up) would go past the product's rights and its audit log.
import type { Auth } from './config';
import { trustedOrigins } from './origins';

const OPEN_PATHS: ReadonlySet<string> = new Set([
  '/sign-in/email',
  '/sign-out',
  '/change-password',
  '/revoke-other-sessions',
]);

/** Of a console request, bytes (D26). */
const BODY_LIMIT = 65_536;

export interface AuthHandlerSettings {
  /** PUBLIC_URL. */
  baseURL: string;
}

/** Serves `/api/auth/*`: POST with JSON from our own pages, the open paths alone (D15, D44). */
export function createAuthHandler(
  auth: Pick<Auth, 'handler'>,
  { baseURL }: AuthHandlerSettings,
): (request: Request) => Promise<Response> {
  const origins = trustedOrigins(baseURL);
  return async (request) => {
    const path = new URL(request.url).pathname.replace(/^\/api\/auth/, '');
    if (!OPEN_PATHS.has(path)) return refusal(404, 'NOT_FOUND', 'Nothing is served at this path.');
    if (request.method !== 'POST') return refusal(405, 'METHOD_NOT_ALLOWED', 'Send a POST with JSON.');
    if (!isJson(request)) return refusal(415, 'UNSUPPORTED_MEDIA_TYPE', 'Send JSON with its content type.');
    if (!isOwnPage(request, origins)) {
      return refusal(403, 'INVALID_ORIGIN', 'Sign in on the page of this installation.');
    }
    const body = await boundedBody(request);
    if (body === null) return refusal(413, 'PAYLOAD_TOO_LARGE', 'Send less: 64 KiB at most.');
    return await auth.handler(new Request(request.url, { method: 'POST', headers: request.headers, body }));
  };
}

/** The body, read while it comes; null when it is too large (D26). */
async function boundedBody(request: Request): Promise<Uint8Array<ArrayBuffer> | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > BODY_LIMIT) return null;
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}

function isJson(request: Request): boolean {
  return /^application\/json(\s*;|$)/i.test(request.headers.get('content-type') ?? '');
}

/** A browser says where a request comes from; what says nothing is no browser and holds no one's cookie. */
function isOwnPage(request: Request, origins: readonly string[]): boolean {
  const origin = request.headers.get('origin');
  const site = request.headers.get('sec-fetch-site');
  return (origin === null || origins.includes(origin)) && (site === null || site === 'same-origin');
}

function refusal(status: number, code: string, message: string): Response {
  return Response.json({ code, message }, { status, headers: { 'cache-control': 'no-store' } });
}
