// An attempt's row as the resource of api.md. No library's message ever comes this far (R-ATT-18).
import { ERROR_CLASSES } from '@/server/core/error-class';
import { deriveId } from '@/server/core/ids';
import type { AttemptRow } from '@/server/ports/records';
import type { AttemptResource } from '../contract';
import { iso } from './delivery';
import { shownUrl } from './endpoint';
import type { View } from './view';

/** The public id of an attempt's row. */
export function attemptId(row: Pick<AttemptRow, 'startedAt' | 'id'>): string {
  return deriveId('att', row.startedAt, row.id);
}

/** `delivery`: the public id of the delivery that it was made for. */
export function renderAttempt(
  row: AttemptRow,
  delivery: string,
  view: Pick<View, 'hidesQueries'>,
): AttemptResource {
  return {
    id: attemptId(row),
    delivery_id: delivery,
    number: row.number,
    cycle: row.cycle,
    trigger: row.trigger,
    actor: row.actor,
    started_at: iso(row.startedAt),
    duration_ms: row.durationMs,
    timing: {
      dns_ms: row.dnsMs,
      connect_ms: row.connectMs,
      tls_ms: row.tlsMs,
      first_byte_ms: row.firstByteMs,
    },
    outcome: row.outcome,
    status_code: row.statusCode,
    error_class: row.errorClass,
    message: attemptMessage(row),
    url: shownUrl(row.url, view),
    address: row.address,
    ladder: row.ladder,
    step: row.step,
    retried_stale: row.retriedStale,
  };
}

/** What happened, in one plain sentence; null after a success. */
export function attemptMessage(row: Pick<AttemptRow, 'message' | 'errorClass'>): string | null {
  return row.message ?? (row.errorClass === null ? null : ERROR_CLASSES[row.errorClass].sentence);
}
