import type { Decision, SettleEnd } from '@/server/ports/store';
import { insertRows, type Value } from './bulk';
import { type Client, select } from './connect';

const COLUMNS = [
  'id',
  'delivery_id',
  'app_id',
  'environment',
  'endpoint_id',
  'number',
  'cycle',
  'trigger',
  'actor',
  'started_at',
  'ended_at',
  'duration_ms',
  'dns_ms',
  'connect_ms',
  'tls_ms',
  'first_byte_ms',
  'outcome',
  'status_code',
  'error_class',
  'message',
  'url',
  'address',
  'ladder',
  'step',
  'probe',
  'counted',
  'epoch',
  'breaker_id',
  'retried_stale',
];

const FIRST_COMPLETED = COLUMNS.indexOf('started_at');
/** What a late end knows better than the `unknown` record of its number (R-DEL-2). */
const COMPLETE = `ON CONFLICT (delivery_id, number) DO UPDATE SET
  ${COLUMNS.slice(FIRST_COMPLETED)
    .map((column) => `"${column}" = excluded."${column}"`)
    .join(', ')}
  WHERE attempts.outcome = 'unknown'`;

export interface AttemptRecord {
  id: number;
  end: SettleEnd;
  decision: Decision;
  breakerId: number | null;
}

function valuesOf({ id, end, decision, breakerId }: AttemptRecord): Value[] {
  return [
    id,
    end.deliveryId,
    end.appId,
    end.environment,
    end.endpointId,
    end.number,
    end.cycle,
    end.trigger,
    end.actor,
    end.startedAt,
    end.endedAt,
    end.durationMs,
    end.timing.dnsMs,
    end.timing.connectMs,
    end.timing.tlsMs,
    end.timing.firstByteMs,
    decision.outcome,
    decision.statusCode,
    decision.errorClass,
    decision.message,
    end.url,
    end.address,
    decision.ladder,
    decision.step,
    end.probe,
    decision.counted,
    end.epoch,
    breakerId,
    end.retriedStale,
  ];
}

/** Records of attempts gathered in memory: one for each number of a delivery, of which a later end completes an `unknown` one. */
export interface AttemptBuffer {
  /** Adds the record. Its id: that of the one it completes, or a new one; null where its number is recorded already. */
  add(record: Omit<AttemptRecord, 'id'>): Promise<number | null>;
  flush(): Promise<void>;
}

/** Numbers from a sequence, the first one last, so that they can be popped. */
export async function drawIds(client: Client, sequence: string, count: number): Promise<number[]> {
  if (count === 0) return [];
  const rows = await select<{ id: number }>(
    client,
    'SELECT nextval($1::regclass) AS id FROM generate_series(1, $2::int)',
    [sequence, count],
  );
  return rows.map(({ id }) => id).reverse();
}

interface Buffered {
  id: number;
  outcome: string;
  values: Value[];
}

export async function openAttempts(client: Client, most: number): Promise<AttemptBuffer> {
  const ids = await drawIds(client, 'attempts_id_seq', most);
  const records = new Map<string, Buffered>();

  /** What is recorded of the number already: here, or where the end is late in the database. */
  const earlierOf = async ({
    end,
    decision,
  }: Omit<AttemptRecord, 'id'>): Promise<Omit<Buffered, 'values'> | undefined> => {
    const buffered = records.get(keyOf(end));
    if (buffered !== undefined || decision.record !== 'complete') return buffered;
    const text = 'SELECT id, outcome FROM attempts WHERE delivery_id = $1 AND number = $2';
    return (await select<Omit<Buffered, 'values'>>(client, text, [end.deliveryId, end.number]))[0];
  };

  return {
    async add(record) {
      const earlier = await earlierOf(record);
      if (earlier !== undefined && earlier.outcome !== 'unknown') return null;
      const id = earlier?.id ?? ids.pop();
      if (id === undefined) throw new Error('No number was drawn for an attempt.');
      const values = valuesOf({ ...record, id });
      const key = keyOf(record.end);
      const kept = records.get(key)?.values.slice(0, FIRST_COMPLETED);
      if (kept !== undefined) values.splice(0, FIRST_COMPLETED, ...kept);
      records.set(key, { id, outcome: record.decision.outcome, values });
      return id;
    },
    async flush() {
      const rows = [...records.values()].map(({ values }) => values);
      await insertRows(client, { table: 'attempts', columns: COLUMNS, rows }, COMPLETE);
    },
  };
}

function keyOf({ deliveryId, number }: SettleEnd): string {
  return `${deliveryId}/${number}`;
}
