import type { DeliveryResource } from '@/server/services/contract';
import {
  BREAKER_LOOKS,
  type BreakerFace,
  DELIVERY_LOOKS,
  deliveryFace,
  deliveryReason,
  type Look,
  ladderShare,
} from './status';
import classes from './status.module.css';
import { StatusShape } from './status-shape';

interface LookChipProps {
  look: Look;
  reason?: string | null;
  fill?: number;
  moving?: boolean;
  boxed?: boolean;
}

/** Shape, word and, quieter, the reason. */
export function LookChip({ look, reason, fill, moving, boxed }: LookChipProps) {
  return (
    <span className={classes.chip} data-boxed={boxed || undefined}>
      <StatusShape shape={look.shape} tone={look.tone} fill={fill} moving={moving} />
      <span className={classes.word} data-tone={look.tone}>
        {look.word}
      </span>
      {reason ? <span className={classes.reason}>{reason}</span> : null}
    </span>
  );
}

type ChipDelivery = Pick<DeliveryResource, 'status' | 'reason' | 'held_by' | 'in_flight' | 'fast' | 'slow'>;

export function DeliveryChip({ delivery, boxed }: { delivery: ChipDelivery; boxed?: boolean }) {
  const face = deliveryFace(delivery);
  return (
    <LookChip
      look={DELIVERY_LOOKS[face]}
      reason={deliveryReason(delivery)}
      fill={ladderShare(delivery)}
      moving={face === 'in_flight'}
      boxed={boxed}
    />
  );
}

export function BreakerChip({
  face,
  reason,
  boxed,
}: {
  face: BreakerFace;
  reason?: string;
  boxed?: boolean;
}) {
  return <LookChip look={BREAKER_LOOKS[face]} reason={reason} boxed={boxed} />;
}
