import { sql } from 'drizzle-orm';
import type {
  BreakerEventKind,
  BreakerState,
  DeliveryStatus,
  DisabledReason,
  EndpointStatus,
  Environment,
  ErrorClass,
  GateInterval,
  LadderName,
  Outcome,
  StoredReason,
  Trigger,
  WaitCause,
} from '@/server/core/model';
import type { MoneyRule } from '@/server/core/money';
import type { Policy } from '@/server/core/policy';
import type { AuditRow, EnvelopeMode, ReceiverBehaviour } from '@/server/ports/records';
import { makeAuthTables } from './auth-tables';
import type { Kit } from './kit';

/**
 * Every table, written once for both databases. A row of the domain carries app and environment, and links are
 * composite foreign keys, so that nothing can point across apps or environments (D01). Delivery and attempt have
 * no public id here: theirs is derived. What each index is for is listed in `db/sqlite/plans.test.ts`.
 */
export function makeTables(kit: Kit) {
  const { table, id, text, int, ts, bool, json, bytes, index, unique, uniqueIndex, foreignKey, primaryKey } =
    kit;

  const apps = table(
    'apps',
    {
      id: id('id'),
      publicId: text('public_id').notNull(),
      organizationId: text('organization_id').notNull(),
      name: text('name').notNull(),
      createdAt: ts('created_at').notNull(),
    },
    (t) => [
      uniqueIndex('apps_public_id').on(t.publicId),
      index('apps_organization').on(t.organizationId, t.id),
    ],
  );

  const policies = table(
    'policies',
    {
      id: id('id'),
      appId: int('app_id')
        .notNull()
        .references(() => apps.id),
      environment: text<Environment>('environment').notNull(),
      version: int('version').notNull(),
      policy: json<Policy>('policy').notNull(),
      createdAt: ts('created_at').notNull(),
    },
    (t) => [
      unique('policies_scope_id').on(t.appId, t.environment, t.id),
      uniqueIndex('policies_version').on(t.appId, t.environment, t.version),
    ],
  );

  const appEnvironments = table(
    'app_environments',
    {
      appId: int('app_id')
        .notNull()
        .references(() => apps.id),
      environment: text<Environment>('environment').notNull(),
      policyId: int('policy_id').notNull(),
      envelope: text<EnvelopeMode>('envelope').notNull(),
      catalogueMode: text<'accept' | 'reject'>('catalogue_mode').notNull(),
      nextEndpointNumber: int('next_endpoint_number').notNull(),
    },
    (t) => [
      primaryKey({ name: 'app_environments_pk', columns: [t.appId, t.environment] }),
      foreignKey({
        name: 'app_environments_policy',
        columns: [t.appId, t.environment, t.policyId],
        foreignColumns: [policies.appId, policies.environment, policies.id],
      }),
    ],
  );

  const eventTypes = table(
    'event_types',
    {
      appId: int('app_id')
        .notNull()
        .references(() => apps.id),
      type: text('type').notNull(),
      description: text('description').notNull(),
      money: json<MoneyRule>('money'),
      example: text('example'),
      createdAt: ts('created_at').notNull(),
    },
    (t) => [primaryKey({ name: 'event_types_pk', columns: [t.appId, t.type] })],
  );

  const endpoints = table(
    'endpoints',
    {
      id: id('id'),
      publicId: text('public_id').notNull(),
      appId: int('app_id').notNull(),
      environment: text<Environment>('environment').notNull(),
      number: int('number').notNull(),
      url: text('url').notNull(),
      description: text('description').notNull(),
      types: json<readonly string[]>('types').notNull(),
      headerNames: json<readonly string[]>('header_names').notNull(),
      sealedHeaders: bytes('sealed_headers'),
      sealedHeadersKey: text('sealed_headers_key'),
      policyId: int('policy_id'),
      concurrency: int('concurrency'),
      status: text<EndpointStatus>('status').notNull(),
      disabledReason: text<DisabledReason>('disabled_reason'),
      pausedUntil: ts('paused_until'),
      failingSince: ts('failing_since'),
      lastFailedAt: ts('last_failed_at'),
      consecutiveFailures: int('consecutive_failures').notNull(),
      lastEndReachable: bool('last_end_reachable').notNull(),
      unsignedSince: ts('unsigned_since'),
      unsignedRetryAt: ts('unsigned_retry_at'),
      createdAt: ts('created_at').notNull(),
      updatedAt: ts('updated_at').notNull(),
    },
    (t) => [
      uniqueIndex('endpoints_public_id').on(t.publicId),
      unique('endpoints_scope_id').on(t.appId, t.environment, t.id),
      uniqueIndex('endpoints_number').on(t.appId, t.environment, t.number),
      index('endpoints_not_active').on(t.id).where(sql`status <> 'active'`),
      foreignKey({
        name: 'endpoints_environment',
        columns: [t.appId, t.environment],
        foreignColumns: [appEnvironments.appId, appEnvironments.environment],
      }),
      foreignKey({
        name: 'endpoints_policy',
        columns: [t.appId, t.environment, t.policyId],
        foreignColumns: [policies.appId, policies.environment, policies.id],
      }),
    ],
  );

  const endpointSecrets = table(
    'endpoint_secrets',
    {
      id: id('id'),
      endpointId: int('endpoint_id').notNull(),
      appId: int('app_id').notNull(),
      environment: text<Environment>('environment').notNull(),
      version: int('version').notNull(),
      keyId: text('key_id').notNull(),
      ciphertext: bytes('ciphertext').notNull(),
      createdAt: ts('created_at').notNull(),
      expiresAt: ts('expires_at'),
    },
    (t) => [
      uniqueIndex('endpoint_secrets_version').on(t.endpointId, t.version),
      foreignKey({
        name: 'endpoint_secrets_endpoint',
        columns: [t.appId, t.environment, t.endpointId],
        foreignColumns: [endpoints.appId, endpoints.environment, endpoints.id],
      }),
    ],
  );

  const events = table(
    'events',
    {
      id: id('id'),
      publicId: text('public_id').notNull(),
      appId: int('app_id').notNull(),
      environment: text<Environment>('environment').notNull(),
      type: text('type').notNull(),
      contentType: text('content_type').notNull(),
      bodySha256: text('body_sha256').notNull(),
      createdAt: ts('created_at').notNull(),
      occurredAt: ts('occurred_at'),
      money: bool('money').notNull(),
      amount: text('amount'),
      currency: text('currency'),
      exponent: int('exponent'),
      resource: text('resource'),
      matchedAtPublish: int('matched_at_publish').notNull(),
      body: bytes('body').notNull(),
    },
    (t) => [
      uniqueIndex('events_public_id').on(t.publicId),
      unique('events_scope_id').on(t.appId, t.environment, t.id),
      index('events_type').on(t.appId, t.environment, t.type, t.id),
      index('events_resource').on(t.appId, t.environment, t.resource, t.id).where(sql`resource IS NOT NULL`),
      index('events_unmatched')
        .on(t.appId, t.environment, t.matchedAtPublish, t.id)
        .where(sql`matched_at_publish = 0`),
      index('events_created').on(t.createdAt),
      foreignKey({
        name: 'events_environment',
        columns: [t.appId, t.environment],
        foreignColumns: [appEnvironments.appId, appEnvironments.environment],
      }),
    ],
  );

  const deliveries = table(
    'deliveries',
    {
      id: id('id'),
      eventId: int('event_id').notNull(),
      appId: int('app_id').notNull(),
      environment: text<Environment>('environment').notNull(),
      endpointId: int('endpoint_id'),
      status: text<DeliveryStatus>('status').notNull(),
      reason: text<StoredReason>('reason'),
      dueAt: ts('due_at'),
      leaseUntil: ts('lease_until'),
      unknowns: int('unknowns').notNull(),
      attempts: int('attempts').notNull(),
      isTest: bool('is_test').notNull(),
      deadlineAt: ts('deadline_at').notNull(),
      type: text('type').notNull(),
      policyId: int('policy_id').notNull(),
      createdAt: ts('created_at').notNull(),
      eventCreatedAt: ts('event_created_at').notNull(),
      money: bool('money').notNull(),
      cycle: int('cycle').notNull(),
      cycleStartedAt: ts('cycle_started_at').notNull(),
      cycleByPerson: bool('cycle_by_person').notNull(),
      fast: int('fast').notNull(),
      slow: int('slow').notNull(),
      slowStartedAt: ts('slow_started_at'),
      waitCause: text<WaitCause>('wait_cause'),
      ladderWaitMs: int('ladder_wait_ms'),
      retryAfterMs: int('retry_after_ms'),
      nextTrigger: text<Trigger>('next_trigger').notNull(),
      lastOutcome: text<Outcome>('last_outcome'),
      lastStatusCode: int('last_status_code'),
      lastErrorClass: text<ErrorClass>('last_error_class'),
      lastEndedAt: ts('last_ended_at'),
      lastDurationMs: int('last_duration_ms'),
      firstDeliveredAt: ts('first_delivered_at'),
      endedAt: ts('ended_at'),
      actor: text('actor'),
      leaseToken: text('lease_token'),
      leaseNumber: int('lease_number'),
      leaseCycle: int('lease_cycle'),
      leaseTrigger: text<Trigger>('lease_trigger'),
      leaseActor: text('lease_actor'),
      leaseEpoch: int('lease_epoch'),
      leaseProbe: bool('lease_probe'),
      leaseStartedAt: ts('lease_started_at'),
    },
    (t) => [
      uniqueIndex('deliveries_event_endpoint').on(t.eventId, t.endpointId),
      uniqueIndex('deliveries_unmatched').on(t.eventId).where(sql`endpoint_id IS NULL`),
      unique('deliveries_scope_id').on(t.appId, t.environment, t.id),
      index('deliveries_endpoint').on(t.endpointId, t.id),
      index('deliveries_type').on(t.appId, t.environment, t.type, t.id),
      index('deliveries_status').on(t.appId, t.environment, t.status, t.id).where(sql`status <> 'delivered'`),
      index('deliveries_event_status')
        .on(t.appId, t.environment, t.status, t.eventId)
        .where(sql`status <> 'delivered'`),
      index('deliveries_endpoint_status').on(t.endpointId, t.status, t.id).where(sql`status <> 'delivered'`),
      index('deliveries_reason')
        .on(t.appId, t.environment, t.reason, t.id)
        .where(sql`reason IS NOT NULL AND reason <> 'waiting'`),
      index('deliveries_error_class')
        .on(t.appId, t.environment, t.lastErrorClass, t.id)
        .where(sql`last_error_class IS NOT NULL`),
      index('deliveries_status_code')
        .on(t.appId, t.environment, t.lastStatusCode, t.id)
        .where(sql`last_status_code IS NOT NULL`),
      index('deliveries_money').on(t.appId, t.environment, t.money, t.id).where(sql`money`),
      index('deliveries_created').on(t.createdAt),
      index('deliveries_due')
        .on(t.appId, t.endpointId, t.dueAt)
        .where(sql`status = 'pending' AND lease_until IS NULL AND unknowns < 3 AND endpoint_id IS NOT NULL`),
      index('deliveries_suspect')
        .on(t.appId, t.endpointId, t.dueAt)
        .where(sql`status = 'pending' AND lease_until IS NULL AND unknowns >= 3 AND endpoint_id IS NOT NULL`),
      index('deliveries_test')
        .on(t.dueAt)
        .where(sql`next_trigger = 'test' AND status = 'pending' AND lease_until IS NULL`),
      index('deliveries_deadline').on(t.deadlineAt).where(sql`status = 'pending'`),
      index('deliveries_leased').on(t.leaseUntil).where(sql`lease_until IS NOT NULL`),
      index('deliveries_leased_endpoint').on(t.endpointId).where(sql`lease_until IS NOT NULL`),
      foreignKey({
        name: 'deliveries_event',
        columns: [t.appId, t.environment, t.eventId],
        foreignColumns: [events.appId, events.environment, events.id],
      }),
      foreignKey({
        name: 'deliveries_to_endpoint',
        columns: [t.appId, t.environment, t.endpointId],
        foreignColumns: [endpoints.appId, endpoints.environment, endpoints.id],
      }),
      foreignKey({
        name: 'deliveries_policy',
        columns: [t.appId, t.environment, t.policyId],
        foreignColumns: [policies.appId, policies.environment, policies.id],
      }),
    ],
  );

  const breakers = table(
    'breakers',
    {
      id: id('id'),
      publicId: text('public_id').notNull(),
      appId: int('app_id').notNull(),
      environment: text<Environment>('environment').notNull(),
      endpointId: int('endpoint_id'),
      createdAt: ts('created_at').notNull(),
      state: text<BreakerState>('state').notNull(),
      epoch: int('epoch').notNull(),
      openedAt: ts('opened_at'),
      pauseMs: int('pause_ms'),
      probeAt: ts('probe_at'),
      probeDeliveryId: int('probe_delivery_id'),
      probeToken: text('probe_token'),
      closedAt: ts('closed_at'),
      drainCursor: int('drain_cursor'),
      openedBy: json<readonly number[]>('opened_by').notNull(),
    },
    (t) => [
      uniqueIndex('breakers_public_id').on(t.publicId),
      unique('breakers_scope_id').on(t.appId, t.environment, t.id),
      uniqueIndex('breakers_endpoint').on(t.endpointId).where(sql`endpoint_id IS NOT NULL`),
      uniqueIndex('breakers_app').on(t.appId, t.environment).where(sql`endpoint_id IS NULL`),
      index('breakers_not_closed').on(t.id).where(sql`state <> 'closed'`),
      index('breakers_draining').on(t.id).where(sql`drain_cursor IS NOT NULL`),
      foreignKey({
        name: 'breakers_environment',
        columns: [t.appId, t.environment],
        foreignColumns: [appEnvironments.appId, appEnvironments.environment],
      }),
      foreignKey({
        name: 'breakers_of_endpoint',
        columns: [t.appId, t.environment, t.endpointId],
        foreignColumns: [endpoints.appId, endpoints.environment, endpoints.id],
      }),
    ],
  );

  const attempts = table(
    'attempts',
    {
      id: id('id'),
      deliveryId: int('delivery_id').notNull(),
      appId: int('app_id').notNull(),
      environment: text<Environment>('environment').notNull(),
      endpointId: int('endpoint_id').notNull(),
      number: int('number').notNull(),
      cycle: int('cycle').notNull(),
      trigger: text<Trigger>('trigger').notNull(),
      actor: text('actor'),
      startedAt: ts('started_at').notNull(),
      endedAt: ts('ended_at').notNull(),
      durationMs: int('duration_ms').notNull(),
      dnsMs: int('dns_ms'),
      connectMs: int('connect_ms'),
      tlsMs: int('tls_ms'),
      firstByteMs: int('first_byte_ms'),
      outcome: text<Outcome>('outcome').notNull(),
      statusCode: int('status_code'),
      errorClass: text<ErrorClass>('error_class'),
      message: text('message'),
      url: text('url').notNull(),
      address: text('address'),
      ladder: text<LadderName>('ladder'),
      step: int('step'),
      probe: bool('probe').notNull(),
      counted: text<'reachable' | 'failure'>('counted'),
      epoch: int('epoch'),
      /** The breaker in whose window it counts; null where it counts in none. */
      breakerId: int('breaker_id'),
      retriedStale: bool('retried_stale').notNull(),
    },
    (t) => [
      uniqueIndex('attempts_number').on(t.deliveryId, t.number),
      index('attempts_endpoint').on(t.endpointId, t.id),
      index('attempts_window').on(t.breakerId, t.epoch, t.endedAt).where(sql`breaker_id IS NOT NULL`),
      index('attempts_trigger')
        .on(t.appId, t.environment, t.trigger, t.deliveryId)
        .where(sql`"trigger" <> 'first'`),
      foreignKey({
        name: 'attempts_delivery',
        columns: [t.appId, t.environment, t.deliveryId],
        foreignColumns: [deliveries.appId, deliveries.environment, deliveries.id],
      }),
      foreignKey({
        name: 'attempts_to_endpoint',
        columns: [t.appId, t.environment, t.endpointId],
        foreignColumns: [endpoints.appId, endpoints.environment, endpoints.id],
      }),
      foreignKey({
        name: 'attempts_breaker',
        columns: [t.appId, t.environment, t.breakerId],
        foreignColumns: [breakers.appId, breakers.environment, breakers.id],
      }),
    ],
  );

  const breakerEvents = table(
    'breaker_events',
    {
      id: id('id'),
      breakerId: int('breaker_id').notNull(),
      appId: int('app_id').notNull(),
      environment: text<Environment>('environment').notNull(),
      at: ts('at').notNull(),
      kind: text<BreakerEventKind>('kind').notNull(),
      epoch: int('epoch').notNull(),
      pauseMs: int('pause_ms'),
      probeAt: ts('probe_at'),
      actor: text('actor'),
      reason: text('reason'),
    },
    (t) => [
      index('breaker_events_breaker').on(t.breakerId, t.id),
      foreignKey({
        name: 'breaker_events_of_breaker',
        columns: [t.appId, t.environment, t.breakerId],
        foreignColumns: [breakers.appId, breakers.environment, breakers.id],
      }),
    ],
  );

  const gateIntervals = table(
    'gate_intervals',
    {
      id: id('id'),
      appId: int('app_id').notNull(),
      environment: text<Environment>('environment').notNull(),
      /** Null: the gate of the app's own breaker. */
      endpointId: int('endpoint_id'),
      kind: text<GateInterval['kind']>('kind').notNull(),
      fromAt: ts('from_at').notNull(),
      toAt: ts('to_at'),
    },
    (t) => [
      index('gate_intervals_scope').on(t.appId, t.environment, t.endpointId, t.fromAt),
      index('gate_intervals_endpoint').on(t.endpointId),
      foreignKey({
        name: 'gate_intervals_environment',
        columns: [t.appId, t.environment],
        foreignColumns: [appEnvironments.appId, appEnvironments.environment],
      }),
      foreignKey({
        name: 'gate_intervals_of_endpoint',
        columns: [t.appId, t.environment, t.endpointId],
        foreignColumns: [endpoints.appId, endpoints.environment, endpoints.id],
      }),
    ],
  );

  const apiKeys = table(
    'api_keys',
    {
      id: id('id'),
      publicId: text('public_id').notNull(),
      organizationId: text('organization_id'),
      appId: int('app_id').references(() => apps.id),
      environment: text<Environment>('environment'),
      name: text('name').notNull(),
      scopes: json<readonly string[]>('scopes').notNull(),
      prefix: text('prefix').notNull(),
      last4: text('last4').notNull(),
      hash: text('hash').notNull(),
      createdAt: ts('created_at').notNull(),
      expiresAt: ts('expires_at'),
      revokedAt: ts('revoked_at'),
      lastUsedAt: ts('last_used_at'),
    },
    (t) => [
      uniqueIndex('api_keys_public_id').on(t.publicId),
      uniqueIndex('api_keys_hash').on(t.hash),
      index('api_keys_organization').on(t.organizationId, t.id),
    ],
  );

  const idempotencyKeys = table(
    'idempotency_keys',
    {
      appId: int('app_id')
        .notNull()
        .references(() => apps.id),
      environment: text<Environment>('environment').notNull(),
      key: text('key').notNull(),
      contentHash: text('content_hash').notNull(),
      status: int('status').notNull(),
      body: text('body').notNull(),
      createdAt: ts('created_at').notNull(),
    },
    (t) => [primaryKey({ name: 'idempotency_keys_pk', columns: [t.appId, t.environment, t.key] })],
  );

  const auditLog = table(
    'audit_log',
    {
      id: id('id'),
      organizationId: text('organization_id'),
      appId: int('app_id'),
      environment: text<Environment>('environment'),
      at: ts('at').notNull(),
      actorKind: text<AuditRow['actorKind']>('actor_kind').notNull(),
      actorId: text('actor_id').notNull(),
      action: text('action').notNull(),
      objectId: text('object_id'),
      result: text<AuditRow['result']>('result').notNull(),
      requestId: text('request_id').notNull(),
      detail: json<Record<string, unknown>>('detail').notNull(),
    },
    (t) => [
      index('audit_log_organization').on(t.organizationId, t.id),
      index('audit_log_action').on(t.appId, t.action, t.at),
    ],
  );

  const receivers = table(
    'receivers',
    {
      token: text('token').primaryKey(),
      appId: int('app_id').notNull(),
      environment: text<Environment>('environment').notNull(),
      behaviour: text<ReceiverBehaviour>('behaviour').notNull(),
      createdAt: ts('created_at').notNull(),
    },
    (t) => [
      foreignKey({
        name: 'receivers_environment',
        columns: [t.appId, t.environment],
        foreignColumns: [appEnvironments.appId, appEnvironments.environment],
      }),
    ],
  );

  const meta = table('meta', { key: text('key').primaryKey(), value: text('value').notNull() });

  return {
    apps,
    policies,
    appEnvironments,
    eventTypes,
    endpoints,
    endpointSecrets,
    events,
    deliveries,
    breakers,
    attempts,
    breakerEvents,
    gateIntervals,
    apiKeys,
    idempotencyKeys,
    auditLog,
    receivers,
    meta,
    ...makeAuthTables(kit),
  };
}

export type Schema = ReturnType<typeof makeTables>;
