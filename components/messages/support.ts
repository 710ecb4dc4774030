import { count, figure } from './plural';

export const support = {
  title: 'Support',
  breakers: 'Breakers that are not closed',
  list: 'Breakers that are not closed, of all merchants',
  emptyTitle: 'Every breaker is closed',
  empty: 'Nothing is held anywhere. A breaker that opens appears here by itself.',
  summary: (n: number, apps: number, held: string) =>
    `${count(n, 'breaker')} not closed at ${count(apps, 'app')}. ${held}`,
  held: (n: number, capped: boolean) =>
    `${capped ? 'More than ' : ''}${figure(n)} ${n === 1 ? 'delivery is' : 'deliveries are'} held; nothing is lost.`,
  forbiddenTitle: 'This page is for support staff',
  forbidden:
    'Your account has no support role on this installation. What concerns your own apps is on their Breakers page.',
  back: 'All breakers that are not closed',
  toConsole: 'Go to the console',
} as const;
