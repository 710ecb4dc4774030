'use client';

import { createContext, type ReactNode, useContext, useSyncExternalStore } from 'react';
import type { Zone } from './format';

const SECOND = 1_000;
const ZONE_KEY = 'hookladder-zone';

/** The server's instant with which the page was drawn; the first paint in the browser repeats it exactly. */
const DrawnAt = createContext(0);

export function ClockProvider({ drawnAt, children }: { drawnAt: number; children: ReactNode }) {
  return <DrawnAt.Provider value={drawnAt}>{children}</DrawnAt.Provider>;
}

function wholeSecond(): number {
  return Math.floor(Date.now() / SECOND) * SECOND;
}

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribeClock(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    for (const wake of listeners) wake();
  }, SECOND);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Now in epoch ms, whole seconds; one timer for the whole page. */
export function useNow(): number {
  const drawnAt = useContext(DrawnAt);
  return useSyncExternalStore(subscribeClock, wholeSecond, () => drawnAt);
}

const zoneListeners = new Set<() => void>();

function readZone(): Zone {
  return window.localStorage.getItem(ZONE_KEY) === 'utc' ? 'utc' : 'local';
}

function subscribeZone(listener: () => void): () => void {
  zoneListeners.add(listener);
  window.addEventListener('storage', listener);
  return () => {
    zoneListeners.delete(listener);
    window.removeEventListener('storage', listener);
  };
}

/** The zone in which instants are shown; UTC on the server, where the reader's is unknown. */
export function useZone(): Zone {
  return useSyncExternalStore(subscribeZone, readZone, () => 'utc' as const);
}

export function setZone(zone: Zone): void {
  window.localStorage.setItem(ZONE_KEY, zone);
  for (const wake of zoneListeners) wake();
}
