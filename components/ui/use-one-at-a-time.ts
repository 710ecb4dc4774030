'use client';

import { useEffect, useRef } from 'react';

/**
 * One run at a time, with a pause after each; whatever is asked for meanwhile becomes one run more.
 * `work` must not reject.
 */
export function useOneAtATime(work: () => Promise<void>, pauseMs: number): () => void {
  const state = useRef({ busy: false, again: false });
  const latest = useRef(work);
  useEffect(() => {
    latest.current = work;
  });
  const run = useRef(() => {
    if (state.current.busy) {
      state.current.again = true;
      return;
    }
    state.current.busy = true;
    void latest.current().then(() =>
      setTimeout(() => {
        state.current.busy = false;
        if (!state.current.again) return;
        state.current.again = false;
        run.current();
      }, pauseMs),
    );
  });
  return () => run.current();
}
