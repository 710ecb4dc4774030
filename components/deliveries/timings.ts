import type { AttemptResource } from '@/server/services/contract';

export type Phase = 'dns' | 'connect' | 'tls' | 'wait' | 'rest';

export interface PhaseLength {
  phase: Phase;
  ms: number;
  /** Of the whole, 0–1. */
  share: number;
}

/**
 * Lengths of an attempt's phases in ms, in order; they add up to its duration. `first_byte_ms` counts from the
 * beginning, so that waiting for the answer is what connecting has left of it. A phase that did not happen is
 * left out.
 */
export function phasesOf(attempt: Pick<AttemptResource, 'timing' | 'duration_ms'>): readonly PhaseLength[] {
  const { dns_ms: dns, connect_ms: connect, tls_ms: tls, first_byte_ms: firstByte } = attempt.timing;
  const setUp = (dns ?? 0) + (connect ?? 0) + (tls ?? 0);
  const total = Math.max(attempt.duration_ms, setUp, firstByte ?? 0);
  const wait = firstByte === null ? null : Math.max(0, firstByte - setUp);
  const rest = total - setUp - (wait ?? 0);
  const lengths: [Phase, number | null][] = [
    ['dns', dns],
    ['connect', connect],
    ['tls', tls],
    ['wait', wait],
    ['rest', rest > 0 ? rest : null],
  ];
  return lengths.flatMap(([phase, ms]) =>
    ms === null ? [] : [{ phase, ms, share: total > 0 ? ms / total : 0 }],
  );
}
