// Invariant: one wide line per attempt, with ids and the decision, without a URL, a body or a secret.
import type { Logger } from '@/server/ports/logger';
import type { Settled, SettleEnd } from '@/server/ports/store';

/** The engine's event log. An internal error of ours is an error line, so that it alarms. */
export function logAttempt(log: Logger, end: SettleEnd, decision: Settled['decision']) {
  const fields = {
    app: end.appId,
    env: end.environment,
    endpoint: end.endpointId,
    delivery: end.deliveryId,
    number: end.number,
    trigger: end.trigger,
    outcome: decision.outcome,
    code: decision.statusCode ?? undefined,
    error_class: decision.errorClass ?? undefined,
    ms: end.durationMs,
    status: decision.delivery?.status,
    next_at: decision.delivery?.dueAt ?? undefined,
    breaker: decision.breakerEvents.length > 0 ? decision.breakerEvents : undefined,
    dropped: decision.dropped ?? undefined,
  };
  if (decision.errorClass === 'internal') log.error('attempt', fields);
  else log.info('attempt', fields);
}
