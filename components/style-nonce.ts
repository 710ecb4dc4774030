'use client';

import { useEffect } from 'react';

/**
 * What locks scrolling behind a dialog writes a style element of its own; it takes the policy's nonce from this name
 * of the window, and without it the policy stops it.
 */
export function useStyleNonce(nonce: string | undefined): void {
  useEffect(() => {
    Object.assign(window, { __webpack_nonce__: nonce });
  }, [nonce]);
}
