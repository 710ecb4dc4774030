import { parseAsString, parseAsStringLiteral } from 'nuqs/server';
import { DELIVERY_STATUSES } from '@/server/core/model';

/** What of the list stands in the address; read alike by the page on the server and in the browser. */
export const deliveryParsers = {
  status: parseAsStringLiteral(DELIVERY_STATUSES),
  type: parseAsString,
  endpoint: parseAsString,
  /** The delivery that is open beside the list. */
  delivery: parseAsString,
  /** Its attempt that is unfolded. */
  attempt: parseAsString,
};

export interface DeliveryFilters {
  status: (typeof DELIVERY_STATUSES)[number] | null;
  type: string | null;
  endpoint: string | null;
}

export const NO_FILTERS = { status: null, type: null, endpoint: null } as const satisfies DeliveryFilters;

export function hasFilters(filters: DeliveryFilters): boolean {
  return filters.status !== null || filters.type !== null || filters.endpoint !== null;
}

export const PAGE_SIZE = 50;

/** The list's request for a page of the console. */
export function deliveryListRequest(
  place: { appId: string; environment: 'test' | 'live' },
  filters: DeliveryFilters,
) {
  return {
    ...place,
    limit: PAGE_SIZE,
    ...(filters.status ? { status: filters.status } : {}),
    ...(filters.type ? { type: filters.type } : {}),
    ...(filters.endpoint ? { endpointId: filters.endpoint } : {}),
  };
}
