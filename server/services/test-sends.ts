// R-RES-3: a signed webhook.test on the real path, and what came of it.

import { readDerivedId } from '@/server/core/ids';
import type { Scope } from '@/server/ports/queries';
import type { AppRow, AttemptRow, DeliveryListRow, EndpointRow } from '@/server/ports/records';
import type { PublishRecord, Tx } from '@/server/ports/store';
import { actorId } from './actor';
import type { TestSendAnswer } from './contract';
import type { ServiceDeps } from './deps';
import { testSendInput } from './inputs';
import { findEndpoint } from './lookup';
import { policyInForce } from './policies';
import { makeTestRecord } from './publish-record';
import { attemptMessage } from './render/attempt';
import { deliveryId, isInFlight } from './render/delivery';
import { TEST_TYPE } from './resend';
import { invalid, notFound, ServiceError } from './service-error';
import { defineVerb, type HandlerContext } from './verb';
import { untilChanged } from './waiting';

const ACTION = 'endpoint.tested';
const MINUTE_MS = 60_000;
const PER_MINUTE = 20;
/** An attempt that has not started by then is answered for with 202. */
export const START_WITHIN_MS = 5_000;
/** What an attempt may take beyond its policy's timeout until it is recorded. */
const SETTLE_WITHIN_MS = 3_000;

type Context = HandlerContext<'environment', { endpointId?: string; type?: string }>;

export const sendTest = defineVerb({
  name: 'endpoints.sendTest',
  kind: 'command',
  target: 'environment',
  access: { scope: 'deliveries:write', role: 'developer' },
  input: testSendInput,
  wakes: true,
  handler: async (context): Promise<TestSendAnswer> => {
    const { tx, scope, app, now } = context;
    const endpoint = await endpointFor(context, tx);
    await limitRate(tx, app, now);
    const record = await recordFor(context, tx, endpoint);
    const done = await tx.publish({ records: [record] });
    const delivery = done.kind === 'published' ? done.events[0]?.deliveries[0] : undefined;
    if (delivery === undefined) throw new Error(`a test send in ${scope.environment} wrote no delivery`);
    return {
      ok: false,
      status_code: null,
      error: null,
      duration_ms: null,
      delivery_id: deliveryId(delivery),
      event_id: record.publicId,
      state: 'pending',
    };
  },
  finish: (context, pending) => waitForEnd(context.deps, context.scope, pending),
  audit: {
    action: ACTION,
    object: (result) => result.event_id,
    detail: (result) => ({ delivery: result.delivery_id }),
  },
});

/** @throws ServiceError not_found, wrong_environment, no_webhook */
async function endpointFor(context: Context, tx: Tx): Promise<EndpointRow> {
  const { input, scope } = context;
  if (input.endpointId !== undefined) return findEndpoint(context, tx, input.endpointId);
  const [first] = [...(await tx.endpoints(scope))].sort((a, b) => a.number - b.number);
  if (first !== undefined) return first;
  throw new ServiceError('no_webhook', 'There is no endpoint in this environment. Create one first.');
}

/** 20 a minute per app, counted over both environments (R-RES-3). @throws ServiceError rate_limited */
async function limitRate(tx: Tx, app: AppRow, now: number): Promise<void> {
  const since = now - MINUTE_MS + 1;
  const sent = await tx.auditCount({ appId: app.id, action: ACTION, since, limit: PER_MINUTE });
  if (sent.length < PER_MINUTE) return;
  const retryAfterS = Math.max(1, Math.ceil((Math.min(...sent) + MINUTE_MS - now) / 1_000));
  throw new ServiceError('rate_limited', `At most ${PER_MINUTE} test sends a minute. Try again shortly.`, {
    retryAfterS,
  });
}

async function recordFor(context: Context, tx: Tx, endpoint: EndpointRow): Promise<PublishRecord> {
  const { deps, scope, now, actor, input } = context;
  const settings = await tx.appEnvironment(scope);
  if (settings === null) throw notFound();
  const body = input.type === undefined ? plainTest(endpoint) : await exampleOf(tx, scope, input.type);
  const draft = {
    type: input.type ?? TEST_TYPE,
    body: new TextEncoder().encode(body),
    contentType: 'application/json',
    occurredAt: null,
  };
  const recording = { settings, entry: null, random: deps.random, now, actor: actorId(actor) };
  return makeTestRecord(draft, recording, endpoint.id);
}

function plainTest(endpoint: EndpointRow): string {
  return JSON.stringify({
    test: true,
    endpoint_id: endpoint.publicId,
    message: 'A test event. Nothing happened.',
  });
}

/** A receiver must not take an example for a real payment, so that `live` gets none (D31). */
async function exampleOf(tx: Tx, scope: Scope, type: string): Promise<string> {
  if (scope.environment !== 'test') throw invalid('type', 'Examples are sent in the test environment only.');
  const entry = await tx.eventType(scope.appId, type);
  if (entry === null) throw invalid('type', 'This type is not in the catalogue of this app.');
  if (entry.example === null) throw invalid('type', 'This type has no example in the catalogue.');
  return entry.example;
}

/** Waits for the attempt's record; `pending` when it could not start within 5 s or does not end in its time. */
async function waitForEnd(deps: ServiceDeps, scope: Scope, pending: TestSendAnswer): Promise<TestSendAnswer> {
  const id = readDerivedId(pending.delivery_id, 'dlv')?.seq ?? 0;
  const startBy = deps.clock.now() + START_WITHIN_MS;
  let endBy = startBy;
  let answer: TestSendAnswer | null = null;
  await untilChanged(deps, scope, {
    endsAt: () => endBy,
    done: async () => {
      const row = await deps.store.read.delivery(id);
      if (row === null) return true;
      const [attempt] = await deps.store.read.attempts(id);
      if (attempt !== undefined) answer = endedAnswer(pending, attempt);
      else if (isInFlight(row, deps.clock.now())) endBy = startBy + (await longestAttempt(deps, row));
      return answer !== null;
    },
  });
  return answer ?? pending;
}

async function longestAttempt(deps: ServiceDeps, row: DeliveryListRow): Promise<number> {
  const endpoint = row.endpointId === null ? null : await deps.store.read.endpointById(row.endpointId);
  const { policy } = await policyInForce(deps.store.read, endpoint ?? row);
  return policy.timeoutMs + SETTLE_WITHIN_MS;
}

function endedAnswer(pending: TestSendAnswer, attempt: AttemptRow): TestSendAnswer {
  return {
    ...pending,
    ok: attempt.outcome === 'delivered',
    status_code: attempt.statusCode,
    error: attempt.outcome === 'delivered' ? null : attemptMessage(attempt),
    duration_ms: attempt.durationMs,
    state: 'ended',
  };
}
