import type { Key, WalkKind } from './claim-heads';

/** What a claim's plan asked for and the scene did not hold. */
export type Want =
  | { kind: 'heads'; of: WalkKind; from: Key }
  | { kind: 'tests' }
  | { kind: 'lane'; endpointId: number }
  | { kind: 'hold'; endpointId: number }
  | { kind: 'holdBreaker'; id: number }
  | { kind: 'rows'; of: WalkKind; endpointId: number }
  | { kind: 'row'; id: number }
  | { kind: 'nextDue'; of: WalkKind; endpointId: number }
  | { kind: 'candidates'; of: WalkKind; endpointId: number }
  | { kind: 'extensions'; endpointId: number };

/** Thrown out of a plan, which is then begun anew with what was missing. */
export class Missing extends Error {
  constructor(readonly want: Want) {
    super(`not read yet: ${want.kind}`);
  }
}

/** @throws Missing */
export function known<T>(value: T | undefined, want: Want): T {
  if (value === undefined) throw new Missing(want);
  return value;
}
