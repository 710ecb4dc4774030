import type { InferInsertModel, InferSelectModel } from 'drizzle-orm';
import type { EndpointHealth } from '@/server/core/model';
import type {
  AttemptRow,
  DeliveryRow,
  EndpointRow,
  EventRow,
  Lease,
  SealedValue,
  SecretRow,
} from '@/server/ports/records';
import type { Schema } from '../schema/tables';

type Selected<T extends keyof Schema> = InferSelectModel<Schema[T]>;

/** The row, or the error that says that its lease is incomplete. */
function leaseOf(row: Selected<'deliveries'>): Lease | null {
  const { leaseToken, leaseUntil, leaseNumber, leaseCycle, leaseTrigger, leaseStartedAt } = row;
  if (leaseToken === null || leaseUntil === null) return null;
  return {
    token: leaseToken,
    until: leaseUntil,
    number: leaseNumber ?? row.attempts + 1,
    cycle: leaseCycle ?? row.cycle,
    trigger: leaseTrigger ?? row.nextTrigger,
    actor: row.leaseActor,
    epoch: row.leaseEpoch,
    probe: row.leaseProbe ?? false,
    startedAt: leaseStartedAt ?? row.createdAt,
  };
}

export function deliveryRow(row: Selected<'deliveries'>): DeliveryRow {
  const {
    leaseToken: _token,
    leaseUntil: _until,
    leaseNumber: _number,
    leaseCycle: _cycle,
    leaseTrigger: _trigger,
    leaseActor: _actor,
    leaseEpoch: _epoch,
    leaseProbe: _probe,
    leaseStartedAt: _startedAt,
    ...rest
  } = row;
  return { ...rest, lease: leaseOf(row) };
}

export function endpointRow(row: Selected<'endpoints'>): EndpointRow {
  const { sealedHeaders, sealedHeadersKey, ...rest } = row;
  return { ...rest, sealedHeaders: sealedValue(sealedHeadersKey, sealedHeaders) };
}

function sealedValue(keyId: string | null, ciphertext: Uint8Array | null): SealedValue | null {
  return keyId === null || ciphertext === null ? null : { keyId, ciphertext };
}

/** An endpoint's change as columns: sealed headers are two of them. */
export function endpointColumns(
  change: Partial<EndpointHealth & EndpointRow>,
): Partial<InferInsertModel<Schema['endpoints']>> {
  const { sealedHeaders, ...rest } = change;
  if (sealedHeaders === undefined) return rest;
  return {
    ...rest,
    sealedHeaders: sealedHeaders?.ciphertext ?? null,
    sealedHeadersKey: sealedHeaders?.keyId ?? null,
  };
}

export function secretRow(row: Selected<'endpointSecrets'>): SecretRow {
  const { keyId, ciphertext, ...rest } = row;
  return { ...rest, sealed: { keyId, ciphertext } };
}

/** Every column of an event but its body. */
export function eventColumns({ events }: Pick<Schema, 'events'>) {
  return {
    id: events.id,
    publicId: events.publicId,
    appId: events.appId,
    environment: events.environment,
    type: events.type,
    contentType: events.contentType,
    bodySha256: events.bodySha256,
    createdAt: events.createdAt,
    occurredAt: events.occurredAt,
    money: events.money,
    amount: events.amount,
    currency: events.currency,
    exponent: events.exponent,
    resource: events.resource,
    matchedAtPublish: events.matchedAtPublish,
  } satisfies Record<keyof EventRow, unknown>;
}

export function attemptRow(row: Selected<'attempts'>): AttemptRow {
  const { breakerId: _breaker, ...rest } = row;
  return rest;
}
