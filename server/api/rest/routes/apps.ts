// Apps, their catalogues and their breakers.

import { z } from 'zod';
import { getApp, listApps, listEventTypes } from '@/server/services/apps';
import { getBreaker, listBreakers, resetBreaker } from '@/server/services/breakers';
import { appSchema, breakerSchema } from '@/server/services/contract';
import { pageThrough } from '@/server/services/cursor';
import { type Operation, operation, param } from '../operation';
import {
  boundedPageQuery,
  breakerWithHistory,
  environmentPageQuery,
  eventTypeSchema,
  pageOf,
} from '../schemas';

const APP = '/dev/apps/{id}';

export const appOperations: readonly Operation[] = [
  operation({
    method: 'get',
    path: '/dev/apps',
    summary: "The apps of the key's organization",
    scope: 'endpoints:read',
    status: 200,
    answer: pageOf(appSchema),
    errors: ['cursor_mismatch'],
    query: boundedPageQuery,
    run: async (call) => {
      const rows = await listApps.call(call.context, { input: {} });
      return { status: 200, body: pageThrough(rows, { list: 'apps' }, call.query) };
    },
  }),
  operation({
    method: 'get',
    path: APP,
    summary: 'One app',
    scope: 'endpoints:read',
    status: 200,
    answer: appSchema,
    errors: [],
    run: async (call) => ({
      status: 200,
      body: await getApp.call(call.context, { appId: param(call, 'id'), input: {} }),
    }),
  }),
  operation({
    method: 'get',
    path: `${APP}/event-types`,
    summary: 'The catalogue of the app',
    scope: 'endpoints:read',
    status: 200,
    answer: pageOf(eventTypeSchema),
    errors: ['cursor_mismatch'],
    query: boundedPageQuery,
    run: async (call) => {
      const rows = await listEventTypes.call(call.context, { appId: param(call, 'id'), input: {} });
      const owner = { list: 'event_types', app: param(call, 'id') };
      return { status: 200, body: pageThrough(rows, owner, call.query) };
    },
  }),
  operation({
    method: 'get',
    path: `${APP}/webhook/breakers`,
    summary: 'The breakers of the environment',
    scope: 'deliveries:read',
    status: 200,
    answer: pageOf(breakerSchema),
    errors: ['cursor_mismatch', 'wrong_environment'],
    query: environmentPageQuery,
    run: async (call) => {
      const { env, ...page } = call.query;
      const request = { appId: param(call, 'id'), environment: env, input: {} };
      const rows = await listBreakers.call(call.context, request);
      const owner = { list: 'breakers', app: param(call, 'id'), env };
      return { status: 200, body: pageThrough(rows, owner, page) };
    },
  }),
  operation({
    method: 'get',
    path: `${APP}/webhook/breakers/{breaker_id}`,
    summary: 'One breaker with its history',
    scope: 'deliveries:read',
    status: 200,
    answer: breakerWithHistory,
    errors: ['wrong_environment'],
    run: async (call) => {
      const input = { breakerId: param(call, 'breaker_id') };
      const detail = await getBreaker.call(call.context, { appId: param(call, 'id'), input });
      const { breaker, history, heldSince, openedBy } = detail;
      return {
        status: 200,
        body: { ...breaker, history, held_since: heldSince, opened_by_attempts: openedBy },
      };
    },
  }),
  operation({
    method: 'post',
    path: `${APP}/webhook/breakers/{breaker_id}/reset`,
    summary: 'Reset a breaker by hand (platform key); the reason is kept in the audit log',
    scope: 'breakers:reset',
    status: 200,
    answer: breakerSchema,
    errors: ['invalid_request'],
    body: z.strictObject({ reason: z.string().max(500) }),
    run: async (call) => {
      const input = { breakerId: param(call, 'breaker_id'), reason: call.body.reason };
      const request = { appId: param(call, 'id'), input };
      return { status: 200, body: await resetBreaker.call(call.context, request) };
    },
  }),
];
