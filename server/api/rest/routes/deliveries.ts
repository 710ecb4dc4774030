// The Events API and the deliveries: reading them, and resending.

import { z } from 'zod';
import {
  attemptSchema,
  deliveryListInput,
  deliverySchema,
  eventListInput,
  eventSchema,
} from '@/server/services/contract';
import { pageThrough } from '@/server/services/cursor';
import { getDelivery, listAttempts, listDeliveries } from '@/server/services/deliveries';
import { getEvent, listEventAttempts, listEvents } from '@/server/services/events';
import { resend } from '@/server/services/resend';
import { command, type Operation, operation, param } from '../operation';
import { boundedPageQuery, pageOf, resendAnswer } from '../schemas';

const APP = '/dev/apps/{id}';

export const deliveryOperations: readonly Operation[] = [
  operation({
    method: 'get',
    path: `${APP}/webhook/events`,
    summary: 'The Events API: 30 days of events with their bodies and deliveries',
    scope: 'events:read',
    status: 200,
    answer: pageOf(eventSchema.partial()),
    errors: ['invalid_request', 'cursor_mismatch', 'wrong_environment'],
    query: eventListInput,
    run: async (call) => {
      const { env, endpoint_id, created_after, created_before, ...same } = call.query;
      const input = {
        ...same,
        endpointId: endpoint_id,
        createdAfter: created_after,
        createdBefore: created_before,
      };
      const request = { appId: param(call, 'id'), environment: env, input };
      return { status: 200, body: await listEvents.call(call.context, request) };
    },
  }),
  operation({
    method: 'get',
    path: `${APP}/webhook/events/{event_id}`,
    summary: 'One event with its body and deliveries',
    scope: 'events:read',
    status: 200,
    answer: eventSchema,
    errors: ['wrong_environment'],
    run: async (call) => {
      const input = { eventId: param(call, 'event_id') };
      return { status: 200, body: await getEvent.call(call.context, { appId: param(call, 'id'), input }) };
    },
  }),
  operation({
    method: 'get',
    path: `${APP}/webhook/events/{event_id}/attempts`,
    summary: 'Every attempt to deliver an event',
    scope: 'events:read',
    status: 200,
    answer: pageOf(attemptSchema),
    errors: ['cursor_mismatch', 'wrong_environment'],
    query: boundedPageQuery,
    run: async (call) => {
      const input = { eventId: param(call, 'event_id') };
      const rows = await listEventAttempts.call(call.context, { appId: param(call, 'id'), input });
      return { status: 200, body: pageThrough(rows, { list: 'event_attempts', ...input }, call.query) };
    },
  }),
  operation({
    method: 'get',
    path: `${APP}/webhook/deliveries`,
    summary: 'Deliveries, newest first',
    scope: 'deliveries:read',
    status: 200,
    answer: pageOf(deliverySchema),
    errors: ['invalid_request', 'cursor_mismatch', 'wrong_environment'],
    query: deliveryListInput,
    run: async (call) => {
      const { env, endpoint_id, error_class, money, created_after, created_before, ...same } = call.query;
      const input = {
        ...same,
        endpointId: endpoint_id,
        errorClass: error_class,
        money: money === undefined ? undefined : money === 'true',
        createdAfter: created_after,
        createdBefore: created_before,
      };
      const request = { appId: param(call, 'id'), environment: env, input };
      return { status: 200, body: await listDeliveries.call(call.context, request) };
    },
  }),
  operation({
    method: 'get',
    path: `${APP}/webhook/deliveries/{delivery_id}`,
    summary: 'One delivery',
    scope: 'deliveries:read',
    status: 200,
    answer: deliverySchema,
    errors: ['wrong_environment'],
    run: async (call) => {
      const input = { deliveryId: param(call, 'delivery_id') };
      return { status: 200, body: await getDelivery.call(call.context, { appId: param(call, 'id'), input }) };
    },
  }),
  operation({
    method: 'get',
    path: `${APP}/webhook/deliveries/{delivery_id}/attempts`,
    summary: 'Every attempt of a delivery, by number',
    scope: 'deliveries:read',
    status: 200,
    answer: pageOf(attemptSchema),
    errors: ['cursor_mismatch', 'wrong_environment'],
    query: boundedPageQuery,
    run: async (call) => {
      const input = { deliveryId: param(call, 'delivery_id') };
      const rows = await listAttempts.call(call.context, { appId: param(call, 'id'), input });
      return { status: 200, body: pageThrough(rows, { list: 'attempts', ...input }, call.query) };
    },
  }),
  operation({
    method: 'post',
    path: `${APP}/webhook/deliveries/{event_id}/retry`,
    summary: 'Resend an event, to one endpoint or to all that it went to',
    scope: 'deliveries:write',
    status: 202,
    answer: resendAnswer,
    errors: ['wrong_environment', 'environment_mismatch', 'endpoint_disabled', 'no_webhook'],
    query: z.strictObject({ endpoint_id: z.string().max(60).optional() }),
    takesIdempotencyKey: true,
    run: (call) => {
      const input = { eventId: param(call, 'event_id'), endpointId: call.query.endpoint_id };
      return command(call, resend, {
        request: {
          appId: param(call, 'id'),
          environment: call.context.actor.environment ?? undefined,
          input,
        },
        answer: (result) => ({ status: 202, body: result }),
      });
    },
  }),
];
