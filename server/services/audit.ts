// The audit log: who did what to which object, denied ones too (D37). Never a secret, never a payload.
import type { Environment } from '@/server/core/model';
import type { AppRow, AuditRow } from '@/server/ports/records';
import { type Actor, actorId } from './actor';
import type { ServiceDeps } from './deps';
import type { Denial } from './service-error';

/** How a command stands in the log. */
export interface AuditRule<R, I> {
  /** `endpoint.created`, `delivery.resent` … */
  action: string;
  /** The public id of what it was done to. */
  object(result: R, input: I): string | null;
  /** Small, without secrets. */
  detail?(result: R, input: I): Record<string, unknown>;
}

interface Recorded {
  actor: Actor;
  requestId: string;
  now: number;
  input: unknown;
  organizationId?: string;
  app?: AppRow;
  environment?: Environment | null;
}

/** The line of a command that has succeeded. */
export function auditRow<R, I>(rule: AuditRule<R, I>, context: Recorded & { input: I }, result: R): AuditRow {
  return {
    organizationId: context.app?.organizationId ?? context.organizationId ?? ownOrganization(context.actor),
    appId: context.app?.id ?? null,
    environment: context.environment ?? null,
    at: context.now,
    actorKind: context.actor.kind,
    actorId: actorId(context.actor),
    action: rule.action,
    objectId: rule.object(result, context.input),
    result: 'ok',
    requestId: context.requestId,
    detail: rule.detail?.(result, context.input) ?? {},
  };
}

interface Caller {
  actor: Actor;
  deps: ServiceDeps;
  requestId: string;
}

/**
 * Notes a refusal. It is not waited for: a foreign id must not take longer to answer than an unknown one (D02).
 */
export function recordDenial(caller: Caller, action: string, denial: Denial): void {
  const { actor, deps, requestId } = caller;
  const row: AuditRow = {
    organizationId: denial.organizationId ?? ownOrganization(actor),
    appId: denial.appId,
    environment: actor.kind === 'key' ? actor.environment : null,
    at: deps.clock.now(),
    actorKind: actor.kind,
    actorId: actorId(actor),
    action,
    objectId: denial.objectId,
    result: 'denied',
    requestId,
    detail: {},
  };
  deps.store
    .transact((tx) => tx.insertAudit(row))
    .catch((cause: unknown) => deps.log.error('audit.denial_not_written', { action, requestId, cause }));
}

function ownOrganization(actor: Actor): string | null {
  return actor.kind === 'key' ? actor.organizationId : null;
}
