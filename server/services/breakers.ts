// Breakers: reading them, and the reset by hand (R-BRK-6, R-BRK-8).
import { pauseLadder, reset } from '@/server/core/breaker';
import type { Queries } from '@/server/ports/queries';
import type { BreakerRow } from '@/server/ports/records';
import { actorId } from './actor';
import { renderApp } from './apps';
import { saveMove } from './breaker-moves';
import type { AppResource, BreakerDetail, BreakerResource } from './contract';
import { breakerInput, breakerResetInput, noInput } from './inputs';
import { findBreaker } from './lookup';
import { renderAttempt } from './render/attempt';
import {
  type BreakerFacts,
  breakerPolicyOf,
  heldEndpoints,
  loadBreakerFacts,
  renderBreaker,
} from './render/breaker';
import { deliveryId, iso, isoOrNull } from './render/delivery';
import { endpointLabel, renderEndpoint } from './render/endpoint';
import { hidesQueries, loadView, type View } from './render/view';
import { defineVerb } from './verb';

export interface SupportBreaker {
  breaker: BreakerResource;
  app: AppResource;
  /** Null: the app's own breaker. */
  endpoint_label: string | null;
}

const READ = { scope: 'deliveries:read', role: 'viewer', platform: ['support'] } as const;

const LISTED_ATTEMPTS = 10;
const DETAIL_ATTEMPTS = 100;
const HISTORY = 100;

export const listBreakers = defineVerb({
  name: 'breakers.list',
  kind: 'query',
  audit: 'none',
  access: READ,
  target: 'environment',
  input: noInput,
  handler: async ({ deps, scope, now }): Promise<BreakerResource[]> => {
    const queries = deps.store.read;
    const view = await loadView({ queries, scope, now, hidesQueries: false });
    const answer: BreakerResource[] = [];
    for (const row of view.breakers) answer.push(await readBreaker(queries, row, view));
    return answer;
  },
});

async function readBreaker(queries: Queries, row: BreakerRow, view: View): Promise<BreakerResource> {
  return renderBreaker(row, view, await loadBreakerFacts(queries, row, { view, attempts: LISTED_ATTEMPTS }));
}

export const getBreaker = defineVerb({
  name: 'breakers.get',
  kind: 'query',
  audit: 'none',
  access: READ,
  target: 'app',
  input: breakerInput,
  handler: async (context): Promise<BreakerDetail> => {
    const { deps, input, now, app, actor } = context;
    const queries = deps.store.read;
    const row = await findBreaker(context, queries, input.breakerId);
    const scope = { appId: row.appId, environment: row.environment };
    const hides = hidesQueries(actor, app.organizationId);
    const view = await loadView({ queries, scope, now, hidesQueries: hides });
    const facts = await loadBreakerFacts(queries, row, { view, attempts: DETAIL_ATTEMPTS });
    const endpoint = row.endpointId === null ? null : (view.endpoints.get(row.endpointId) ?? null);
    const policy = breakerPolicyOf(row, view);
    return {
      breaker: renderBreaker(row, view, facts),
      app: renderApp(app),
      endpoint: endpoint === null ? null : renderEndpoint(endpoint, view),
      endpointLabel: endpoint === null ? null : endpointLabel(endpoint),
      thresholds: {
        windowMs: policy.windowMs,
        minAttempts: policy.minAttempts,
        failureRatio: policy.failureRatio,
        pausesMs: pauseLadder(policy),
      },
      openedBy: openers(facts, view),
      heldSince: isoOrNull(await heldSince(queries, row, view)),
      history: await historyOf(queries, row),
    };
  },
});

function openers(facts: BreakerFacts, view: View) {
  const deliveries = new Map(facts.deliveries.map((delivery) => [delivery.id, deliveryId(delivery)]));
  return facts.openedBy.flatMap((attempt) => {
    const delivery = deliveries.get(attempt.deliveryId);
    return delivery === undefined ? [] : [renderAttempt(attempt, delivery, view)];
  });
}

async function historyOf(queries: Queries, row: BreakerRow): Promise<BreakerDetail['history']> {
  const events = await queries.breakerEvents(row.id, HISTORY);
  return events.map((event) => ({
    at: iso(event.at),
    kind: event.kind,
    pause_ms: event.pauseMs,
    probe_at: isoOrNull(event.probeAt),
    actor: event.actor,
    reason: event.reason,
  }));
}

/** Since when the longest due delivery behind it waits; null while nothing does. */
async function heldSince(queries: Queries, row: BreakerRow, view: View): Promise<number | null> {
  let oldest: number | null = null;
  for (const id of heldEndpoints(row, view)) {
    const dueAt = await queries.oldestDueOf(id);
    if (dueAt !== null && dueAt <= view.now && (oldest === null || dueAt < oldest)) oldest = dueAt;
  }
  return oldest;
}

export const resetBreaker = defineVerb({
  name: 'breakers.reset',
  kind: 'command',
  target: 'app',
  access: { scope: 'breakers:reset', role: 'none', platform: ['support'] },
  input: breakerResetInput,
  wakes: true,
  handler: async (context): Promise<BreakerResource> => {
    const { tx, input, now, actor } = context;
    const row = await findBreaker(context, tx, input.breakerId);
    await saveMove(tx, row, {
      move: reset(row, now),
      actor: actorId(actor),
      reason: input.reason,
      now,
    });
    const scope = { appId: row.appId, environment: row.environment };
    const view = await loadView({ queries: tx, scope, now, hidesQueries: false });
    return readBreaker(tx, (await tx.breaker(row.publicId)) ?? row, view);
  },
  audit: {
    action: 'breaker.reset',
    object: (_result, input) => input.breakerId,
    detail: (_result, input) => ({ reason: input.reason }),
  },
});

export const supportBreakers = defineVerb({
  name: 'support.breakers',
  kind: 'query',
  audit: 'none',
  target: 'none',
  access: { scope: 'session', role: 'none', platform: ['support'] },
  input: noInput,
  handler: async ({ deps, now }): Promise<SupportBreaker[]> => {
    const queries = deps.store.read;
    const answer: SupportBreaker[] = [];
    for (const row of await queries.breakers('not_closed')) {
      const app = await queries.appById(row.appId);
      if (app === null) continue;
      const scope = { appId: row.appId, environment: row.environment };
      const view = await loadView({ queries, scope, now, hidesQueries: false });
      const endpoint = row.endpointId === null ? undefined : view.endpoints.get(row.endpointId);
      answer.push({
        breaker: await readBreaker(queries, row, view),
        app: renderApp(app),
        endpoint_label: endpoint === undefined ? null : endpointLabel(endpoint),
      });
    }
    return answer;
  },
});
