/** Invariant: no two labels that are kept overlap, and none leaves the picture. Lengths in CSS pixels. */

export interface Label {
  key: string;
  /** Where its middle would like to be. */
  x: number;
  text: string;
  /** Lower is kept first. */
  rank: number;
}

export interface PlacedLabel extends Label {
  /** Where its middle is, pushed in from the picture's edges. */
  middle: number;
}

/** Width of a text in a face whose figures are all `em` wide; a guess for the others, on the wide side. */
export function textWidth(text: string, em: number): number {
  return text.length * em;
}

/** Keeps labels by rank and drops each that would touch one already kept. */
export function fitLabels(
  labels: readonly Label[],
  { width, edge = 0, em, air }: { width: number; edge?: number; em: number; air: number },
): PlacedLabel[] {
  const kept: (PlacedLabel & { half: number })[] = [];
  const order = labels.map((label, index) => ({ label, index }));
  order.sort((a, b) => a.label.rank - b.label.rank || a.index - b.index);
  for (const { label } of order) {
    const half = textWidth(label.text, em) / 2;
    if (2 * half > width - 2 * edge) continue;
    const middle = Math.min(Math.max(label.x, edge + half), width - edge - half);
    const touches = kept.some((other) => Math.abs(other.middle - middle) < other.half + half + air);
    if (!touches) kept.push({ ...label, middle, half });
  }
  return kept.map(({ half: _half, ...label }) => label).sort((a, b) => a.middle - b.middle);
}
