// From what a publisher gave to the record that is written: all that is decided about one event alone.
import { buildSentBytes } from '@/server/core/envelope';
import { isEventType, isReservedType } from '@/server/core/event-filter';
import { makeId } from '@/server/core/ids';
import { scanValue } from '@/server/core/json-slice';
import type { Environment } from '@/server/core/model';
import { evaluateMoney, type MoneyFacts } from '@/server/core/money';
import { sha256Hex } from '@/server/core/sha256';
import type { Random } from '@/server/ports/random';
import type { AppEnvironmentRow, EventTypeRow } from '@/server/ports/records';
import type { PublishRecord } from '@/server/ports/store';
import { invalid, ServiceError } from './service-error';

/** R-PUB-8: bytes of a published body. */
export const MAX_EVENT_BODY = 256 * 1_024;

/** One event as published: over whichever way it came, these are the publisher's own bytes (R-PUB-4). */
export interface Draft {
  type: string;
  body: Uint8Array;
  /** As the event's own, where the app uses no envelope. */
  contentType: string;
  /** Epoch ms. */
  occurredAt: number | null;
}

export interface Warning {
  code: string;
  message: string;
}

export interface Recording {
  settings: AppEnvironmentRow;
  /** The catalogue's entry; null: unlisted. */
  entry: EventTypeRow | null;
  random: Random;
  now: number;
  actor: string | null;
}

export interface Recorded {
  record: PublishRecord;
  warnings: Warning[];
}

/** Checks the type as R-PUB-8 and R-PUB-10 have it. `at` prefixes the field's name. @throws ServiceError */
export function checkType(type: string, at = ''): void {
  if (!isEventType(type)) {
    throw invalid(`${at}type`, 'A type has 1 to 128 characters of a–z, 0–9, dot, hyphen and underscore.');
  }
  if (isReservedType(type)) {
    throw new ServiceError(
      'reserved_type',
      'Types that begin with webhook., endpoint., delivery. or breaker. are ours.',
      {
        details: [{ path: `${at}type`, message: 'This type is reserved.' }],
      },
    );
  }
}

/** @throws ServiceError invalid_request, payload_too_large */
export function makeRecord(draft: Draft, recording: Recording, at = ''): Recorded {
  const { settings, entry, actor } = recording;
  if (draft.body.length > MAX_EVENT_BODY) {
    throw new ServiceError('payload_too_large', 'An event body has at most 256 KiB.', {
      details: [{ path: `${at}body`, message: 'This body has more than 256 KiB.' }],
    });
  }
  const warnings = listed(draft.type, recording, at);
  // The rule is read on the published bytes, before any envelope (R-MON-3).
  const money = evaluateMoney(entry?.money ?? null, draft.body);
  return {
    record: recordOf({ draft, settings, money, actor, testEndpointId: null }, recording, at),
    warnings,
  };
}

/** A test send's record: no catalogue, no money, one endpoint (R-RES-3). @throws ServiceError invalid_request */
export function makeTestRecord(draft: Draft, recording: Recording, endpointId: number): PublishRecord {
  const money = evaluateMoney(null, draft.body);
  const { settings, actor } = recording;
  return recordOf({ draft, settings, money, actor, testEndpointId: endpointId }, recording, '');
}

function recordOf(
  parts: {
    draft: Draft;
    settings: AppEnvironmentRow;
    money: MoneyFacts;
    actor: string | null;
    testEndpointId: number | null;
  },
  recording: Pick<Recording, 'random' | 'now'>,
  at: string,
): PublishRecord {
  const { draft, settings } = parts;
  const { now, random } = recording;
  const publicId = makeId('evt', now, random.bytes(10));
  const { appId, environment } = settings;
  const sent = sentBytes(draft, { id: publicId, environment, createdAt: now, mode: settings.envelope, at });
  return {
    appId,
    environment,
    publicId,
    type: draft.type,
    body: sent,
    contentType: settings.envelope === 'standard' ? 'application/json' : draft.contentType,
    bodySha256: sha256Hex(sent),
    createdAt: now,
    occurredAt: draft.occurredAt,
    ...parts.money,
    testEndpointId: parts.testEndpointId,
    actor: parts.actor,
  };
}

/** R-PUB-9: built once; every attempt to every endpoint sends exactly these bytes. */
function sentBytes(
  draft: Draft,
  made: { id: string; environment: Environment; createdAt: number; mode: 'standard' | 'none'; at: string },
): Uint8Array {
  const { id, environment, createdAt, mode } = made;
  if (mode === 'none') return draft.body;
  const value = scanValue(draft.body);
  if (!value.ok) {
    throw invalid(`${made.at}body`, `The body must be JSON: ${value.message} at byte ${value.at}.`);
  }
  const data = draft.body.subarray(value.start, value.end);
  return buildSentBytes(mode, { id, type: draft.type, environment, createdAt, data });
}

/** R-PUB-10: an unlisted type is accepted with a warning, or refused where the app says so. */
function listed(type: string, recording: Recording, at: string): Warning[] {
  if (recording.entry !== null) return [];
  if (recording.settings.catalogueMode === 'reject') {
    throw invalid(`${at}type`, 'This type is not in the catalogue, and the app accepts only types that are.');
  }
  return [{ code: 'unlisted_type', message: `The type ${type} is not in the catalogue of this app.` }];
}

/** R-PUB-5: what an idempotency key of an event stands for: its type and body, whichever way it came. */
export function eventContentHash(draft: Pick<Draft, 'type' | 'body'>): string {
  return sha256Hex(draft.type, '\n', draft.body);
}
