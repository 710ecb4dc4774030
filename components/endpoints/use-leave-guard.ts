'use client';

import { useWindowEvent } from '@mantine/hooks';

/** The browser asks before the tab is closed or loaded anew while something would be lost. */
export function useLeaveGuard(wouldLose: boolean): void {
  useWindowEvent('beforeunload', (event) => {
    if (wouldLose) event.preventDefault();
  });
}
