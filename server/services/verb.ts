// The one wrapper: a verb without scope, schema or (for commands) audit entry does not type-check.
import type { z } from 'zod';
import type { Environment } from '@/server/core/model';
import type { Scope } from '@/server/ports/queries';
import type { AppRow } from '@/server/ports/records';
import type { Tx } from '@/server/ports/store';
import { type Access, authorize, type RawTarget, resolveTarget, type TargetKind } from './access';
import type { Actor } from './actor';
import { type AuditRule, auditRow, recordDenial } from './audit';
import type { ServiceDeps } from './deps';
import { type Once, type OnceAnswer, runOnce } from './idempotency';
import { ServiceError } from './service-error';

/** Who calls, through which request. */
export interface CallContext {
  actor: Actor;
  deps: ServiceDeps;
  requestId: string;
}

interface Common<I> extends CallContext {
  input: I;
  /** Epoch ms, one instant for the whole call. */
  now: number;
}

interface TargetContexts {
  none: object;
  organization: { organizationId: string };
  /** An app, or an object of it that knows its own environment. */
  app: { app: AppRow; environment: Environment | null };
  environment: { app: AppRow; environment: Environment; scope: Scope };
}

/** What a handler is handed, by what its verb is aimed at. */
export type HandlerContext<T extends TargetKind, I> = Common<I> & TargetContexts[T];

interface TargetRequests {
  none: object;
  organization: { organizationId: string };
  app: { appId: string; environment?: Environment };
  environment: { appId: string; environment?: Environment };
}

/** Raw ids as they came and the input, still to be validated. */
export type VerbRequest<T extends TargetKind, S extends z.ZodType> = TargetRequests[T] & {
  input: z.input<S>;
};

interface Definition<T extends TargetKind, S extends z.ZodType> {
  name: string;
  target: T;
  access: Access;
  input: S;
}

interface QueryDefinition<T extends TargetKind, S extends z.ZodType, R> extends Definition<T, S> {
  kind: 'query';
  audit: 'none';
  handler(context: HandlerContext<T, z.output<S>>): Promise<R>;
}

interface CommandDefinition<T extends TargetKind, S extends z.ZodType, R> extends Definition<T, S> {
  kind: 'command';
  audit: AuditRule<R, z.output<S>>;
  /** Runs in one transaction with the audit entry; inside it only `tx` is awaited. */
  handler(context: HandlerContext<T, z.output<S>> & { tx: Tx }): Promise<R>;
  /** The engine may have new work when it has committed. */
  wakes?: boolean;
  /** Turns the committed result into the answer: what must wait for the outside. */
  finish?(context: HandlerContext<T, z.output<S>>, result: R): Promise<R>;
}

/** Publishing has the store's own group commit; the event itself is the record of the act. */
interface PublishDefinition<T extends TargetKind, S extends z.ZodType, R> extends Definition<T, S> {
  kind: 'publish';
  audit: { action: string; unrecorded: string };
  handler(context: HandlerContext<T, z.output<S>>): Promise<R>;
}

type AnyDefinition<T extends TargetKind, S extends z.ZodType, R> =
  | QueryDefinition<T, S, R>
  | CommandDefinition<T, S, R>
  | PublishDefinition<T, S, R>;

/** What the registry, and the test that walks it, may know of any verb. */
export interface VerbFacts {
  readonly name: string;
  readonly kind: 'query' | 'command' | 'publish';
  readonly target: TargetKind;
  readonly access: Access;
}

export interface Verb<T extends TargetKind, S extends z.ZodType, R> extends VerbFacts {
  readonly target: T;
  readonly input: S;
  /** @throws ServiceError */
  call(context: CallContext, request: VerbRequest<T, S>): Promise<R>;
  /** As `call`, at most once per key (R-PUB-5). Commands alone. @throws ServiceError */
  callOnce(context: CallContext, request: VerbRequest<T, S>, once: Once<R>): Promise<OnceAnswer<R>>;
}

