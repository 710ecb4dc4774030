// Which policy an endpoint is under, read inside a transaction.
import { type Policy, PRESETS } from '@/server/core/policy';
import type { Queries } from '@/server/ports/queries';
import type { EndpointRow } from '@/server/ports/records';

export interface PolicyInForce {
  id: number;
  policy: Policy;
}

/** The endpoint's own policy, else the app's for the environment. */
export async function policyInForce(
  queries: Queries,
  endpoint: Pick<EndpointRow, 'appId' | 'environment'> & Partial<Pick<EndpointRow, 'policyId'>>,
): Promise<PolicyInForce> {
  const { appId, environment } = endpoint;
  const id = endpoint.policyId ?? (await queries.appEnvironment({ appId, environment }))?.policyId ?? 0;
  const row = await queries.policy(id);
  return { id, policy: row?.policy ?? PRESETS.standard };
}
