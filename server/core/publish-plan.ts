// Invariant: which endpoints an event goes to is decided once, from rows read in the transaction that writes it (R-PUB-1).
import { skippedForWantOfEndpoint, waitingForEndpoint } from './cycle';
import { matchesType } from './event-filter';
import type { DeliveryState, EndpointStatus } from './model';
import type { Policy } from './policy';

export interface PublishPlan {
  /** In the order given; one delivery each. */
  endpointIds: readonly number[];
  /** State of the one row without endpoint of an event that matched none (R-PUB-3); null where one matched. */
  unmatched: DeliveryState | null;
}

export interface PublishPlanInput {
  /** All endpoints of the event's app and environment. */
  endpoints: readonly { id: number; status: EndpointStatus; types: readonly string[] }[];
  record: { type: string; createdAt: number; testEndpointId: number | null };
  /** The app's for the environment. */
  policy: Pick<Policy, 'whenNoEndpoint' | 'maxAgeMs'>;
  now: number;
}

/** R-PUB-2, R-PUB-3, R-RES-3: a paused endpoint matches; a test send goes to its endpoint whatever filter and status. */
export function planPublish({ endpoints, record, policy, now }: PublishPlanInput): PublishPlan {
  const matching = endpoints.filter((endpoint) =>
    record.testEndpointId === null
      ? endpoint.status === 'active' && matchesType(endpoint.types, record.type)
      : endpoint.id === record.testEndpointId,
  );
  if (matching.length > 0) return { endpointIds: matching.map(({ id }) => id), unmatched: null };
  const beginning = { now, eventCreatedAt: record.createdAt, ladder: policy };
  const waits = policy.whenNoEndpoint === 'wait' && record.testEndpointId === null;
  return {
    endpointIds: [],
    unmatched: waits ? waitingForEndpoint(beginning) : skippedForWantOfEndpoint(beginning),
  };
}
