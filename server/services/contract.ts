// The shapes that REST, tRPC and the console share: one schema per resource and per input (api.md).
import { z } from 'zod';

export const environmentSchema = z.enum(['test', 'live']);
export const deliveryStatusSchema = z.enum(['pending', 'delivered', 'failed', 'skipped']);
export const endpointStatusSchema = z.enum(['active', 'disabled', 'auto_disabled']);
export const outcomeSchema = z.enum(['delivered', 'unavailable', 'rejected', 'held', 'unknown']);
export const triggerSchema = z.enum(['first', 'retry', 'probe', 'resend', 'replay', 'test']);
export const reasonSchema = z.enum([
  'waiting',
  'retrying',
  'exhausted',
  'rejected',
  'slow_window_over',
  'too_old',
  'endpoint_disabled',
  'no_endpoint',
  'corrupt',
]);
export const heldBySchema = z.enum([
  'endpoint_disabled',
  'held_by_pause',
  'held_unsigned',
  'held_by_breaker',
  'rate_limited',
]);
export const errorClassSchema = z.enum([
  'http_4xx',
  'http_429',
  'http_5xx',
  'redirect',
  'dns',
  'refused_address',
  'connect_refused',
  'connect_timeout',
  'tls',
  'reset',
  'closed',
  'timeout',
  'protocol',
  'unsigned',
  'internal',
  'lost',
  'corrupt',
]);
export const signatureSchemeSchema = z.enum(['standard-webhooks', 'timestamped', 't-v1', 'body']);

const iso = z.string().meta({ description: 'ISO 8601, UTC, milliseconds' });
const isoOrNull = iso.nullable();

export const budgetSchema = z.object({ used: z.number().int(), of: z.number().int() });

export const deliverySchema = z
  .object({
    id: z.string(),
    event_id: z.string(),
    endpoint_id: z.string().nullable(),
    endpoint_number: z.number().int().nullable(),
    type: z.string(),
    environment: environmentSchema,
    status: deliveryStatusSchema,
    reason: reasonSchema.nullable(),
    held_by: heldBySchema.nullable(),
    held_until: isoOrNull,
    in_flight: z.boolean(),
    cycle: z.number().int(),
    attempts: z.number().int(),
    fast: budgetSchema,
    slow: budgetSchema,
    money: z.boolean(),
    amount: z.string().nullable(),
    currency: z.string().nullable(),
    exponent: z.number().int().nullable(),
    resource: z.string().nullable(),
    last_status_code: z.number().int().nullable(),
    last_error_class: errorClassSchema.nullable(),
    last_error: z.string().nullable(),
    last_duration_ms: z.number().nullable(),
    last_ended_at: isoOrNull,
    next_attempt_at: isoOrNull,
    first_delivered_at: isoOrNull,
    ended_at: isoOrNull,
    created_at: iso,
  })
  .meta({ id: 'Delivery' });
export type DeliveryResource = z.infer<typeof deliverySchema>;

export const attemptSchema = z
  .object({
    id: z.string(),
    delivery_id: z.string(),
    number: z.number().int(),
    cycle: z.number().int(),
    trigger: triggerSchema,
    actor: z.string().nullable(),
    started_at: iso,
    duration_ms: z.number(),
    timing: z.object({
      dns_ms: z.number().nullable(),
      connect_ms: z.number().nullable(),
      tls_ms: z.number().nullable(),
      first_byte_ms: z.number().nullable(),
    }),
    outcome: outcomeSchema,
    status_code: z.number().int().nullable(),
    error_class: errorClassSchema.nullable(),
    message: z.string().nullable(),
    url: z.string(),
    address: z.string().nullable(),
    ladder: z.enum(['fast', 'slow']).nullable(),
    step: z.number().int().nullable(),
    retried_stale: z.boolean(),
  })
  .meta({ id: 'Attempt' });
export type AttemptResource = z.infer<typeof attemptSchema>;

