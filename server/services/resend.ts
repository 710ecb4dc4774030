// R-RES-1, R-RES-2: a resend begins a new cycle, whatever the event's status.
import { beginCycle, firstState } from '@/server/core/cycle';
import type { DeliveryState } from '@/server/core/model';
import { planResend, type ResendPlan } from '@/server/core/resend-plan';
import type { Scope } from '@/server/ports/queries';
import type { DeliveryListRow, DeliveryRow, EndpointRow, EventWithBody } from '@/server/ports/records';
import type { Tx } from '@/server/ports/store';
import { actorId } from './actor';
import type { ResendAnswer } from './contract';
import { resendInput } from './inputs';
import { findEndpointAnywhere, findEvent } from './lookup';
import { policyInForce } from './policies';
import { renderDelivery } from './render/delivery';
import { loadView } from './render/view';
import { ServiceError } from './service-error';
import { defineVerb } from './verb';

/** A test's own type: its first attempt passes gates whenever it is made anew (R-RES-3). */
export const TEST_TYPE = 'webhook.test';

export const resend = defineVerb({
  name: 'deliveries.resend',
  kind: 'command',
  target: 'app',
  access: { scope: 'deliveries:write', role: 'developer' },
  input: resendInput,
  wakes: true,
  handler: async (context): Promise<ResendAnswer> => {
    const { tx, input, now, actor } = context;
    const event = await findEvent(context, tx, input.eventId);
    const scope = { appId: event.appId, environment: event.environment };
    const target =
      input.endpointId === undefined ? null : await findEndpointAnywhere(context, tx, input.endpointId);
    const endpoints = await tx.endpoints(scope);
    const deliveries = await tx.deliveriesOfEvents([event.id]);
    const plan = accepted(planResend({ event, target, deliveries, endpoints }));
    const act = { tx, event, scope, now, actor: actorId(actor) };
    const ids = [...plan.already];
    for (const id of plan.begin) ids.push(await begin(act, rowOf(deliveries, id)));
    for (const id of plan.create) ids.push(await create(act, rowOf(endpoints, id)));
    return {
      deliveries: await render(act, ids),
      left_out: plan.leftOut.map((id) => ({
        endpoint_id: rowOf(endpoints, id).publicId,
        reason: 'endpoint_disabled',
      })),
    };
  },
  audit: {
    action: 'delivery.resent',
    object: (_result, input) => input.eventId,
    detail: (result, input) => ({
      endpoint: input.endpointId ?? null,
      deliveries: result.deliveries.map((delivery) => delivery.id),
    }),
  },
});

interface Act {
  tx: Tx;
  event: EventWithBody;
  scope: Scope;
  now: number;
  actor: string;
}

/** An existing delivery starts anew; its lease, where one runs, stays as it is (R-RES-2). */
async function begin(act: Act, row: DeliveryListRow): Promise<number> {
  const { tx, event, now, actor } = act;
  const endpoint = row.endpointId === null ? null : await tx.endpointById(row.endpointId);
  const { id, policy } = await policyInForce(tx, endpoint ?? row);
  const facts = { eventCreatedAt: event.createdAt };
  const next = beginCycle(stateOf(row), { facts, ladder: policy, now, trigger: 'resend' });
  await tx.updateDelivery(row.id, next, { actor, policyId: id });
  return row.id;
}

/** An endpoint that never had the event gets a delivery of its own; a row without endpoint makes way (R-PUB-3). */
async function create(act: Act, endpoint: EndpointRow): Promise<number> {
  const { tx, event, now, actor } = act;
  const { id: policyId, policy } = await policyInForce(tx, endpoint);
  const facts = { eventCreatedAt: event.createdAt, money: event.money, isTest: event.type === TEST_TYPE };
  await tx.deleteUnmatched(event.id);
  const row = await tx.insertDelivery({
    ...firstState({ now, eventCreatedAt: event.createdAt, ladder: policy, trigger: 'resend' }),
    ...facts,
    ...act.scope,
    eventId: event.id,
    endpointId: endpoint.id,
    type: event.type,
    policyId,
    createdAt: now,
    actor,
  });
  return row.id;
}

async function render(act: Act, ids: readonly number[]) {
  const { tx, event, scope, now } = act;
  const rows = (await tx.deliveriesOfEvents([event.id])).filter((row) => ids.includes(row.id));
  const view = await loadView({ queries: tx, scope, now, hidesQueries: false }, rows);
  return rows.map((row) => renderDelivery(row, view));
}

function accepted(plan: ResendPlan): Extract<ResendPlan, { kind: 'ok' }> {
  switch (plan.kind) {
    case 'ok':
      return plan;
    case 'environment_mismatch':
      throw new ServiceError(
        'environment_mismatch',
        'The event and the endpoint belong to different environments.',
      );
    case 'endpoint_disabled':
      throw new ServiceError('endpoint_disabled', 'The endpoint is not active. Enable it, then resend.');
    case 'no_webhook':
      throw new ServiceError('no_webhook', 'No active endpoint wants this event. Create or enable one.');
    default:
      return plan satisfies never;
  }
}

function rowOf<T extends { id: number }>(rows: readonly T[], id: number): T {
  const row = rows.find((candidate) => candidate.id === id);
  if (row === undefined) throw new Error(`the plan names row ${id}, which was not read`);
  return row;
}

/** The state's fields alone, of a row that has more. */
export function stateOf(row: DeliveryRow): DeliveryState {
  return {
    status: row.status,
    reason: row.reason,
    cycle: row.cycle,
    cycleStartedAt: row.cycleStartedAt,
    cycleByPerson: row.cycleByPerson,
    attempts: row.attempts,
    fast: row.fast,
    slow: row.slow,
    slowStartedAt: row.slowStartedAt,
    unknowns: row.unknowns,
    dueAt: row.dueAt,
    waitCause: row.waitCause,
    ladderWaitMs: row.ladderWaitMs,
    retryAfterMs: row.retryAfterMs,
    nextTrigger: row.nextTrigger,
    lastOutcome: row.lastOutcome,
    lastStatusCode: row.lastStatusCode,
    lastErrorClass: row.lastErrorClass,
    lastEndedAt: row.lastEndedAt,
    firstDeliveredAt: row.firstDeliveredAt,
    endedAt: row.endedAt,
    deadlineAt: row.deadlineAt,
  };
}
