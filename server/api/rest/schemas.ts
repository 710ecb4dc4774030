// Schemas that only the REST door has: pages, answers of several resources, its own inputs.
import { z } from 'zod';
import {
  attemptSchema,
  breakerSchema,
  deliverySchema,
  environmentSchema,
  eventSchema,
} from '@/server/services/contract';

export function pageOf(item: z.ZodType) {
  return z.object({ data: z.array(item), next_cursor: z.string().nullable() });
}

export const boundedPageQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(100).default(25),
  cursor: z.string().max(300).optional(),
});

export const environmentPageQuery = boundedPageQuery.extend({ env: environmentSchema.optional() });

export const publishBody = z
  .strictObject({
    type: z.string().max(128),
    environment: environmentSchema.optional(),
    body: z
      .unknown()
      .optional()
      .meta({ description: 'Any JSON; delivered byte for byte as it is written here' }),
    body_base64: z.base64().optional(),
    occurred_at: z.iso.datetime({ offset: true }).optional(),
  })
  .meta({ id: 'PublishRequest' });

export const batchBody = z
  .strictObject({
    events: z
      .array(publishBody.extend({ idempotency_key: z.string().max(255).optional() }))
      .min(1)
      .max(1_000),
  })
  .meta({ id: 'BatchRequest' });

export const batchAnswer = z.object({ data: z.array(eventSchema.extend({ replayed: z.boolean() })) });

export const resendAnswer = z
  .object({
    deliveries: z.array(deliverySchema),
    left_out: z.array(z.object({ endpoint_id: z.string(), reason: z.literal('endpoint_disabled') })),
  })
  .meta({ id: 'Resend' });

export const testSendAnswer = z
  .object({
    ok: z.boolean(),
    status_code: z.number().int().nullable(),
    error: z.string().nullable(),
    duration_ms: z.number().nullable(),
    delivery_id: z.string(),
    event_id: z.string(),
    state: z.enum(['ended', 'pending']),
  })
  .meta({ id: 'TestSend' });

export const breakerWithHistory = breakerSchema
  .extend({
    history: z.array(
      z.object({
        at: z.string(),
        kind: z.string(),
        pause_ms: z.number().nullable(),
        probe_at: z.string().nullable(),
        actor: z.string().nullable(),
        reason: z.string().nullable(),
      }),
    ),
    held_since: z.string().nullable(),
    opened_by_attempts: z.array(attemptSchema),
  })
  .meta({ id: 'BreakerWithHistory' });

export const eventTypeSchema = z
  .object({
    type: z.string(),
    description: z.string(),
    money: z.unknown(),
    example: z.string().nullable(),
  })
  .meta({ id: 'EventType' });
