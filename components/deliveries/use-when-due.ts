'use client';

import { useEffect, useEffectEvent, useState } from 'react';
import type { DeliveryResource } from '@/server/services/contract';
import { untilDue } from './until-due';

/**
 * Runs `refresh` when the turn of a shown delivery has come. To hold one writes nothing (R-BRK-9), so no tick tells
 * that what was to be retried is held by now.
 */
export function useWhenDue(deliveries: readonly DeliveryResource[], refresh: () => void): void {
  const [turn, setTurn] = useState(0);
  const run = useEffectEvent(refresh);
  const instants = deliveries
    .filter((delivery) => delivery.status === 'pending' && !delivery.in_flight)
    .map((delivery) => (delivery.held_by ? delivery.held_until : delivery.next_attempt_at))
    .filter((at) => at !== null)
    .join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: each turn waits for the next instant
  useEffect(() => {
    const wait = untilDue(instants === '' ? [] : instants.split(',').map(Date.parse), Date.now());
    if (wait === null) return;
    const timer = setTimeout(() => {
      run();
      setTurn((before) => before + 1);
    }, wait);
    return () => clearTimeout(timer);
  }, [instants, turn]);
}
