// Endpoints and test sends.

import { z } from 'zod';
import {
  type EndpointResource,
  endpointCreateInput,
  endpointPatchInput,
  endpointSchema,
  type TestSendAnswer,
} from '@/server/services/contract';
import { pageThrough } from '@/server/services/cursor';
import { createEndpoint, removeEndpoint, updateEndpoint } from '@/server/services/endpoint-changes';
import { getEndpoint, listEndpoints } from '@/server/services/endpoints';
import { sendTest } from '@/server/services/test-sends';
import type { Answer } from '../answer';
import { type Call, command, type Operation, operation, param } from '../operation';
import { environmentPageQuery, pageOf, testSendAnswer } from '../schemas';

const LIST = '/dev/apps/{id}/webhook-endpoints';
const ONE = `${LIST}/{endpoint_id}`;

const testBody = z.strictObject({ type: z.string().max(128).optional() });
const TEST = {
  method: 'post',
  scope: 'deliveries:write',
  status: 200,
  otherStatus: { status: 202, description: 'It could not start within 5 s; look at the delivery' },
  answer: testSendAnswer,
  takesIdempotencyKey: true,
} as const;

export const endpointOperations: readonly Operation[] = [
  operation({
    method: 'get',
    path: LIST,
    summary: 'Endpoints by number',
    scope: 'endpoints:read',
    status: 200,
    answer: pageOf(endpointSchema),
    errors: ['invalid_request', 'cursor_mismatch', 'wrong_environment'],
    query: environmentPageQuery,
    run: async (call) => {
      const { env, ...page } = call.query;
      const request = { appId: param(call, 'id'), environment: env, input: {} };
      const rows = await listEndpoints.call(call.context, request);
      const owner = { list: 'endpoints', app: param(call, 'id'), env };
      return { status: 200, body: pageThrough(rows, owner, page) };
    },
  }),
  operation({
    method: 'post',
    path: LIST,
    summary: 'Create an endpoint; its secret is in this answer and in no other',
    scope: 'endpoints:write',
    status: 201,
    answer: endpointSchema,
    errors: ['invalid_request', 'unsafe_url', 'wrong_environment', 'conflict', 'idempotency_conflict'],
    body: endpointCreateInput,
    takesIdempotencyKey: true,
    run: (call) => {
      const { environment, ...input } = call.body;
      return command(call, createEndpoint, {
        request: { appId: param(call, 'id'), environment, input },
        answer: (result) => ({ status: 201, body: result }),
        stored: (result) => ({ status: 201, body: withoutSecret(result) }),
      });
    },
  }),
  operation({
    method: 'get',
    path: ONE,
    summary: 'One endpoint',
    scope: 'endpoints:read',
    status: 200,
    answer: endpointSchema,
    errors: ['wrong_environment'],
    run: async (call) => ({ status: 200, body: await getEndpoint.call(call.context, named(call)) }),
  }),
  operation({
    method: 'patch',
    path: ONE,
    summary: 'Change an endpoint; `{"status":"active"}` enables it again',
    scope: 'endpoints:write',
    status: 200,
    answer: endpointSchema,
    errors: ['invalid_request', 'unsafe_url', 'wrong_environment'],
    body: endpointPatchInput,
    run: async (call) => {
      const input = { ...call.body, endpointId: param(call, 'endpoint_id') };
      const request = { appId: param(call, 'id'), input };
      return { status: 200, body: await updateEndpoint.call(call.context, request) };
    },
  }),
  operation({
    method: 'delete',
    path: ONE,
    summary: 'Delete an endpoint with its deliveries',
    scope: 'endpoints:write',
    status: 200,
    answer: z.object({ deleted_deliveries: z.number().int() }),
    errors: ['wrong_environment'],
    run: async (call) => ({ status: 200, body: await removeEndpoint.call(call.context, named(call)) }),
  }),
  operation({
    ...TEST,
    path: `${ONE}/test`,
    summary: 'Send a test event to an endpoint and wait for its answer',
    errors: ['invalid_request', 'wrong_environment', 'rate_limited'],
    body: testBody,
    run: (call) => test(call, { endpointId: param(call, 'endpoint_id'), type: call.body.type }),
  }),
  operation({
    ...TEST,
    path: '/dev/apps/{id}/webhook/test',
    summary: 'Send a test event to the endpoint with the lowest number',
    errors: ['invalid_request', 'no_webhook', 'rate_limited'],
    body: testBody,
    run: (call) => test(call, { type: call.body.type }),
  }),
];

function named(call: Call) {
  return { appId: param(call, 'id'), input: { endpointId: param(call, 'endpoint_id') } };
}

function test(call: Call, input: { endpointId?: string; type?: string | undefined }): Promise<Answer> {
  const answer = (result: TestSendAnswer): Answer => ({
    status: result.state === 'pending' ? 202 : 200,
    body: result,
  });
  return command(call, sendTest, { request: { appId: param(call, 'id'), input }, answer });
}

/** A kept answer holds no secret and says so (R-PUB-5). */
function withoutSecret({ secret: _secret, ...rest }: EndpointResource): EndpointResource {
  return { ...rest, secret_note: 'The secret was in the first answer alone. Rotate it if it was lost.' };
}
