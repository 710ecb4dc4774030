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
    .join(', ')}`;

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

/** Records of attempts gathered in memory: one for each number of a delivery, whose later end completes the earlier. */
export interface AttemptBuffer {
  /** Adds the record and gives it its id: that of the one it completes, or a new one. */
  add(record: Omit<AttemptRecord, 'id'>): Promise<number>;
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
  values: Value[];
}

export async function openAttempts(client: Client, most: number): Promise<AttemptBuffer> {
  const ids = await drawIds(client, 'attempts_id_seq', most);
  const records = new Map<string, Buffered>();

  const stored = async ({ deliveryId, number }: SettleEnd): Promise<number | undefined> => {
    const text = 'SELECT id FROM attempts WHERE delivery_id = $1 AND number = $2';
    return (await select<{ id: number }>(client, text, [deliveryId, number]))[0]?.id;
  };

  const idFor = async ({ end, decision }: Omit<AttemptRecord, 'id'>): Promise<number> => {
    const id = (decision.record === 'complete' ? await stored(end) : undefined) ?? ids.pop();
    if (id === undefined) throw new Error('No number was drawn for an attempt.');
    return id;
  };

  return {
    async add(record) {
      const key = `${record.end.deliveryId}/${record.end.number}`;
      const earlier = records.get(key);
      const id = earlier?.id ?? (await idFor(record));
      const values = valuesOf({ ...record, id });
      if (earlier !== undefined)
        values.splice(0, FIRST_COMPLETED, ...earlier.values.slice(0, FIRST_COMPLETED));
      records.set(key, { id, values });
      return id;
    },
    async flush() {
      const rows = [...records.values()].map(({ values }) => values);
      await insertRows(client, { table: 'attempts', columns: COLUMNS, rows }, COMPLETE);
    },
  };
}
