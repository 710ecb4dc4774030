// Invariant: hashing here names content, for comparing; keys and signatures have files of their own.
import { createHash } from 'node:crypto';

/** SHA-256 over the parts one after the other, hex in lower case; text counts as UTF-8. */
export function sha256Hex(...parts: readonly (Uint8Array | string)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}
