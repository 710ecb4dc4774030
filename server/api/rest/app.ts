// The REST door: authenticates the key, reads the request, calls the verb, answers in JSON.
import { timingSafeEqual } from 'node:crypto';
import { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { KeyActor } from '@/server/services/actor';
import type { ServiceDeps } from '@/server/services/deps';
import { authenticateKey } from '@/server/services/keys';
import { newRequestId } from '@/server/services/request-id';
import { ServiceError } from '@/server/services/service-error';
import { parseInput } from '@/server/services/verb';
import { errorResponse, toResponse } from './answer';
import { describeOperations, documentOf } from './document';
import { type Operation, refuseKeyInQuery } from './operation';
import { appOperations } from './routes/apps';
import { deliveryOperations } from './routes/deliveries';
import { endpointOperations } from './routes/endpoints';
import { publishOperations } from './routes/publish';

export interface Readiness {
  ready: boolean;
  /** By name: `ok`, or what is wrong in words. */
  checks: Record<string, string>;
}

export interface RestOptions {
  deps: ServiceDeps;
  /** Bearer of `POST /api/dispatch`; null: nobody may call it. */
  dispatchToken: string | null;
  /** Starts the loop if it does not run; idempotent. */
  startEngine(): void;
  readiness(): Promise<Readiness>;
}

export const OPERATIONS: readonly Operation[] = [
  ...appOperations,
  ...publishOperations,
  ...deliveryOperations,
  ...endpointOperations,
];

/** Every address outside `/api/trpc`, `/api/auth` and the console's pages. */
export function createRestApp(options: RestOptions): OpenAPIHono {
  const app = new OpenAPIHono({ strict: true });
  const { deps } = options;
  const answering = (work: (c: Context, requestId: string) => Promise<Response>) => async (c: Context) => {
    const requestId = newRequestId(deps);
    try {
      return await work(c, requestId);
    } catch (error) {
      return errorResponse(error, requestId, deps.log);
    }
  };
  for (const operation of OPERATIONS) {
    const work = answering((c, requestId) => perform(operation, { c, requestId, deps }));
    app.on(operation.method.toUpperCase(), routerPath(operation.path), work);
  }
  describeOperations(app, OPERATIONS);
  mountOwn(app, options, answering);
  refuseOtherMethods(app, answering);
  app.notFound(
    answering(async () => {
      throw new ServiceError('not_found', 'There is nothing at this address. See /dev/openapi.json.');
    }),
  );
  return app;
}

type Answering = (
  work: (c: Context, requestId: string) => Promise<Response>,
) => (c: Context) => Promise<Response>;

function mountOwn(app: OpenAPIHono, options: RestOptions, answering: Answering): void {
  const { deps } = options;
  let document: object | null = null;
  app.get(
    '/dev/openapi.json',
    answering(async (_c, requestId) => {
      document ??= documentOf(app, deps.publicUrl);
      return toResponse({ status: 200, body: document }, requestId);
    }),
  );
  app.get(
    '/healthz',
    answering(async (_c, requestId) => toResponse({ status: 200, body: { status: 'ok' } }, requestId)),
  );
  app.get(
    '/readyz',
    answering(async (_c, requestId) => {
      const readiness = await options.readiness();
      return toResponse({ status: readiness.ready ? 200 : 503, body: readiness }, requestId);
    }),
  );
  app.post(
    '/api/dispatch',
    answering(async (c, requestId) => {
      const token = bearerOf(c.req.raw);
      if (!isDispatcher(token, options.dispatchToken)) {
        throw new ServiceError('unauthorized', 'Send the dispatch token as a bearer.');
      }
      options.startEngine();
      deps.engine.kick();
      const { running, inFlight, due } = await deps.engine.status();
      return toResponse({ status: 202, body: { running, in_flight: inFlight, due } }, requestId);
    }),
  );
}

/** A known address with another method answers 405 and says which ones there are. */
function refuseOtherMethods(app: OpenAPIHono, answering: Answering): void {
  const methods = new Map<string, string[]>([
    ['/dev/openapi.json', ['GET']],
    ['/healthz', ['GET']],
    ['/readyz', ['GET']],
    ['/api/dispatch', ['POST']],
  ]);
  for (const { path, method } of OPERATIONS) {
    methods.set(path, [...(methods.get(path) ?? []), method.toUpperCase()]);
  }
  for (const [path, allowed] of methods) {
    const refuse = answering(async (c, requestId) => {
      const error = new ServiceError(
        'method_not_allowed',
        `Use ${allowed.join(', ')} here, not ${c.req.method}.`,
      );
      const response = errorResponse(error, requestId, { info() {}, warn() {}, error() {} });
      response.headers.set('allow', allowed.join(', '));
      return response;
    });
    app.all(routerPath(path), refuse);
  }
}

async function perform(
  operation: Operation,
  from: { c: Context; requestId: string; deps: ServiceDeps },
): Promise<Response> {
  const { c, requestId, deps } = from;
  const request = c.req.raw;
  const url = new URL(request.url);
  refuseKeyInQuery(url);
  const actor = await authenticated(deps, request);
  const query = parseInput(operation.query, queryOf(url));
  const { bytes, body } = await operation.readBody(request);
  const context = { actor, deps, requestId };
  const params: Record<string, string> = c.req.param();
  const answer = await operation.run({ context, request, params, query, body, bytes });
  return toResponse(answer, requestId);
}

/** A parameter that comes twice is a mistake, not a list. @throws ServiceError invalid_request */
function queryOf(url: URL): Record<string, string> {
  const query = new Map<string, string>();
  for (const [name, value] of url.searchParams) {
    if (query.has(name)) {
      throw new ServiceError(
        'invalid_request',
        'The request is not valid. Correct the fields named in details.',
        {
          details: [{ path: name, message: 'This parameter is there twice.' }],
        },
      );
    }
    query.set(name, value);
  }
  return Object.fromEntries(query);
}

/** By key alone; the console's cookie is not looked at (D20). @throws ServiceError unauthorized */
async function authenticated(deps: ServiceDeps, request: Request): Promise<KeyActor> {
  const bearer = bearerOf(request);
  const actor = bearer === null ? null : await authenticateKey(deps, bearer);
  if (actor !== null) return actor;
  throw new ServiceError('unauthorized', 'Send a valid API key: Authorization: Bearer hk_…');
}

function bearerOf(request: Request): string | null {
  return /^Bearer ([\x21-\x7e]{1,400})$/i.exec(request.headers.get('authorization') ?? '')?.[1] ?? null;
}

function isDispatcher(token: string | null, expected: string | null): boolean {
  if (token === null || expected === null) return false;
  const [a, b] = [Buffer.from(token), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** `/dev/apps/{id}` as Hono writes it. */
function routerPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}
