import { count, figure } from './plural';

export const deliveries = {
  title: 'Deliveries',
  one: 'Delivery',
  list: 'Deliveries, newest first',
  columns: {
    status: 'Status',
    type: 'Event type',
    endpoint: 'Endpoint',
    budget: 'Attempts',
    result: 'Last answer',
    next: 'Next',
    time: 'Created',
  },
  filters: {
    status: 'Status',
    type: 'Type',
    endpoint: 'Endpoint',
    typePlaceholder: 'Event type',
    endpointPlaceholder: 'Endpoint',
  },
  emptyTitle: 'No delivery yet',
  empty: (environment: string) =>
    `Publish an event in ${environment}, and its deliveries appear here as they happen. Nothing needs to be reloaded.`,
  emptyStep: 'Publish an event',
  noEndpoint: 'no endpoint',
  endpointNumber: (n: number) => `endpoint ${n}`,
  budget: (used: number, of: number) => `${figure(used)}/${figure(of)}`,
  attemptsUsed: (used: number, of: number) => `${figure(used)} of ${count(of, 'attempt')} used`,
  firstTry: 'first try',
  heldUntil: (what: string, at: string) => `${what} until ${at}`,
  openRow: (status: string, type: string, endpoint: string) => `${status}: ${type} to ${endpoint}`,
  titleOf: (type: string, endpoint: string) => `${type} to ${endpoint}`,
  notFound: 'There is no delivery with this id in this environment.',
} as const;
