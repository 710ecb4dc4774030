// The id that an answer, its log lines and its audit entry share.
import { makeId } from '@/server/core/ids';
import type { ServiceDeps } from './deps';

/** A new id for a request; what a caller sends as one is never believed. */
export function newRequestId(deps: Pick<ServiceDeps, 'clock' | 'random'>): string {
  return makeId('req', deps.clock.now(), deps.random.bytes(10));
}
