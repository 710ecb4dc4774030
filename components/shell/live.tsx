'use client';

import { useDocumentVisibility } from '@mantine/hooks';
import { useSubscription } from '@trpc/tanstack-react-query';
import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useEffectEvent,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useTRPC } from '../trpc';
import { usePlace } from './place';

export type LiveState = 'connected' | 'connecting' | 'paused';

interface Live {
  state: LiveState;
  toggle: () => void;
  /** Calls back with each tick; returns how to stop. */
  listen: (callback: () => void) => () => void;
}

const LiveContext = createContext<Live | null>(null);

/** What the server may take to draw a page that is gone to: a tick of that time may be missing in it. */
const DRAWING_MS = 10_000;

/** One stream for the page, open while the tab is visible: a browser allows six per server. */
export function LiveProvider({ children }: { children: ReactNode }) {
  const place = usePlace();
  const trpc = useTRPC();
  const visible = useDocumentVisibility() !== 'hidden';
  const [paused, setPaused] = useState(false);
  const callbacks = useRef(new Set<() => void>());
  const toldAt = useRef(0);
  const tell = () => {
    toldAt.current = Date.now();
    for (const callback of callbacks.current) callback();
  };
  const stream = useSubscription(
    trpc.live.changes.subscriptionOptions(place, {
      enabled: visible && !paused,
      onData: tell,
      // Between the drawing of a page and its stream, as between two streams, something may have happened.
      onStarted: tell,
    }),
  );
  const connected = stream.status === 'pending';
  const live = useMemo<Live>(
    () => ({
      state: paused ? 'paused' : connected ? 'connected' : 'connecting',
      toggle: () => setPaused((was) => !was),
      listen: (callback) => {
        callbacks.current.add(callback);
        if (Date.now() - toldAt.current < DRAWING_MS) callback();
        return () => callbacks.current.delete(callback);
      },
    }),
    [paused, connected],
  );
  return <LiveContext.Provider value={live}>{children}</LiveContext.Provider>;
}

export function useLive(): Live {
  const live = useContext(LiveContext);
  if (!live) throw new Error('useLive stands outside LiveProvider');
  return live;
}

/** Runs with each tick of the stream: something of this app and environment changed. */
export function useLiveTick(callback: () => void): void {
  const { listen } = useLive();
  const run = useEffectEvent(callback);
  useEffect(() => listen(() => run()), [listen]);
}
