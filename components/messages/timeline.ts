import { count } from './plural';

export const timeline = {
  title: 'Timeline',
  view: 'How the timeline is shown',
  picture: 'Picture',
  table: 'Table',
  pictureLabel: (past: number, planned: number) =>
    `Timeline: ${count(past, 'attempt')} made, ${count(planned, 'attempt')} planned`,
  published: 'published',
  now: 'now',
  attempt: (n: number) => `Attempt ${n}`,
  planned: 'planned attempt',
  probe: 'probe',
  inFlight: 'in flight',
  notBefore: (at: string) => `not before ${at}`,
  step: (ladder: string, n: number) => `${ladder} ${n}`,
  cycle: (n: number) => `cycle ${n}`,
  walls: { slow_window: 'slow window ends', max_age: 'maximum age' },
  silence: { breaker: 'held by breaker', pause: 'paused', unsigned: 'not signed' },
  silenceUntil: (what: string, until: string) => `${what} until ${until}`,
  silenceOpen: (what: string) => `${what}, no end set`,
  since: (from: string) => `since ${from}`,
  range: (from: string, to: string) => `${from} to ${to}`,
  columns: {
    at: 'When',
    what: 'What',
    result: 'Result',
    ladder: 'Ladder',
    relative: 'From now',
  },
} as const;
