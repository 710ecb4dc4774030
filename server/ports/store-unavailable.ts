// Invariant: thrown only when the transaction left nothing behind, so that the caller may try the same again later.

export type StoreFault = 'busy' | 'full' | 'io' | 'closed';

/** The store could not write now: another process holds it, the disk is full or failing, or it is closed. */
export class StoreUnavailable extends Error {
  readonly code = 'store_unavailable';

  constructor(
    readonly fault: StoreFault,
    cause?: unknown,
  ) {
    super(`The store cannot write now (${fault}).`, { cause });
    this.name = 'StoreUnavailable';
  }
}
