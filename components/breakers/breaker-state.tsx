'use client';

import type { BreakerResource } from '@/server/services/contract';
import { useNow } from '../ui/clock';
import { BreakerChip } from '../ui/status-chip';
import { breakerFace } from './face';

/** The chip of the state as it is now. */
export function BreakerState(props: { breaker: BreakerResource; boxed?: boolean }) {
  return <BreakerChip face={breakerFace(props.breaker, useNow())} boxed={props.boxed} />;
}
