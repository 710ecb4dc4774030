/**
 * Invariant: a sealed value opens only under the row it was sealed for; nothing sealed is ever opened by guessing
 * a key (R-SIG-3, D21, D22).
 */
import type { SealedValue } from '@/server/ports/records';

/** `unknown_key`: the key id is not among ours; `broken`: the bytes or the row's identity do not fit. */
export type Opened = { ok: true; plain: string } | { ok: false; why: 'unknown_key' | 'broken' };

export interface SecretBox {
  /** The id of the key that seals now; rows under another are sealed anew when the master key rotates (D22). */
  readonly currentKeyId: string;
  /** Seals text for a row, whose identity (core's sealed-identity) is the associated data. */
  seal(plain: string, identity: string): SealedValue;
  /** Opens it again for the same row; never throws (R-ATT-9). */
  open(sealed: SealedValue, identity: string): Opened;
}
