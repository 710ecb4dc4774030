'use client';

import type { BreakerResource } from '@/server/services/contract';
import { t } from '../messages';
import type { Column } from '../ui/data-table';
import { Countdown, RelativeTime } from '../ui/time';
import { BreakerState } from './breaker-state';
import classes from './breakers.module.css';
import { isCapped } from './sentence';
import { failedPercent } from './window';

const words = t.breakers;

export function WindowCell({ breaker }: { breaker: BreakerResource }) {
  const { window } = breaker;
  if (breaker.state !== 'closed') return null;
  if (window.attempts === 0) return <span className={classes.quiet}>{words.noAttempts}</span>;
  return (
    <span className={window.failures === 0 ? classes.quiet : undefined}>
      {words.failed(window.failures, window.attempts)}
      <span className={classes.phoneWord}> {words.failedWord}</span>
      <span className={classes.quiet}> · {words.percent(failedPercent(window))}</span>
    </span>
  );
}

export function ProbeCell({ breaker }: { breaker: BreakerResource }) {
  if (breaker.state === 'closed') return null;
  return (
    <span className={breaker.probe_in_flight ? classes.probing : undefined}>
      <span className={classes.phoneWord}>{words.probeWord} </span>
      {breaker.probe_in_flight ? words.probeInFlight : <Due at={breaker.probe_at} />}
    </span>
  );
}

function Due({ at }: { at: string | null }) {
  return at === null ? words.probeDue : <Countdown at={at} />;
}

export function HeldCell({ breaker }: { breaker: BreakerResource }) {
  if (breaker.state === 'closed') return null;
  return (
    <span className={breaker.held === 0 ? classes.quiet : undefined}>
      {words.held(breaker.held, isCapped(breaker.held))}
      <span className={classes.phoneWord}> {words.heldWord}</span>
    </span>
  );
}

export function SinceCell({ breaker }: { breaker: BreakerResource }) {
  if (breaker.state === 'closed' || breaker.opened_at === null) return null;
  return (
    <span className={classes.quiet}>
      <RelativeTime at={breaker.opened_at} />
    </span>
  );
}

/** State, what it guards, how near or how long, what waits. */
export function breakerColumns(
  scopeOf: (breaker: BreakerResource) => string,
): readonly Column<BreakerResource>[] {
  const { columns } = words;
  return [
    {
      key: 'state',
      header: columns.state,
      width: 'var(--w-endpoint)',
      phone: 'line',
      cell: (breaker) => <BreakerState breaker={breaker} />,
    },
    { key: 'scope', header: columns.scope, phone: 'line', cell: scopeOf },
    {
      key: 'window',
      header: columns.window,
      width: 'var(--w-result)',
      phone: 'line',
      cell: (breaker) => <WindowCell breaker={breaker} />,
    },
    {
      key: 'probe',
      header: columns.probe,
      width: 'var(--w-next)',
      phone: 'line',
      cell: (breaker) => <ProbeCell breaker={breaker} />,
    },
    {
      key: 'since',
      header: columns.since,
      width: 'var(--w-budget)',
      phone: 'corner',
      cell: (breaker) => <SinceCell breaker={breaker} />,
    },
    {
      key: 'held',
      header: columns.held,
      width: 'var(--w-time)',
      align: 'right',
      phone: 'end',
      cell: (breaker) => <HeldCell breaker={breaker} />,
    },
  ];
}

/** Changes when anything does that a reader would want to notice. */
export function breakerFingerprint(breaker: BreakerResource): string {
  return [breaker.state, breaker.opened_at, breaker.probe_in_flight].join();
}