/** Makes a verb: tenancy, scope or role, environment, input and audit are checked in this order for all of them. */
export function defineVerb<T extends TargetKind, S extends z.ZodType, R>(
  definition: AnyDefinition<T, S, R>,
): Verb<T, S, R> {
  const { name, kind, target, access, input } = definition;
  const prepare = (context: CallContext, request: VerbRequest<T, S>) => admit(definition, context, request);
  const run = async (context: CallContext, request: VerbRequest<T, S>): Promise<R> => {
    const handed = await prepare(context, request);
    if (definition.kind !== 'command') return definition.handler(handed);
    const result = await context.deps.store.transact((tx) => perform(definition, handed, tx));
    return complete(definition, handed, result);
  };
  const runKeyed = async (context: CallContext, request: VerbRequest<T, S>, once: Once<R>) => {
    const handed = await prepare(context, request);
    if (definition.kind !== 'command') throw new Error(`${name} keeps no idempotency key here`);
    const answer = await runOnce(
      { deps: context.deps, scope: onceScope(handed), now: handed.now },
      once,
      (tx) => perform(definition, handed, tx),
    );
    if (answer.kind === 'replayed') return answer;
    return { kind: 'done' as const, result: await complete(definition, handed, answer.result) };
  };
  return {
    name,
    kind,
    target,
    access,
    input,
    call: (context, request) => guarded(definition, context, () => run(context, request)),
    callOnce: (context, request, once) =>
      guarded(definition, context, () => runKeyed(context, request, once)),
  };
}

/** Tenancy, then scope or role, then environment, then the input. */
async function admit<T extends TargetKind, S extends z.ZodType, R>(
  definition: AnyDefinition<T, S, R>,
  context: CallContext,
  request: VerbRequest<T, S>,
): Promise<HandlerContext<T, z.output<S>>> {
  const resolved = await resolveTarget(definition.target, context, request as RawTarget);
  authorize(definition.access, context.actor, resolved);
  const input = parseInput(definition.input, request.input);
  const { actor, deps, requestId } = context;
  // The target's kind picks both the request's and the context's shape, which the compiler cannot follow.
  return {
    actor,
    deps,
    requestId,
    input,
    now: deps.clock.now(),
    ...resolved.context,
  } as unknown as HandlerContext<T, z.output<S>>;
}

async function perform<T extends TargetKind, S extends z.ZodType, R>(
  definition: CommandDefinition<T, S, R>,
  handed: HandlerContext<T, z.output<S>>,
  tx: Tx,
): Promise<R> {
  const result = await definition.handler({ ...handed, tx });
  await tx.insertAudit(auditRow(definition.audit, handed, result));
  return result;
}

async function complete<T extends TargetKind, S extends z.ZodType, R>(
  definition: CommandDefinition<T, S, R>,
  handed: HandlerContext<T, z.output<S>>,
  result: R,
): Promise<R> {
  if (definition.wakes) handed.deps.engine.kick();
  return definition.finish ? definition.finish(handed, result) : result;
}

async function guarded<T extends TargetKind, S extends z.ZodType, R, A>(
  definition: AnyDefinition<T, S, R>,
  context: CallContext,
  work: () => Promise<A>,
): Promise<A> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ServiceError && error.denial !== undefined) {
      recordDenial(context, definition.name, error.denial);
    }
    throw error;
  }
}

/** @throws ServiceError invalid_request with one detail per field; `at` is where the input itself lies. */
export function parseInput<S extends z.ZodType>(
  schema: S,
  raw: unknown,
  at: readonly string[] = [],
): z.output<S> {
  const parsed = schema.safeParse(raw);
  if (parsed.success) return parsed.data;
  throw new ServiceError(
    'invalid_request',
    'The request is not valid. Correct the fields named in details.',
    {
      details: parsed.error.issues.flatMap((issue) => detailsOf(issue, at)),
    },
  );
}

function detailsOf(issue: z.core.$ZodIssue, at: readonly string[]) {
  const path = [...at, ...issue.path.map(String)];
  if (issue.code !== 'unrecognized_keys') return [{ path: path.join('.'), message: issue.message }];
  return issue.keys.map((key) => ({ path: [...path, key].join('.'), message: 'This field is not known.' }));
}

function onceScope(handed: object): Scope {
  if ('scope' in handed) return handed.scope as Scope;
  throw new ServiceError(
    'invalid_request',
    'An idempotency key needs a key or a field that names the environment.',
  );
}
