import { breakerScopeOf, closesBreakers, reset } from '@/server/core/breaker';
import { autoDisable, healthOf, pause, resume } from '@/server/core/endpoint-health';
import type { Environment } from '@/server/core/model';
import type { Policy } from '@/server/core/policy';
import type { AppRow, EndpointRow } from '@/server/ports/records';
import type { Tx } from '@/server/ports/store';
import { StoreUnavailable } from '@/server/ports/store-unavailable';
import { resetBreaker } from '@/server/services/breakers';
import type { ServiceDeps } from '@/server/services/deps';
import { createEndpoint, removeEndpoint, updateEndpoint } from '@/server/services/endpoint-changes';
import { publishEvent } from '@/server/services/publish';
import { resend } from '@/server/services/resend';
import { ServiceError } from '@/server/services/service-error';
import { sendTest } from '@/server/services/test-sends';
import { AnswerLost } from '../faulty-store';
import type { Chance } from './chance';
import { POLICIES } from './plan';
import type { SimClock } from './sim-clock';
import type { Snapshots } from './snapshot';
import type { Watch } from './watch';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const ACTS = {
  resend: 4,
  resendTo: 2,
  disable: 2,
  enable: 3,
  editUrl: 3,
  pause: 2,
  resume: 2,
  test: 1.5,
  resetBreaker: 1.5,
  create: 0.5,
  remove: 0.4,
  autoDisable: 0.5,
  changePolicy: 0.5,
} as const;
type Act = keyof typeof ACTS;

const TYPES = ['order.created', 'payment.status_changed', 'refund.completed'] as const;

export interface MerchantDeps {
  services: ServiceDeps;
  app: AppRow;
  clock: SimClock;
  chance: Chance;
  snapshots: Snapshots;
  watch: Watch;
  url: () => string;
  trace: (line: string) => void;
  /** An exception that is neither a refusal nor injected. */
  unexpected: (what: string) => void;
  longestPauseMs: number;
}

