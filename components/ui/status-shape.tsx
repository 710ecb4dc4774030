import type { Shape, Tone } from './status';
import classes from './status.module.css';

/** A pie slice from twelve o'clock, clockwise, inside the ring. */
function slice(share: number): string {
  const angle = Math.min(0.999, share) * 2 * Math.PI;
  const x = (8 + 3.6 * Math.sin(angle)).toFixed(2);
  const y = (8 - 3.6 * Math.cos(angle)).toFixed(2);
  return `M8 8 L8 4.4 A3.6 3.6 0 ${share > 0.5 ? 1 : 0} 1 ${x} ${y} Z`;
}

/** The drawing alone, in a 16 × 16 field; `fill` is the used share of a ring. */
export function ShapeGlyph({ shape, fill = 0 }: { shape: Shape; fill?: number }) {
  switch (shape) {
    case 'dot':
      return <circle cx="8" cy="8" r="4.5" fill="currentColor" />;
    case 'ring':
      return (
        <>
          <circle cx="8" cy="8" r="5.75" fill="none" stroke="currentColor" strokeWidth="1.5" />
          {fill > 0 && <path d={slice(fill)} fill="currentColor" />}
        </>
      );
    case 'bars':
      return (
        <>
          <rect x="4" y="3" width="3" height="10" rx="1" fill="currentColor" />
          <rect x="9" y="3" width="3" height="10" rx="1" fill="currentColor" />
        </>
      );
    case 'cross':
      return (
        <>
          <circle cx="8" cy="8" r="6.5" fill="currentColor" />
          <path
            className={classes.cut}
            d="M5.6 5.6 L10.4 10.4 M10.4 5.6 L5.6 10.4"
            strokeWidth="1.6"
            strokeLinecap="round"
          />
        </>
      );
    case 'dash':
      return (
        <>
          <circle cx="8" cy="8" r="5.75" fill="none" stroke="currentColor" strokeWidth="1.5" />
          <path d="M5.5 8 H10.5" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" />
        </>
      );
    case 'half':
      return (
        <>
          <circle cx="8" cy="8" r="5.75" fill="none" stroke="currentColor" strokeWidth="1.5" />
          <path d="M8 2.25 A5.75 5.75 0 0 1 8 13.75 Z" fill="currentColor" />
        </>
      );
    default: {
      const never: never = shape;
      return never;
    }
  }
}

export interface StatusShapeProps {
  shape: Shape;
  tone: Tone;
  fill?: number;
  moving?: boolean;
}

/** A status's shape, never without a word beside it or in its label. */
export function StatusShape({ shape, tone, fill, moving }: StatusShapeProps) {
  return (
    <svg
      className={classes.shape}
      data-tone={tone}
      data-moving={moving || undefined}
      viewBox="0 0 16 16"
      aria-hidden="true"
    >
      <ShapeGlyph shape={shape} fill={fill} />
    </svg>
  );
}
