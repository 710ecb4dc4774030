import { count, figure } from './plural';

export const common = {
  product: 'Hookladder',
  actions: {
    cancel: 'Cancel',
    close: 'Close',
    copy: 'Copy',
    copied: 'Copied',
    tryAgain: 'Try again',
    clearFilters: 'Clear filters',
    loadMore: 'Load more',
    openPage: 'Open as a page',
    back: 'Back',
  },
  copyOf: (what: string) => `Copy ${what}`,
  none: '—',
  loading: 'Loading',
  requestId: (id: string) => `Request ${id}`,
  requestIdName: 'request id',
  errors: {
    title: 'This could not be loaded',
    unreachable: 'The server cannot be reached. What you see may be out of date; nothing is lost.',
    notFoundTitle: 'There is nothing here',
    notFound: 'The address is wrong, the thing was deleted, or it belongs to another organization.',
    forbidden: 'Your role does not include this. An admin of your organization can change that.',
    internal:
      'The server met an error of its own and has recorded it. Try again; if it repeats, name the request.',
    toStart: 'Go to the start',
  },
  time: {
    now: 'now',
    ago: (span: string) => `${span} ago`,
    in: (span: string) => `in ${span}`,
    dueNow: 'due now',
    until: (at: string) => `until ${at}`,
  },
  list: {
    newer: (n: number, more: boolean) => `${figure(n)}${more ? '+' : ''} new`,
    showNewer: (n: number, more: boolean) =>
      more ? `Show more than ${figure(n)} new rows` : `Show ${count(n, 'new row')}`,
    end: 'That is all.',
    shown: (n: number) => `${count(n, 'row')} shown`,
    filter: 'Filter',
    addFilter: 'Add filter',
    anyValue: 'any',
    removeFilter: (name: string, value: string) => `Remove the filter ${name}: ${value}`,
    filters: 'Filters',
    noMatchTitle: 'Nothing matches these filters',
    noMatch: 'Remove one of them, or clear them all.',
  },
  environment: { test: 'test', live: 'live' },
  environmentNote: {
    test: 'Test environment: nothing here moves money',
    live: 'Live environment',
  },
  money: 'Money event: it reports an actual movement of money',
  body: {
    raw: 'Exact bytes',
    pretty: 'Pretty',
    view: 'How the body is shown',
    size: (bytes: number) => count(bytes, 'byte'),
    empty: 'No body',
    binary: (bytes: number) => `${count(bytes, 'byte')} that are not text. Shown as base64.`,
    copy: 'Copy exact bytes',
    prettyNote:
      'Line breaks and spaces are added for reading. The bytes that are sent and signed stay as they are.',
    region: 'Body, as text',
    wrap: 'Wrap',
  },
  confirm: {
    typeToConfirm: (name: string) => `Type ${name} to confirm`,
  },
} as const;
