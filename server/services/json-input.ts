// JSON that programs send: bounded before it is built (D26), and for events sliced, never rebuilt (R-PUB-4).
import { z } from 'zod';
import { type Slice, scanArray, scanObject } from '@/server/core/json-slice';
import type { Environment } from '@/server/core/model';
import { environmentSchema } from './contract';
import { MAX_BATCH_EVENTS } from './publish';
import type { Draft } from './publish-record';
import { invalid, ServiceError } from './service-error';
import { parseInput } from './verb';

/** A small request's object; `{}` for an empty body. @throws ServiceError invalid_request */
export function readJsonObject(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return {};
  const scan = scanObject(bytes);
  if (!scan.ok) throw malformed(scan);
  return parse(bytes, { start: 0, end: bytes.length });
}

/** An event as a program publishes it, its body still the publisher's own bytes. */
export interface PublishRequest {
  draft: Draft;
  /** Undefined: the key's. */
  environment: Environment | undefined;
  /** Of an item of a batch. */
  key: string | undefined;
}

const fieldsSchema = z.strictObject({
  type: z.string(),
  environment: environmentSchema.optional(),
  /** Present or not; its value is taken from the text. */
  body: z.literal(true).optional(),
  body_base64: z.base64().optional(),
  occurred_at: z.iso.datetime({ offset: true }).optional(),
});
const itemSchema = fieldsSchema.extend({ idempotency_key: z.string().optional() });

/** `{type, environment?, body | body_base64, occurred_at?}` @throws ServiceError invalid_request */
export function readPublishRequest(bytes: Uint8Array): PublishRequest {
  return readEvent(bytes, { within: whole(bytes), schema: fieldsSchema, path: [] });
}

/** `{events: […]}`, each as one event with `idempotency_key` (R-PUB-7). @throws ServiceError invalid_request */
export function readBatchRequest(bytes: Uint8Array): PublishRequest[] {
  const scan = scanObject(bytes, { deepKeys: ['events'] });
  if (!scan.ok) throw malformed(scan);
  const unknown = [...scan.entries.keys()].find((key) => key !== 'events');
  if (unknown !== undefined) throw invalid(unknown, 'This field is not known.');
  const events = scan.entries.get('events');
  if (events === undefined) throw invalid('events', 'Give the events as a list.');
  const items = scanArray(bytes, {
    within: events,
    maxDepth: Number.POSITIVE_INFINITY,
    maxEntries: MAX_BATCH_EVENTS,
  });
  if (!items.ok) throw invalid('events', `${items.message}, at byte ${items.at}.`);
  if (items.items.length === 0) throw invalid('events', 'Give at least one event.');
  return items.items.map((within, index) =>
    readEvent(bytes, { within, schema: itemSchema, path: ['events', String(index)] }),
  );
}

function readEvent(
  bytes: Uint8Array,
  from: { within: Slice; schema: typeof fieldsSchema | typeof itemSchema; path: readonly string[] },
): PublishRequest {
  const scan = scanObject(bytes, { within: from.within, deepKeys: ['body'] });
  if (!scan.ok)
    throw from.path.length === 0 ? malformed(scan) : invalid(from.path.join('.'), faultText(scan));
  const raw = Object.fromEntries(
    [...scan.entries].map(([key, slice]) => [key, key === 'body' ? true : parse(bytes, slice)]),
  );
  const fields: z.output<typeof itemSchema> = parseInput(from.schema, raw, from.path);
  const slice = scan.entries.get('body');
  if ((slice === undefined) === (fields.body_base64 === undefined)) {
    throw invalid([...from.path, 'body'].join('.'), 'Give either body or body_base64.');
  }
  const body =
    slice === undefined
      ? Uint8Array.from(Buffer.from(fields.body_base64 ?? '', 'base64'))
      : bytes.slice(slice.start, slice.end);
  return {
    draft: {
      type: fields.type,
      body,
      contentType: slice === undefined ? 'application/octet-stream' : 'application/json',
      occurredAt: fields.occurred_at === undefined ? null : Date.parse(fields.occurred_at),
    },
    environment: fields.environment,
    key: fields.idempotency_key,
  };
}

function whole(bytes: Uint8Array): Slice {
  return { start: 0, end: bytes.length };
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Only of what a scan has accepted. */
function parse(bytes: Uint8Array, slice: Slice): unknown {
  return JSON.parse(decoder.decode(bytes.subarray(slice.start, slice.end)));
}

function faultText(fault: { at: number; message: string }): string {
  return `Not valid here: ${fault.message}, at byte ${fault.at}.`;
}

function malformed(fault: { at: number; message: string }): ServiceError {
  return new ServiceError(
    'invalid_request',
    `The body is not valid JSON: ${fault.message}, at byte ${fault.at}.`,
    {
      details: [{ path: '', message: faultText(fault) }],
    },
  );
}
