// tRPC's own set-up: transformer, errors without stacks, and how a procedure calls a verb.
import { initTRPC, TRPCError } from '@trpc/server';
import superjson from 'superjson';
import { z } from 'zod';
import type { Actor } from '@/server/services/actor';
import { environmentSchema } from '@/server/services/contract';
import type { ServiceDeps } from '@/server/services/deps';
import { refusalOf } from '@/server/services/refusal';
import { ServiceError } from '@/server/services/service-error';
import type { CallContext, Verb } from '@/server/services/verb';
import { ERROR_TABLE, INTERNAL_MESSAGE } from '../errors';

export interface TrpcContext {
  /** Null: nobody is signed in. */
  actor: Actor | null;
  requestId: string;
  deps: ServiceDeps;
  /** Who it is by now: a stream that runs asks again (D09). Left out: whoever it was. */
  refreshActor?: () => Promise<Actor | null>;
}

/** What a client finds in `error.data` beside tRPC's own fields. */
interface ErrorData {
  /** The code of api.md. */
  serviceCode: string;
  requestId: string | null;
  details: readonly { path: string; message: string }[];
  retryAfterS: number | null;
}

const t = initTRPC.context<TrpcContext>().create({
  transformer: superjson,
  isDev: false,
  sse: { ping: { enabled: true, intervalMs: 15_000 }, client: { reconnectAfterInactivityMs: 40_000 } },
  errorFormatter({ shape, error, ctx }) {
    const known = serviceErrorOf(error);
    const { stack: _stack, ...plain } = shape.data;
    const data: typeof plain & ErrorData = {
      ...plain,
      serviceCode: known?.code ?? 'internal',
      requestId: ctx?.requestId ?? null,
      details: known?.details ?? [],
      retryAfterS: known?.retryAfterS ?? null,
    };
    return { ...shape, message: known?.message ?? INTERNAL_MESSAGE, data };
  },
});

export const router = t.router;
export const createCallerFactory = t.createCallerFactory;

/** The refusal behind a tRPC error: ours, or what tRPC itself refuses before a verb is reached. */
export function serviceErrorOf(error: TRPCError): ServiceError | null {
  if (error.cause instanceof ServiceError) return error.cause;
  if (error.cause instanceof z.ZodError) {
    const details = error.cause.issues.map((issue) => ({
      path: issue.path.join('.'),
      message: issue.message,
    }));
    return new ServiceError(
      'invalid_request',
      'The request is not valid. Correct the fields named in details.',
      {
        details,
      },
    );
  }
  switch (error.code) {
    case 'PARSE_ERROR':
    case 'BAD_REQUEST':
      return new ServiceError('invalid_request', 'The request cannot be read.');
    case 'NOT_FOUND':
      return new ServiceError('not_found', 'There is no such procedure.');
    case 'METHOD_NOT_SUPPORTED':
      return new ServiceError('method_not_allowed', 'Use GET for queries and POST for changes.');
    case 'UNSUPPORTED_MEDIA_TYPE':
      return new ServiceError('unsupported_media_type', 'Send JSON.');
    case 'PAYLOAD_TOO_LARGE':
      return new ServiceError('payload_too_large', 'The request is too large.');
    default:
      return null;
  }
}

function toTrpcError(error: unknown): unknown {
  if (!(error instanceof ServiceError)) return error;
  return new TRPCError({ code: ERROR_TABLE[error.code].trpc, message: error.message, cause: error });
}

/** Refusals of verbs get their tRPC code here; a bug is logged whole and shown as `internal`. */
const translated = t.middleware(async ({ ctx, next, path }) => {
  const result = await next();
  if (result.ok) return result;
  const refusal = refusalOf(result.error.cause);
  if (refusal !== null) throw toTrpcError(refusal);
  if (serviceErrorOf(result.error) === null) {
    const cause = result.error.cause ?? result.error;
    ctx.deps.log.error('trpc.failed', { path, requestId: ctx.requestId, cause });
  }
  return result;
});

/** Signed in; what may be done is decided by the verb. */
export const procedure = t.procedure.use(translated).use(({ ctx, next }) => {
  if (ctx.actor === null || ctx.actor.kind === 'key') {
    throw toTrpcError(new ServiceError('unauthorized', 'Sign in first.'));
  }
  return next({ ctx: { ...ctx, actor: ctx.actor } });
});

/** The app and environment that the console's page is about. */
export const pageShape = { appId: z.string().max(120), environment: environmentSchema };

type PageVerb<S extends z.ZodType, R> = Verb<'app', S, R> | Verb<'environment', S, R>;

/** The input of a procedure that calls this verb from a page. */
export function pageInput<Shape extends z.ZodRawShape>(verb: { input: z.ZodObject<Shape> }) {
  return verb.input.extend(pageShape);
}

/** Calls a verb with what `pageInput` has read. */
export function callOnPage<S extends z.ZodType, R>(
  verb: PageVerb<S, R>,
  call: { ctx: CallContext; input: { appId: string; environment: 'test' | 'live' } },
): Promise<R> {
  const { appId, environment, ...input } = call.input;
  const { actor, deps, requestId } = call.ctx;
  return verb.call({ actor, deps, requestId }, { appId, environment, input: input as z.input<S> });
}
