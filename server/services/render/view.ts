// What an environment's rows are read with: its endpoints, policies and breakers, at one instant.
import type { Breaker } from '@/server/core/model';
import { type Policy, PRESETS } from '@/server/core/policy';
import type { Scope } from '@/server/ports/queries';
import type { BreakerRow, DeliveryRow, EndpointRow } from '@/server/ports/records';
import type { Actor } from '../actor';
import { roleIn } from '../actor';
import type { HotQueries } from '../hot-reads';

export interface View {
  now: number;
  endpoints: ReadonlyMap<number, EndpointRow>;
  /** By row number. */
  policies: ReadonlyMap<number, Policy>;
  /** The app's for the environment. */
  policy: Policy;
  policyId: number;
  breakers: readonly BreakerRow[];
  /** A viewer sees no query strings (D04). */
  hidesQueries: boolean;
}

/** Where and as whom rows are read. */
export interface ViewReader {
  queries: Pick<HotQueries, 'appEnvironment' | 'endpoints' | 'breakers' | 'policy'>;
  scope: Scope;
  now: number;
  hidesQueries: boolean;
}

/** Reads what the rows need to be shown: at most 50 endpoints, their breakers and the policies named. */
export async function loadView(
  reader: ViewReader,
  rows: readonly Pick<DeliveryRow, 'policyId'>[] = [],
): Promise<View> {
  const { queries, scope, now, hidesQueries } = reader;
  const environment = await queries.appEnvironment(scope);
  const endpoints = await queries.endpoints(scope);
  const breakers = await queries.breakers(scope);
  const policyId = environment?.policyId ?? 0;
  const wanted = new Set([policyId, ...rows.map((row) => row.policyId)]);
  for (const endpoint of endpoints) if (endpoint.policyId !== null) wanted.add(endpoint.policyId);
  const policies = new Map<number, Policy>();
  for (const id of wanted) {
    const row = await queries.policy(id);
    if (row !== null) policies.set(id, row.policy);
  }
  return {
    now,
    endpoints: new Map(endpoints.map((endpoint) => [endpoint.id, endpoint])),
    policies,
    policy: policies.get(policyId) ?? PRESETS.standard,
    policyId,
    breakers,
    hidesQueries,
  };
}

/** The endpoint's own policy, else the app's for the environment. */
export function effectivePolicy(view: View, endpoint: Pick<EndpointRow, 'policyId'> | null): Policy {
  return view.policies.get(endpoint?.policyId ?? view.policyId) ?? view.policy;
}

/** The one breaker that the endpoint feeds and obeys (R-BRK-11); null: none, or it never counted. */
export function breakerOf(view: View, endpoint: Pick<EndpointRow, 'id' | 'policyId'>): Breaker | null {
  const scope = effectivePolicy(view, endpoint).breaker?.scope;
  if (scope === undefined) return null;
  const owner = scope === 'app' ? null : endpoint.id;
  return view.breakers.find((breaker) => breaker.endpointId === owner) ?? null;
}

/** Whether the actor sees URLs without their query strings (D04). */
export function hidesQueries(actor: Actor, organizationId: string): boolean {
  return actor.kind === 'user' && actor.platformRole === null && roleIn(actor, organizationId) === 'viewer';
}
