// The OpenAPI document, from the schemas that validate.
import { createRoute, type OpenAPIHono } from '@hono/zod-openapi';
import { z } from 'zod';
import { errorSchema } from '@/server/services/contract';
import type { ErrorCode } from '@/server/services/service-error';
import { ERROR_TABLE } from '../errors';
import type { OperationFacts } from './operation';

/** Every operation with a key can end in these. */
const COMMON: readonly ErrorCode[] = ['unauthorized', 'forbidden', 'not_found', 'internal', 'unavailable'];

export function describeOperations(app: OpenAPIHono, operations: readonly OperationFacts[]): void {
  app.openAPIRegistry.registerComponent('securitySchemes', 'key', {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key: `Authorization: Bearer hk_live_…`',
  });
  for (const facts of operations) app.openAPIRegistry.registerPath(routeOf(facts));
}

function routeOf(facts: OperationFacts) {
  const { method, path, summary, scope, documentedBody, query } = facts;
  const content = documentedBody && { [documentedBody.contentType]: { schema: documentedBody.schema } };
  return createRoute({
    method,
    path,
    summary,
    description: `Scope: \`${scope}\`.`,
    security: [{ key: [] }],
    request: {
      params: z.object(Object.fromEntries(paramsOf(path).map((name) => [name, z.string()]))),
      query,
      ...(facts.takesIdempotencyKey
        ? { headers: z.object({ 'idempotency-key': z.string().max(255).optional() }) }
        : {}),
      ...(content === undefined ? {} : { body: { content, required: true } }),
    },
    responses: responsesOf(facts),
  });
}

function paramsOf(path: string): string[] {
  return Array.from(path.matchAll(/\{(\w+)\}/g), (match) => match[1] ?? '');
}

function responsesOf(facts: OperationFacts) {
  const success = { content: { 'application/json': { schema: facts.answer } } };
  const responses: Record<number, { description: string; content: Record<string, { schema: z.ZodType }> }> = {
    [facts.status]: { description: 'Done', ...success },
  };
  if (facts.otherStatus) {
    responses[facts.otherStatus.status] = { description: facts.otherStatus.description, ...success };
  }
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of new Set([...COMMON, ...facts.errors])) {
    const { status } = ERROR_TABLE[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  for (const [status, codes] of byStatus) {
    responses[status] = {
      description: codes.map((code) => `\`${code}\``).join(', '),
      content: { 'application/json': { schema: errorSchema } },
    };
  }
  return responses;
}

/** The document that `/dev/openapi.json` answers with. */
export function documentOf(app: OpenAPIHono, publicUrl: string): object {
  return app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Hookladder',
      version: '1',
      description: 'Publish events, read what became of them, manage endpoints.',
    },
    servers: [{ url: publicUrl }],
  });
}
