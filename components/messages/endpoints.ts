import { count, figure } from './plural';

export const endpoints = {
  title: 'Endpoints',
  one: 'Endpoint',
  list: 'Endpoints, by number',
  all: 'All endpoints',
  create: 'Create endpoint',
  columns: {
    health: 'Health',
    endpoint: 'Endpoint',
    types: 'Event types',
    pending: 'Pending',
    last: 'Last answer',
    number: 'No.',
  },
  held: 'held',
  reason: {
    breakerUntil: (at: string) => `breaker until ${at}`,
    breakerProbe: 'breaker, probe due',
    since: (at: string) => `since ${at}`,
    until: (at: string) => `until ${at}`,
    byPerson: 'by a person',
    failing: 'failed too long',
    gone: 'answered 410',
  },
  allTypes: 'every type',
  moreTypes: (n: number) => `+${figure(n)}`,
  pendingCount: (n: number, capped: boolean) => `${capped ? 'more than ' : ''}${figure(n)}`,
  openRow: (health: string, name: string) => `${health}: ${name}`,
  emptyTitle: 'No endpoint yet',
  empty: (environment: string) =>
    `An endpoint is a URL of yours that gets the events of the ${environment} environment. Create one here, or with this request and a key of this environment.`,
  emptyStep: 'Create an endpoint',
  mayNot: 'Only admins and owners change endpoints.',
  mayNotTest: 'Viewers cannot send tests.',
  sentence: {
    neverSent: (name: string) =>
      `Nothing has been sent to ${name} yet. Send a test, or publish an event of a type that it gets.`,
    healthy: (name: string) => `${name} is healthy.`,
    nothingWaits: 'Nothing waits.',
    waits: (n: number, capped: boolean) =>
      n === 1
        ? 'One delivery waits for its turn.'
        : `${capped ? 'More than ' : ''}${figure(n)} deliveries wait for their turn.`,
    failing: (name: string, since: string, failures: number, last: string | null) =>
      `${name} has been failing since ${since}: ${failures === 1 ? 'one attempt' : `${figure(failures)} attempts in a row`} failed${last ? `, lately with ${last}` : ''}.`,
    goesOn: 'Each delivery is tried again until its ladder ends. Mend the receiver, then send a test.',
    heldUntil: (held: string, at: string, span: string) =>
      `The breaker holds ${held}; nothing is lost. The next probe goes at ${at}, ${span}.`,
    heldProbe: (held: string) =>
      `The breaker holds ${held} while a probe looks whether it is back; nothing is lost.`,
    heldCount: (n: number, capped: boolean) =>
      n === 0 ? 'what comes' : `${capped ? 'more than ' : ''}${count(n, 'delivery', 'deliveries')}`,
    paused: (name: string, at: string, span: string) =>
      `${name} is paused until ${at}, ${span}. The pause ends by itself.`,
    unsigned: (name: string, since: string) =>
      `The secret of ${name} cannot be opened since ${since}, so nothing is sent unsigned. An operator has been told.`,
    keptBack: (n: number, capped: boolean) =>
      n === 0
        ? 'Nothing waits behind it.'
        : `${capped ? 'More than ' : ''}${count(n, 'delivery waits', 'deliveries wait')}; nothing is lost.`,
    disabled: (name: string) =>
      `${name} is disabled: a person switched it off. New events are not sent to it, and what was pending is skipped.`,
    autoFailing: (name: string, since: string | null) =>
      `${name} was switched off by Hookladder: it failed${since ? ` from ${since} on` : ''} for too long without one success. New events are not sent to it.`,
    autoGone: (name: string) =>
      `${name} was switched off by Hookladder: it answered 410 Gone again and again. New events are not sent to it.`,
  },
  steps: {
    title: 'To bring it back',
    list: [
      'Mend the receiver, or enter its new URL.',
      'Send a test: it goes out although the endpoint is disabled.',
      'Enable the endpoint. Its counters and its own breaker start anew.',
      'Resend what was skipped.',
    ],
    skipped: 'See what was skipped',
  },
  facts: {
    title: 'Facts',
    url: 'URL',
    id: 'Id',
    number: 'Number',
    types: 'Event types',
    scheme: 'Signature scheme',
    policy: 'Policy',
    policyOfApp: 'the app’s',
    concurrency: 'Concurrency',
    concurrencyDefault: 'the server’s default',
    concurrencyOf: (n: number) => `at most ${figure(n)} at a time`,
    headers: 'Own headers',
    headerSet: 'set',
    noHeaders: 'none',
    failures: 'Failed in a row',
    breaker: 'Breaker',
    seeBreaker: 'See the breaker',
    noBreaker: 'none yet: it begins with the first attempt',
    created: 'Created',
    updated: 'Changed',
  },
  recent: {
    title: 'Last deliveries',
    all: 'All deliveries of this endpoint',
    none: 'No delivery yet. The first appears here as it happens.',
  },
  test: {
    button: 'Send test',
    sending: 'Sending…',
    waiting: (name: string) => `A signed webhook.test is on its way to ${name}. Waits for its answer.`,
    ok: (code: number | null, ms: string | null) =>
      `Arrived: the receiver answered ${code ?? 'with success'}${ms ? ` in ${ms}` : ''}.`,
    failed: (code: number, ms: string | null) =>
      `Not accepted: the receiver answered ${code}${ms ? ` in ${ms}` : ''}.`,
    noAnswer: (ms: string | null) => `No answer${ms ? ` after ${ms}` : ''}.`,
    pending:
      'It has not started within 5 s: the endpoint’s slots are taken. It goes out as soon as one is free.',
    retried: 'It is retried as the policy says.',
    notRetried: 'Nothing more is sent while the endpoint is disabled.',
    limited: (at: string, span: string) =>
      `An app sends at most 20 tests a minute. The next can go at ${at}, ${span}.`,
    again: 'Another can go now.',
    failedTitle: 'The test was not sent.',
    delivery: 'See the delivery',
    dismiss: 'Close the answer of the test',
    result: 'Answer of the test',
  },
  enable: 'Enable',
  enabling: 'Enabling…',
  disable: 'Disable',
  disableAsk: {
    title: (name: string) => `Disable ${name}?`,
    action: 'Disable',
    counting: 'Counting what is pending…',
    uncounted: 'What is pending could not be counted. All of it is skipped when its turn comes.',
    skipped: (n: number, capped: boolean) =>
      n === 0
        ? 'Nothing is pending. New events are not sent to it until somebody enables it.'
        : `${capped ? 'More than ' : ''}${count(n, 'pending delivery is', 'pending deliveries are')} skipped when the turn comes. New events are not sent to it until somebody enables it.`,
    after: 'What was skipped is not sent by itself afterwards; it can be resent.',
  },
  edit: 'Edit',
  remove: 'Delete',
  removeAsk: {
    title: (name: string) => `Delete ${name}?`,
    action: 'Delete endpoint',
    counting: 'Counting what is pending…',
    uncounted: 'What is pending could not be counted.',
    pending: (n: number, capped: boolean) =>
      n === 0
        ? 'Nothing is pending.'
        : `${capped ? 'More than ' : ''}${count(n, 'pending delivery is', 'pending deliveries are')} deleted and never sent.`,
    rest: 'Its past deliveries with their attempts, its secret and its breaker go too. The events stay. This cannot be undone.',
  },
  form: {
    newTitle: 'New endpoint',
    editTitle: (name: string) => `Edit ${name}`,
    url: 'URL',
    urlNote: {
      test: 'Where the events go: https, or in this environment http.',
      live: 'Where the events go: https.',
    },
    urlExample: 'https://hooks.example.com/payments',
    name: 'Description',
    nameNote: 'The first line is its name in the console.',
    nameExample: 'shop-eu',
    types: 'Event types',
    typesNote: 'A type, a prefix such as payment.*, or *. Empty: every type.',
    typesPlaceholder: 'every type',
    typesMatch: (n: number, of: number) =>
      n === of
        ? `Gets all ${count(of, 'type')} seen here so far.`
        : `Gets ${figure(n)} of ${count(of, 'type')} seen here so far.`,
    typesUnseen: (filters: string) => `No event of ${filters} has been seen here yet. Check the spelling.`,
    headers: 'Own headers',
    headersNote: 'Sent with every attempt, for instance to authenticate. Values are write-only.',
    headerName: 'Name',
    headerValue: 'Value',
    headerNameOf: (n: number) => `Name of header ${figure(n)}`,
    headerValueOf: (n: number) => `Value of header ${figure(n)}`,
    addHeader: 'Add a header',
    removeHeader: (n: number) => `Remove header ${figure(n)}`,
    headersSet: (n: number) => `${count(n, 'header')} set`,
    replaceHeaders: 'Replace all',
    replaceNote: 'Saving replaces all of them: enter each value anew. With none left, none is sent.',
    keepHeaders: 'Keep them as they are',
    concurrency: 'Concurrency',
    concurrencyNote: 'How many attempts may run at a time, 1 to 64. Empty: the server’s default.',
    submitNew: 'Create endpoint',
    submitEdit: 'Save',
    saving: 'Saving…',
    unchanged: 'Nothing has been changed.',
    saved: (name: string) => `${name} is saved.`,
    problem: 'Not saved.',
    problems: (n: number) => `Not saved: ${count(n, 'field')} to correct.`,
    errors: {
      urlEmpty: 'Enter the URL that should receive the events.',
      urlLong: 'The URL is longer than 2,048 characters. Use a shorter one.',
      nameLong: 'Use at most 1,000 characters.',
      filter: (filter: string) =>
        `${filter} is no filter. Use a type in lower case, a prefix with .* behind it, or *.`,
      filters: 'Use at most 100 filters.',
      concurrency: 'Use a whole number from 1 to 64.',
      headerEmpty: 'Enter a name and a value, or remove the header.',
      headersMany: 'Use at most 20 headers.',
    },
  },
  created: {
    title: (name: string) => `${name} is created`,
    sentence: (n: number) =>
      `It is endpoint ${figure(n)} and gets events from now on. Copy its secret: it is shown this once.`,
    secret: 'Secret',
    secretFor:
      'Every request is signed with it. Your receiver checks the signature to know that a request is ours and unchanged. Keep it on the server, never in a page or an app.',
    next: 'Go to the endpoint',
    leave: 'The secret is not shown again.',
  },
  snippet: {
    title: 'Verify the signature',
    note: (scheme: string) =>
      `Scheme ${scheme}. Check the bytes as they came, before any framework parses them, and keep the event’s id: the same event can come twice.`,
    language: 'Language',
    copy: 'code',
  },
} as const;