export const eventSchema = z
  .object({
    id: z.string(),
    type: z.string(),
    environment: environmentSchema,
    created_at: iso,
    occurred_at: isoOrNull,
    money: z.boolean(),
    resource: z.string().nullable(),
    body: z.string().optional(),
    body_encoding: z.enum(['utf8', 'base64']).optional(),
    content_type: z.string(),
    body_sha256: z.string(),
    matched_at_publish: z.number().int(),
    deliveries: z.array(deliverySchema),
    warnings: z.array(z.object({ code: z.string(), message: z.string() })).optional(),
  })
  .meta({ id: 'Event' });
export type EventResource = z.infer<typeof eventSchema>;

export const endpointSchema = z
  .object({
    id: z.string(),
    number: z.number().int(),
    url: z.string(),
    description: z.string(),
    environment: environmentSchema,
    status: endpointStatusSchema,
    disabled_reason: z.enum(['failing', 'gone']).nullable(),
    paused_until: isoOrNull,
    types: z.array(z.string()),
    headers: z.array(z.string()).meta({ description: 'Names only; values are write-only' }),
    policy: z.string().nullable(),
    scheme: signatureSchemeSchema,
    concurrency: z.number().int().nullable(),
    failing_since: isoOrNull,
    consecutive_failures: z.number().int(),
    unsigned_since: isoOrNull,
    created_at: iso,
    updated_at: iso,
    secret: z.string().optional().meta({ description: 'In the answer of POST alone' }),
    secret_note: z.string().optional().meta({ description: 'Why a repeated answer is without the secret' }),
  })
  .meta({ id: 'Endpoint' });
export type EndpointResource = z.infer<typeof endpointSchema>;

export const breakerSchema = z
  .object({
    id: z.string(),
    endpoint_id: z.string().nullable(),
    environment: environmentSchema,
    state: z.enum(['closed', 'open', 'half_open']),
    opened_at: isoOrNull,
    pause_ms: z.number().nullable(),
    probe_at: isoOrNull,
    probe_in_flight: z.boolean(),
    window: z.object({ attempts: z.number().int(), failures: z.number().int() }),
    opened_by: z.array(z.string()).meta({ description: 'Ids of the deliveries whose failures opened it' }),
    held: z.number().int().meta({ description: 'Pending behind it, exact up to 10,000' }),
  })
  .meta({ id: 'Breaker' });
export type BreakerResource = z.infer<typeof breakerSchema>;

export const appSchema = z
  .object({ id: z.string(), name: z.string(), organization_id: z.string(), created_at: iso })
  .meta({ id: 'App' });
export type AppResource = z.infer<typeof appSchema>;

export const errorSchema = z
  .object({
    error: z.object({
      code: z.string(),
      message: z.string(),
      request_id: z.string(),
      details: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
    }),
  })
  .meta({ id: 'Error' });

/* ---------- inputs ---------- */

export const pageInput = {
  limit: z.coerce.number().int().min(1).max(100).default(25),
  cursor: z.string().max(300).optional(),
};

const isoInput = z.iso.datetime({ offset: true });

export const deliveryListInput = z.strictObject({
  ...pageInput,
  status: deliveryStatusSchema.optional(),
  env: environmentSchema.optional(),
  type: z.string().max(128).optional(),
  endpoint_id: z.string().max(60).optional(),
  reason: reasonSchema.optional(),
  error_class: errorClassSchema.optional(),
  code: z.coerce.number().int().min(100).max(599).optional(),
  trigger: triggerSchema.optional(),
  money: z.enum(['true', 'false']).optional(),
  created_after: isoInput.optional(),
  created_before: isoInput.optional(),
});

export const eventListInput = z.strictObject({
  ...pageInput,
  order: z.enum(['asc', 'desc']).default('desc'),
  status: deliveryStatusSchema.optional(),
  env: environmentSchema.optional(),
  type: z.string().max(128).optional(),
  endpoint_id: z.string().max(60).optional(),
  resource: z.string().max(200).optional(),
  delivered: z.enum(['true', 'false', 'none']).optional(),
  created_after: isoInput.optional(),
  created_before: isoInput.optional(),
  fields: z.string().max(400).optional(),
});

