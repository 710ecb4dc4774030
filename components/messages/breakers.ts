import { count, figure } from './plural';

export const breakers = {
  title: 'Breakers',
  one: 'Breaker',
  list: 'Breakers, those that are not closed first',
  all: 'All breakers',
  of: (scope: string) => `Breaker of ${scope}`,
  columns: {
    state: 'State',
    scope: 'Guards',
    window: 'Failed in the window',
    probe: 'Next probe',
    held: 'Held',
    since: 'Open since',
    merchant: 'App',
  },
  wholeApp: 'the whole app',
  appScope: 'All endpoints of the app',
  openRow: (state: string, scope: string) => `${state}: breaker of ${scope}`,
  failed: (failures: number, attempts: number) => `${figure(failures)} of ${figure(attempts)}`,
  percent: (share: number) => `${figure(share)} %`,
  failedWord: 'failed',
  probeWord: 'probe',
  heldWord: 'held',
  noAttempts: 'no attempts',
  probeInFlight: 'in flight',
  probeDue: 'due',
  held: (n: number, capped: boolean) => `${capped ? 'more than ' : ''}${figure(n)}`,
  emptyTitle: 'No breaker yet',
  empty:
    'A breaker watches the attempts to an endpoint and holds its deliveries while nobody answers. The first appears when the first attempt ends.',
  allClosed: (n: number) =>
    n === 1
      ? 'The one breaker is closed: nothing is held.'
      : `All ${figure(n)} breakers are closed: nothing is held.`,
  notClosed: (n: number, of: number, held: string) =>
    `${figure(n)} of ${count(of, 'breaker')} ${n === 1 ? 'is' : 'are'} not closed. ${held}`,
  heldSum: (n: number, capped: boolean) =>
    n === 0
      ? 'Nothing waits behind it yet.'
      : `${capped ? 'More than ' : ''}${count(n, 'delivery is', 'deliveries are')} held; nothing is lost.`,
  sentence: {
    open: (since: string, scope: string) => `Open since ${since}: attempts to ${scope} kept failing.`,
    held: (n: number, capped: boolean) =>
      n === 0
        ? 'Nothing waits behind it.'
        : `${capped ? 'More than ' : ''}${count(n, 'delivery is', 'deliveries are')} held and ${n === 1 ? 'spends' : 'spend'} no attempt; nothing is lost.`,
    probeAt: (at: string, span: string) => `The next probe goes at ${at}, ${span}.`,
    probeDue: 'A probe is due: the next delivery to fall due looks whether it is back.',
    probeInFlight:
      'A probe is on its way. If it is answered, the breaker closes and everything that waits is sent.',
    closedQuiet: (scope: string, window: string) =>
      `Closed. No attempt to ${scope} has ended in the last ${window}.`,
    closed: (scope: string, window: string, failures: number, attempts: number) =>
      `Closed. In the last ${window} ${figure(failures)} of ${count(attempts, 'attempt')} to ${scope} failed.`,
    opensAfter: (n: number) =>
      n === 1 ? 'The next failure opens it.' : `${figure(n)} more failures in a row would open it.`,
  },
  machine: {
    title: 'State',
    picture: (state: string) => `Closed, open, half open. Now ${state}.`,
    closed: 'closed',
    closedNote: 'everything is sent',
    open: 'open',
    openNote: 'everything is held',
    half_open: 'half open',
    half_openNote: 'one probe at a time',
    trips: (ratio: number, min: number, window: string) => [
      `≥ ${figure(ratio)} % of ≥ ${figure(min)} attempts`,
      `failed in ${window}`,
    ],
    waits: 'pause over',
    fails: ['probe failed:', 'pause doubles'],
    recovers: 'probe answered: everything held is sent',
  },
  window: {
    title: (window: string) => `Window: the last ${window}`,
    attempts: 'Attempts ended',
    failures: 'Of them failed',
    attemptsOf: (n: number, min: number) => `${figure(n)}, decides from ${figure(min)}`,
    failuresOf: (n: number, share: number, threshold: number) =>
      `${figure(n)}, ${figure(share)} %; opens at ${figure(threshold)} %`,
    notCounted: 'While it is not closed, attempts do not count here.',
  },
  ladder: {
    title: 'Pause',
    list: 'Pauses, one for each failed probe',
    more: 'and again',
    untilProbe: 'Next probe',
    notNow: 'Not pausing.',
    first: 'after opening',
    nth: (n: number) => `probe ${figure(n)} failed`,
  },
  opened: {
    title: 'Why it opened',
    titleClosed: 'Failures in the window',
    times: (n: number, answer: string) => `${figure(n)} × ${answer}`,
    lead: (n: number, window: string, answers: string) =>
      `${count(n, 'failed attempt')} within ${window} opened it: ${answers}.`,
    none: 'The attempts that opened it are no longer kept.',
    noneClosed: 'No failure in the window.',
    columns: {
      at: 'Ended',
      answer: 'Answer',
      duration: 'Duration',
      delivery: 'Delivery',
      message: 'Message',
    },
    more: (n: number) => `Show ${figure(n)} more`,
  },
  facts: {
    title: 'Held',
    held: 'Held now',
    since: 'Waiting since',
    nothing: 'nothing',
    endpoint: 'Endpoint',
    app: 'App',
    id: 'Id',
    opened: 'Open since',
    deliveries: 'See them',
  },
  history: {
    title: 'History',
    none: 'Nothing yet: it has been closed since its first attempt.',
    by: (actor: string) => `by ${actor}`,
    paused: (span: string) => `pause ${span}`,
    probeAt: 'next probe',
    kinds: {
      opened: 'opened',
      probe_leased: 'probe sent',
      probe_failed: 'probe failed',
      probe_postponed: 'probe put off',
      turn_given_back: 'probe given back',
      closed: 'closed by a probe',
      reset: 'reset by hand',
      probe_due_now: 'probe brought forward',
    },
  },
  reset: {
    button: 'Reset breaker',
    short: 'Reset',
    ofRow: (scope: string) => `Reset the breaker of ${scope}`,
    merchant:
      'Support resets breakers; it closes by itself with the first probe that is answered. Mend the receiver and send a test: an answer makes the next probe due at once.',
    closed: 'It is closed already.',
    title: (scope: string) => `Reset the breaker of ${scope}?`,
    action: 'Reset',
    willClose: 'The breaker closes now; its window and its pause start anew.',
    willSend: (n: number, capped: boolean) =>
      n === 0
        ? 'Nothing is held, so nothing is sent by this.'
        : `${capped ? 'More than ' : ''}${count(n, 'held delivery goes', 'held deliveries go')} out as fast as the endpoint’s slots allow. Each failure spends an attempt.`,
    willReopen: (min: number, ratio: number, window: string) =>
      `If the receiver still does not answer, it opens again after ${count(min, 'attempt')} in ${window} of which ${figure(ratio)} % failed.`,
    willReopenPlain: 'If the receiver still does not answer, it opens again.',
    reason: 'Reason',
    reasonNote: 'Kept in the audit log with your name.',
    reasonMissing: 'Say why: the reason is kept in the audit log.',
    done: (scope: string) => `The breaker of ${scope} is closed.`,
  },
} as const;
