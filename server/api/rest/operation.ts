// What an operation of the REST door is: its address, what it takes, what it answers, and the verb behind it.
import { z } from 'zod';
import type { TargetKind } from '@/server/services/access';
import type { KeyActor, KeyScope } from '@/server/services/actor';
import { checkKey, requestContentHash } from '@/server/services/idempotency';
import { readJsonObject } from '@/server/services/json-input';
import type { ErrorCode } from '@/server/services/service-error';
import { ServiceError } from '@/server/services/service-error';
import { type CallContext, parseInput, type Verb, type VerbRequest } from '@/server/services/verb';
import { type Answer, JsonText } from './answer';
import { KIB, readBody, requireJson } from './body';

/** Bytes of a request that carries no event. */
const SMALL_BODY = 64 * KIB;

export const strictNothing = z.strictObject({});

/** A request that has been authenticated and read. */
export interface Call<Q = unknown, B = unknown> {
  context: CallContext & { actor: KeyActor };
  request: Request;
  /** `/dev/apps/{id}` → `id`. */
  params: Readonly<Record<string, string>>;
  query: Q;
  body: B;
  /** The body as it came. */
  bytes: Uint8Array;
}

export interface OperationFacts {
  method: 'get' | 'post' | 'patch' | 'delete';
  /** As OpenAPI writes it: `/dev/apps/{id}`. */
  path: string;
  summary: string;
  scope: KeyScope;
  status: 200 | 201 | 202;
  /** Further statuses of a success, with what they mean. */
  otherStatus?: { status: 202; description: string };
  answer: z.ZodType;
  errors: readonly ErrorCode[];
  query: z.ZodObject;
  /** For the document, where the bytes are read by the operation itself. */
  documentedBody?: { schema: z.ZodType; contentType: string };
  takesIdempotencyKey?: boolean;
}

export interface Operation extends OperationFacts {
  run(call: Call<unknown, unknown>): Promise<Answer>;
  readBody(request: Request): Promise<{ bytes: Uint8Array; body: unknown }>;
}

interface OperationDefinition<Q extends z.ZodObject, B extends z.ZodType>
  extends Omit<OperationFacts, 'query' | 'documentedBody'> {
  query?: Q;
  /** JSON, as `application/json`. Left out: no body, or `{}`. */
  body?: B;
  run(call: Call<z.output<Q>, z.output<B>>): Promise<Answer>;
}

/** An operation whose body, if any, is a small JSON object. */
export function operation<
  Q extends z.ZodObject = typeof strictNothing,
  B extends z.ZodType = typeof strictNothing,
>(definition: OperationDefinition<Q, B>): Operation {
  const { query, body, run, ...facts } = definition;
  return {
    ...facts,
    query: query ?? strictNothing,
    ...(body === undefined ? {} : { documentedBody: { schema: body, contentType: 'application/json' } }),
    // The schemas that the mounter applies are those that give these types.
    run: (call) => run(call as Call<z.output<Q>, z.output<B>>),
    readBody: (request) => readSmallBody(request, facts.method, body),
  };
}

async function readSmallBody(
  request: Request,
  method: OperationFacts['method'],
  body: z.ZodType | undefined,
) {
  if (method === 'get') return { bytes: new Uint8Array(), body: {} };
  const bytes = await readBody(request, SMALL_BODY);
  if (bytes.length > 0) requireJson(request);
  return { bytes, body: parseInput(body ?? strictNothing, readJsonObject(bytes)) };
}

interface RawDefinition<Q extends z.ZodObject> extends OperationFacts {
  query: Q;
  /** Bytes. */
  limit: number;
  /** Refuses a content type before the body is read. */
  accept(request: Request): void;
  run(call: Call<z.output<Q>, undefined>): Promise<Answer>;
}

/** An operation that reads the bytes itself: an event must arrive as it is (R-PUB-4). */
export function rawOperation<Q extends z.ZodObject>(definition: RawDefinition<Q>): Operation {
  const { limit, accept, run, ...facts } = definition;
  return {
    ...facts,
    run: (call) => run(call as Call<z.output<Q>, undefined>),
    readBody: async (request) => {
      accept(request);
      return { bytes: await readBody(request, limit), body: undefined };
    },
  };
}

/** A path's parameter; the router has matched it. */
export function param(call: Call, name: string): string {
  const value = call.params[name];
  if (value === undefined) throw new Error(`the path has no parameter ${name}`);
  return value;
}

/** The request's idempotency key; null without one. @throws ServiceError invalid_request */
export function idempotencyKey(call: Call): string | null {
  const key = call.request.headers.get('idempotency-key');
  return key === null ? null : checkKey(key, 'idempotency-key');
}

/** Content hash of the request as it came (R-PUB-5). */
export function contentHash(call: Call): string {
  const url = new URL(call.request.url);
  return requestContentHash(call.request.method, url.pathname + url.search, call.bytes);
}

export function replayed(stored: { status: number; body: string }): Answer {
  return {
    status: stored.status,
    body: new JsonText(stored.body),
    headers: { 'idempotency-replayed': 'true' },
  };
}

/** Calls a command, at most once where the request carries a key; `stored` is what a replay says. */
export async function command<T extends TargetKind, S extends z.ZodType, R>(
  call: Call,
  verb: Verb<T, S, R>,
  how: { request: VerbRequest<T, S>; answer(result: R): Answer; stored?(result: R): Answer },
): Promise<Answer> {
  const key = idempotencyKey(call);
  if (key === null) return how.answer(await verb.call(call.context, how.request));
  const once = await verb.callOnce(call.context, how.request, {
    key,
    contentHash: contentHash(call),
    answer: (result) => {
      const { status, body } = (how.stored ?? how.answer)(result);
      return { status, body: JSON.stringify(body) };
    },
  });
  return once.kind === 'replayed' ? replayed(once) : how.answer(once.result);
}

/** A key in the address ends up in logs and histories (D19). @throws ServiceError invalid_request */
export function refuseKeyInQuery(url: URL): void {
  for (const [name, value] of url.searchParams) {
    if (/^hk_(test|live|ops)_/.test(value)) {
      throw new ServiceError(
        'invalid_request',
        'Send the key in the Authorization header, never in the URL.',
        {
          details: [
            { path: name, message: 'A key in the URL is refused. Revoke it: it may be in logs by now.' },
          ],
        },
      );
    }
  }
}
