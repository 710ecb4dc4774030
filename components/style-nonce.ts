'use client';

import { useEffect, useState } from 'react';

/**
 * What locks scrolling behind a dialog writes a style element of its own; it takes the policy's nonce from this name
 * of the window, and without it the policy stops it. The first nonce counts: a document keeps the policy it came with.
 */
export function useStyleNonce(nonce: string | undefined): void {
  const [first] = useState(nonce);
  useEffect(() => {
    Object.assign(window, { __webpack_nonce__: first });
  }, [first]);
}
