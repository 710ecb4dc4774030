// Publishing: as JSON, raw, and in batches.

import { z } from 'zod';
import type { Environment } from '@/server/core/model';
import { environmentSchema, eventSchema } from '@/server/services/contract';
import { readBatchRequest, readPublishRequest } from '@/server/services/json-input';
import { publishBatch, publishEvent, storedBatch } from '@/server/services/publish';
import { MAX_EVENT_BODY } from '@/server/services/publish-record';
import { type ErrorCode, invalid, ServiceError } from '@/server/services/service-error';
import { type Answer, JsonText } from '../answer';
import { KIB, requireJson } from '../body';
import {
  type Call,
  contentHash,
  idempotencyKey,
  type Operation,
  param,
  rawOperation,
  replayed,
  strictNothing,
} from '../operation';
import { batchAnswer, batchBody, publishBody } from '../schemas';

/** Base64 takes a third more, the fields around the body little. */
const JSON_LIMIT = Math.ceil((MAX_EVENT_BODY * 4) / 3) + 8 * KIB;
const BATCH_LIMIT = 4 * KIB * KIB;
const CONTENT_TYPE = /^[\x21-\x7e](?:[\x20-\x7e]{0,198}[\x21-\x7e])?$/;

const ERRORS: readonly ErrorCode[] = [
  'invalid_request',
  'reserved_type',
  'wrong_environment',
  'idempotency_conflict',
  'idempotency_in_progress',
  'payload_too_large',
  'unsupported_media_type',
];

interface ToPublish {
  draft: { type: string; body: Uint8Array; contentType: string; occurredAt: number | null };
  environment: Environment | undefined;
}

async function publish(call: Call, { draft, environment }: ToPublish): Promise<Answer> {
  const key = idempotencyKey(call) ?? undefined;
  const request = { appId: param(call, 'id'), environment, input: { ...draft, key } };
  const answer = await publishEvent.call(call.context, request);
  return answer.kind === 'replayed' ? replayed(answer) : { status: 201, body: answer.event };
}

export const publishOperations: readonly Operation[] = [
  rawOperation({
    method: 'post',
    path: '/dev/apps/{id}/events',
    summary: 'Publish an event as JSON; the value of `body` is delivered byte for byte',
    scope: 'events:write',
    status: 201,
    answer: eventSchema,
    errors: ERRORS,
    query: strictNothing,
    documentedBody: { schema: publishBody, contentType: 'application/json' },
    takesIdempotencyKey: true,
    limit: JSON_LIMIT,
    accept: requireJson,
    run: (call) => publish(call, readPublishRequest(call.bytes)),
  }),
  rawOperation({
    method: 'post',
    path: '/dev/apps/{id}/events/{type}',
    summary: 'Publish an event raw: the request body is the event body, byte for byte',
    scope: 'events:write',
    status: 201,
    answer: eventSchema,
    errors: ERRORS,
    query: z.strictObject({ environment: environmentSchema.optional() }),
    documentedBody: { schema: z.string(), contentType: '*/*' },
    takesIdempotencyKey: true,
    limit: MAX_EVENT_BODY,
    accept: () => {},
    run: (call) =>
      publish(call, {
        draft: {
          type: param(call, 'type'),
          body: call.bytes,
          contentType: contentTypeOf(call.request),
          occurredAt: null,
        },
        environment: call.query.environment,
      }),
  }),
  rawOperation({
    method: 'post',
    path: '/dev/apps/{id}/events:batch',
    summary: 'Publish up to 1,000 events in one transaction',
    scope: 'events:write',
    status: 201,
    answer: batchAnswer,
    errors: ERRORS,
    query: strictNothing,
    documentedBody: { schema: batchBody, contentType: 'application/json' },
    takesIdempotencyKey: true,
    limit: BATCH_LIMIT,
    accept: requireJson,
    run: publishMany,
  }),
];

async function publishMany(call: Call): Promise<Answer> {
  const requests = readBatchRequest(call.bytes);
  const key = idempotencyKey(call);
  const answer = await publishBatch.call(call.context, {
    appId: param(call, 'id'),
    environment: oneEnvironment(requests),
    input: {
      events: requests.map(({ draft, key: itemKey }) => ({ ...draft, key: itemKey })),
      once: key === null ? undefined : { key, contentHash: contentHash(call) },
    },
  });
  if (answer.kind === 'replayed') return replayed(answer);
  const { status, body } = storedBatch(answer.items);
  return { status, body: new JsonText(body) };
}

/** A batch is one transaction in one environment. */
function oneEnvironment(
  requests: readonly { environment: Environment | undefined }[],
): Environment | undefined {
  let found: Environment | undefined;
  for (const [index, { environment }] of requests.entries()) {
    if (environment === undefined) continue;
    if (found !== undefined && environment !== found) {
      throw invalid(`events.${index}.environment`, 'All events of a batch belong to one environment.');
    }
    found = environment;
  }
  return found;
}

function contentTypeOf(request: Request): string {
  const type = (request.headers.get('content-type') ?? 'application/octet-stream').trim();
  if (CONTENT_TYPE.test(type)) return type;
  throw new ServiceError('unsupported_media_type', 'The content type is not a valid one.');
}