const headerPair = z.strictObject({ name: z.string().min(1).max(64), value: z.string().max(1024) });
const filterList = z.array(z.string().min(1).max(128)).max(100);

export const endpointCreateInput = z.strictObject({
  url: z.string().min(1).max(2048),
  description: z.string().max(1000).default(''),
  types: filterList.default([]),
  headers: z.array(headerPair).max(20).default([]),
  concurrency: z.number().int().min(1).max(64).nullable().default(null),
  environment: environmentSchema.optional(),
});

export const endpointPatchInput = z.strictObject({
  url: z.string().min(1).max(2048).optional(),
  description: z.string().max(1000).optional(),
  types: filterList.optional(),
  headers: z.array(headerPair).max(20).optional(),
  concurrency: z.number().int().min(1).max(64).nullable().optional(),
  status: z.enum(['active', 'disabled']).optional(),
});

/* ---------- what only the console reads ---------- */

/** One past attempt or planned one on the timeline; instants are epoch ms (the picture does arithmetic). */
export interface TimelineMark {
  kind: 'published' | 'attempt' | 'planned' | 'in_flight' | 'deadline';
  at: number;
  /** End of the jitter range of a planned attempt. */
  atMax?: number;
  /** A planned attempt that lies behind a gate: not before. */
  notBefore?: boolean;
  attemptId?: string;
  number?: number;
  cycle?: number;
  outcome?: z.infer<typeof outcomeSchema>;
  statusCode?: number | null;
  errorClass?: z.infer<typeof errorClassSchema> | null;
  ladder?: 'fast' | 'slow' | null;
  step?: number | null;
  trigger?: z.infer<typeof triggerSchema>;
  /** For deadlines: which wall it is. */
  deadline?: 'slow_window' | 'max_age';
}

export interface TimelineSilence {
  kind: 'breaker' | 'pause' | 'unsigned';
  fromAt: number;
  /** Null: it goes on. */
  toAt: number | null;
}

export interface TimelineView {
  now: number;
  marks: readonly TimelineMark[];
  silences: readonly TimelineSilence[];
}

/** A delivery's page: everything it shows, in one answer. */
export interface DeliveryDetail {
  delivery: DeliveryResource;
  event: EventResource;
  endpoint: EndpointResource | null;
  attempts: readonly AttemptResource[];
  siblings: readonly DeliveryResource[];
  timeline: TimelineView;
  /** Why a resend is not possible now, as an error code; null: it is. */
  resendBlocked: 'endpoint_disabled' | 'no_webhook' | null;
  /** "shop-eu" or the URL's host: how the console names the endpoint. */
  endpointLabel: string | null;
}

export interface BreakerDetail {
  breaker: BreakerResource;
  app: AppResource;
  /** null: the app's own breaker */
  endpoint: EndpointResource | null;
  endpointLabel: string | null;
  thresholds: {
    windowMs: number;
    minAttempts: number;
    failureRatio: number;
    pausesMs: readonly number[];
  };
  /** Of the window or, when not closed, those that opened it. */
  openedBy: readonly AttemptResource[];
  heldSince: string | null;
  history: readonly {
    at: string;
    kind: string;
    pause_ms: number | null;
    probe_at: string | null;
    actor: string | null;
    reason: string | null;
  }[];
}

export interface TestSendAnswer {
  ok: boolean;
  /** Null while it could not start within 5 s. */
  status_code: number | null;
  error: string | null;
  duration_ms: number | null;
  delivery_id: string;
  event_id: string;
  /** `pending`: it has not ended yet; look at the delivery. */
  state: 'ended' | 'pending';
}

export interface ResendAnswer {
  deliveries: readonly DeliveryResource[];
  left_out: readonly { endpoint_id: string; reason: 'endpoint_disabled' }[];
}

export interface Me {
  user: { id: string; email: string; name: string; platformRole: 'support' | 'operator' | null };
  organizations: readonly { id: string; name: string; role: string }[];
  apps: readonly AppResource[];
  demo: boolean;
}