/** A merchant and the people around: publishes, and acts at any moment, through the product's own verbs. */
export function createMerchant(deps: MerchantDeps) {
  const { services, app, clock, chance, snapshots, watch, url, trace, unexpected } = deps;
  const context = { actor: { kind: 'system' } as const, deps: services, requestId: 'req_simulated' };
  let published = 0;

  const attempt = async (what: string, act: () => Promise<unknown>): Promise<void> => {
    try {
      await act();
      trace(`merchant: ${what}`);
    } catch (error) {
      trace(`merchant: ${what}: ${String(error)}`);
      if (error instanceof ServiceError || isInjected(error)) return;
      unexpected(`${what}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    }
  };

  const anEndpoint = () => {
    const all = [...snapshots.now().endpoints.values()];
    return all.length === 0 ? null : chance.pick(all);
  };
  const anEvent = () => {
    const all = [...snapshots.now().events.values()];
    return all.length === 0 ? null : chance.pick(all);
  };

  const change = async (endpointId: number, work: (tx: Tx, row: EndpointRow, now: number) => Promise<void>) =>
    services.store.transact(async (tx) => {
      const row = await tx.endpointById(endpointId);
      if (row !== null) await work(tx, row, clock.now());
    });

  const scopeOf = (row: EndpointRow) => ({ appId: row.appId, environment: row.environment });

  const pauseFor = (endpointId: number, ms: number) =>
    change(endpointId, async (tx, row, now) => {
      const { pausedUntil } = pause(healthOf(row), { until: now + ms, now });
      await tx.closeGate({ scope: scopeOf(row), endpointId, kind: 'pause', at: now });
      await tx.updateEndpoint(endpointId, { pausedUntil }, now);
      await tx.openGate({ scope: scopeOf(row), endpointId, kind: 'pause', at: now });
    });

  const resumeNow = (endpointId: number, only: (row: EndpointRow, now: number) => boolean) =>
    change(endpointId, async (tx, row, now) => {
      if (!only(row, now)) return;
      await tx.closeGate({ scope: scopeOf(row), endpointId, kind: 'pause', at: now });
      await tx.updateEndpoint(endpointId, { pausedUntil: resume(healthOf(row)).pausedUntil }, now);
      services.engine.kick();
    });

  /** R-LAD-8: the breakers that the new policy no longer names are closed, drain included. */
  const changePolicy = async (environment: Environment, policy: Policy) =>
    services.store.transact(async (tx) => {
      const now = clock.now();
      const scope = { appId: app.id, environment };
      const settings = await tx.appEnvironment(scope);
      const old = settings === null ? null : await tx.policy(settings.policyId);
      if (old === null) return;
      const { id } = await tx.insertPolicy(scope, policy, now);
      await tx.updateAppEnvironment(scope, { policyId: id });
      if (!closesBreakers(old.policy, policy)) return;
      const named = new Set<string>();
      for (const endpoint of await tx.endpoints(scope)) {
        const own = endpoint.policyId === null ? policy : (await tx.policy(endpoint.policyId))?.policy;
        const breakerScope = own === undefined ? null : breakerScopeOf(own);
        if (breakerScope !== null) named.add(breakerScope === 'app' ? 'app' : `${endpoint.id}`);
      }
      for (const row of await tx.breakers(scope)) {
        if (row.state === 'closed' || named.has(row.endpointId === null ? 'app' : `${row.endpointId}`))
          continue;
        const move = reset(row, now);
        const events = move.events.map((kind) => ({ kind, actor: 'system', reason: 'policy changed' }));
        await tx.saveBreaker(row, move.breaker, events, now);
      }
    });

  const perform = async (act: Act): Promise<void> => {
    const at = { appId: app.publicId };
    const endpoint = anEndpoint();
    const event = anEvent();
    switch (act) {
      case 'resend':
        if (event === null) return;
        watch.resendAsked(event.publicId);
        return attempt(`resend ${event.id}`, () =>
          resend.call(context, { ...at, input: { eventId: event.publicId } }),
        );
      case 'resendTo':
        if (event === null || endpoint === null) return;
        watch.resendAsked(event.publicId);
        return attempt(`resend ${event.id} to endpoint ${endpoint.id}`, () =>
          resend.call(context, { ...at, input: { eventId: event.publicId, endpointId: endpoint.publicId } }),
        );
      case 'disable':
      case 'enable': {
        if (endpoint === null) return;
        const status = act === 'disable' ? 'disabled' : 'active';
        watch.probesLoosed(act);
        return attempt(`${act} endpoint ${endpoint.id}`, () =>
          updateEndpoint.call(context, { ...at, input: { endpointId: endpoint.publicId, status } }),
        );
      }
      case 'editUrl': {
        if (endpoint === null) return;
        const to = url();
        watch.probesLoosed(act);
        return attempt(`endpoint ${endpoint.id} moves to ${to}`, () =>
          updateEndpoint.call(context, { ...at, input: { endpointId: endpoint.publicId, url: to } }),
        );
      }
      case 'pause': {
        if (endpoint === null) return;
        const ms = chance.int(SECOND, deps.longestPauseMs);
        return attempt(`pause endpoint ${endpoint.id} for ${ms / SECOND} s`, async () => {
          await pauseFor(endpoint.id, ms);
          // It ends by itself: the interval is closed when its time is over.
          clock.setTimer(clock.now() + ms, () => {
            void attempt(`the pause of endpoint ${endpoint.id} is over`, () =>
              resumeNow(endpoint.id, (row, now) => row.pausedUntil !== null && row.pausedUntil <= now),
            );
          });
        });
      }
      case 'resume':
        if (endpoint === null) return;
        return attempt(`resume endpoint ${endpoint.id}`, () =>
          resumeNow(endpoint.id, (row) => row.pausedUntil !== null),
        );
      case 'test':
        if (endpoint === null) return;
        return attempt(`test endpoint ${endpoint.id}`, () =>
          sendTest.call(context, {
            ...at,
            environment: endpoint.environment as Environment,
            input: { endpointId: endpoint.publicId },
          }),
        );
      case 'resetBreaker': {
        const open = snapshots.now().breakers.filter(({ state }) => state !== 'closed');
        if (open.length === 0) return;
        const breaker = chance.pick(open);
        watch.probesLoosed(act);
        return attempt(`reset breaker ${breaker.id}`, () =>
          resetBreaker.call(context, { ...at, input: { breakerId: breaker.publicId, reason: 'support' } }),
        );
      }
      case 'create': {
        const to = url();
        return attempt(`create an endpoint at ${to}`, () =>
          createEndpoint.call(context, { ...at, environment: 'test', input: { url: to } }),
        );
      }
      case 'remove':
        if (endpoint === null) return;
        watch.probesLoosed(act);
        return attempt(`delete endpoint ${endpoint.id}`, () =>
          removeEndpoint.call(context, { ...at, input: { endpointId: endpoint.publicId } }),
        );
      case 'autoDisable':
        if (endpoint === null) return;
        return attempt(`auto-disable endpoint ${endpoint.id}`, () =>
          change(endpoint.id, async (tx, row, now) => {
            await tx.updateEndpoint(row.id, autoDisable(healthOf(row), 'failing'), now);
          }),
        );
      case 'changePolicy': {
        const policy = chance.pick(POLICIES);
        const environment = chance.odds(0.8) ? 'test' : 'live';
        watch.probesLoosed(act);
        return attempt(`the policy of ${environment} becomes ${policy.name}`, () =>
          changePolicy(environment, policy),
        );
      }
    }
  };

  /** Asks again under the same key until it is acknowledged (R-PUB-5). */
  const publish = async (environment: Environment, type = chance.pick(TYPES)): Promise<void> => {
    published += 1;
    const n = published;
    const status = chance.pick(['paid', 'expired']);
    const input = {
      type,
      body: Buffer.from(`{"n":${n},"status":"${status}","2":"b","1":"a","rate":1.0}`),
      contentType: 'application/json',
      occurredAt: null,
      key: `key-${n}`,
    };
    for (;;) {
      try {
        const answer = await publishEvent.call(context, { appId: app.publicId, environment, input });
        const id: string = answer.kind === 'published' ? answer.event.id : JSON.parse(answer.body).id;
        trace(`merchant: published ${type} ${n} in ${environment}: ${id}`);
        watch.eventAcknowledged(id);
        return;
      } catch (error) {
        trace(`merchant: publishing ${n}: ${String(error)}`);
        const busy = error instanceof ServiceError && error.code === 'idempotency_in_progress';
        if (!isInjected(error) && !busy) return unexpected(`publish: ${String(error)}`);
        await new Promise<void>((resolve) => clock.setTimer(clock.now() + 2 * SECOND, resolve));
      }
    }
  };

  return {
    publish,
    act: () => perform(chance.weighted(ACTS)),
    /** Every endpoint has something to send. */
    async lastWord(): Promise<void> {
      for (const type of TYPES) {
        await publish('test', type);
        await publish('live', type);
      }
    },
    /** No endpoint is paused any more. */
    async resumeAll(): Promise<void> {
      for (const { id } of snapshots.now().endpoints.values()) {
        await attempt(`resume endpoint ${id}`, () => resumeNow(id, (row) => row.pausedUntil !== null));
      }
    },
  };
}

export function isInjected(error: unknown): boolean {
  return error instanceof StoreUnavailable || error instanceof AnswerLost;
}

export const LONGEST_PAUSE = { minutes: 5 * MINUTE, hours: 2 * HOUR, days: 20 * HOUR, weeks: 48 * HOUR };
