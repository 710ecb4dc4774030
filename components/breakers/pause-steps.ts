/** R-BRK-2: the pauses of a breaker as steps, and how far the present one has run. Lengths in ms. */

export type StepState = 'past' | 'now' | 'ahead';

export interface PauseStep {
  pauseMs: number;
  state: StepState;
  /** How many probes failed before this pause began. */
  failed: number;
}

/** The steps with the present one lit; a pause between two steps (a changed policy) lights the next longer one. */
export function pauseSteps(pausesMs: readonly number[], presentMs: number | null): PauseStep[] {
  const at = presentMs === null ? -1 : presentStep(pausesMs, presentMs);
  return pausesMs.map((pauseMs, index) => ({
    pauseMs,
    failed: index,
    state: index === at ? 'now' : index < at ? 'past' : 'ahead',
  }));
}

function presentStep(pausesMs: readonly number[], presentMs: number): number {
  const at = pausesMs.findIndex((pause) => pause >= presentMs);
  return at < 0 ? pausesMs.length - 1 : at;
}

/** How much of the pause has passed, 0–1; a probe that was put off or brought forward moves its end alone. */
export function pauseElapsed(pause: { pauseMs: number; probeAt: number; now: number }): number {
  if (pause.pauseMs <= 0) return 1;
  const left = Math.max(0, pause.probeAt - pause.now);
  return Math.min(1, Math.max(0, 1 - left / pause.pauseMs));
}
