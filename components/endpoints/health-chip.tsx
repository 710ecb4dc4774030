'use client';

import { useNow, useZone } from '../ui/clock';
import { LookChip } from '../ui/status-chip';
import { HEALTH_LOOKS, type Health, type HealthEndpoint, healthReason } from './health';

/** The health pill: the word, then since when, until when or why. */
export function HealthChip(props: { endpoint: HealthEndpoint; health: Health; boxed?: boolean }) {
  const at = { now: useNow(), zone: useZone() };
  return (
    <LookChip
      look={HEALTH_LOOKS[props.health.face]}
      reason={healthReason(props.endpoint, props.health, at)}
      boxed={props.boxed}
    />
  );
}
