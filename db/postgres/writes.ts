import type { DeliveryState, EndpointHealth } from '@/server/core/model';
import type { BreakerRow } from '@/server/ports/records';
import {
  HEALTH_COLUMNS,
  healthValues,
  LEASE_COLUMNS,
  leaseValues,
  STATE_COLUMNS,
  stateValues,
} from '../sqlite/columns';
import type { BreakerHolder } from '../sqlite/lane';
import type { Writes } from '../sqlite/writes';
import { insertRows, updateRows, type Value } from './bulk';
import { type Client, execute } from './connect';
import { Outrun } from './errors';

type Patch = Map<string, Value>;

const BREAKER_COLUMNS = [
  'state',
  'epoch',
  'opened_at',
  'pause_ms',
  'probe_at',
  'probe_delivery_id',
  'probe_token',
  'closed_at',
  'drain_cursor',
  'opened_by',
];
const BREAKER_KEY_COLUMNS = ['id', 'public_id', 'app_id', 'environment', 'endpoint_id', 'created_at'];

const breakerValues = (row: BreakerRow): Value[] => [
  row.state,
  row.epoch,
  row.openedAt,
  row.pauseMs,
  row.probeAt,
  row.probeDeliveryId,
  row.probeToken,
  row.closedAt,
  row.drainCursor,
  JSON.stringify(row.openedBy),
];

const EVENT_COLUMNS = ['breaker_id', 'app_id', 'environment', 'at', 'kind', 'epoch', 'pause_ms', 'probe_at'];

const OPEN_GATE = `INSERT INTO gate_intervals (app_id, environment, endpoint_id, kind, from_at)
  VALUES ($1, $2, $3, 'breaker', $4)`;
const CLOSE_GATE = `UPDATE gate_intervals SET to_at = $4 WHERE app_id = $1 AND environment = $2
  AND endpoint_id IS NOT DISTINCT FROM $3 AND kind = 'breaker' AND to_at IS NULL`;

/** A row that cannot be read ends here and stops nothing. */
const SET_ASIDE: readonly (readonly [string, Value])[] = [
  ['status', 'failed'],
  ['reason', 'corrupt'],
  ['due_at', null],
  ['wait_cause', null],
  ['next_trigger', 'retry'],
  ['last_outcome', 'unknown'],
  ['last_error_class', 'corrupt'],
];

export interface WriteBufferDeps {
  newId: (prefix: string) => string;
  /** Numbers drawn from the sequence for breakers that may have to be made; empty: none may. */
  breakerIds?: number[];
  /** Whether the transaction holds the breaker's row; what it does not hold it may not write. */
  holdsBreaker: (id: number) => boolean;
}

/** Writes gathered in memory and sent together: one statement for each set of columns that some rows share. */
export interface WriteBuffer extends Writes {
  /** Rows of deliveries that were leased or ended here. */
  readonly taken: ReadonlySet<number>;
  flush(client: Client): Promise<void>;
}

class Gathered implements WriteBuffer {
  readonly taken = new Set<number>();
  private readonly deliveries = new Map<number, Patch>();
  private readonly endpoints = new Map<number, EndpointHealth>();
  private readonly made = new Map<number, BreakerHolder>();
  private readonly moved = new Map<number, BreakerHolder>();
  private readonly history: Value[][] = [];
  private readonly gates: { open: boolean; values: Value[] }[] = [];

  constructor(private readonly deps: WriteBufferDeps) {}

  state(id: number, state: DeliveryState): void {
    this.patch(id, STATE_COLUMNS, stateValues(state));
    this.taken.add(id);
  }

  stateAndRelease(id: number, state: DeliveryState, durationMs: number | null): void {
    this.state(id, state);
    if (durationMs !== null) this.lastDuration(id, durationMs);
    this.unlease(id);
  }

  lease(id: number, lease: Parameters<Writes['lease']>[1]): void {
    this.patch(id, LEASE_COLUMNS, leaseValues(lease));
    this.taken.add(id);
  }

  releaseLease(id: number): void {
    this.unlease(id);
  }

  lastDuration(id: number, durationMs: number): void {
    this.patch(id, ['last_duration_ms'], [durationMs]);
  }

  deadline(id: number, at: number): void {
    this.patch(id, ['deadline_at'], [at]);
  }

  setAside(id: number, now: number): void {
    const patch = this.patchOf(id);
    for (const [column, value] of SET_ASIDE) patch.set(column, value);
    patch.set('ended_at', now);
    this.unlease(id);
    this.taken.add(id);
  }

  health(endpointId: number, health: EndpointHealth): void {
    this.endpoints.set(endpointId, health);
  }

  ensureBreaker(holder: BreakerHolder): BreakerRow {
    if (holder.row.id !== 0) return holder.row;
    const id = this.deps.breakerIds?.pop();
    if (id === undefined) throw new Outrun('No number was drawn for a new breaker.');
    holder.row = { ...holder.row, id, publicId: this.deps.newId('brk') };
    this.made.set(id, holder);
    return holder.row;
  }

  breaker(...[holder, next, { events, now }]: Parameters<Writes['breaker']>): void {
    const row = this.ensureBreaker(holder);
    if (!this.made.has(row.id)) {
      if (!this.deps.holdsBreaker(row.id)) throw new Outrun('A breaker is to move whose row is not held.');
      this.moved.set(row.id, holder);
    }
    holder.row = { ...row, ...next };
    const { appId, environment, endpointId } = row;
    for (const kind of events) {
      this.history.push([row.id, appId, environment, now, kind, next.epoch, next.pauseMs, next.probeAt]);
      const values = [appId, environment, endpointId, now];
      if (kind === 'opened') this.gates.push({ open: true, values });
      if (kind === 'closed' || kind === 'reset') this.gates.push({ open: false, values });
    }
  }

  async flush(client: Client): Promise<void> {
    await this.flushBreakers(client);
    await this.flushDeliveries(client);
    const health = [...this.endpoints].map(([id, next]) => [id, ...healthValues(next)]);
    await updateRows(client, { table: 'endpoints', columns: HEALTH_COLUMNS, rows: health });
  }

  private async flushBreakers(client: Client): Promise<void> {
    const made = [...this.made.values()].map(({ row }) => [
      row.id,
      row.publicId,
      row.appId,
      row.environment,
      row.endpointId,
      row.createdAt,
      ...breakerValues(row),
    ]);
    await insertRows(client, {
      table: 'breakers',
      columns: [...BREAKER_KEY_COLUMNS, ...BREAKER_COLUMNS],
      rows: made,
    });
    const moved = [...this.moved.values()].map(({ row }) => [row.id, ...breakerValues(row)]);
    await updateRows(client, { table: 'breakers', columns: BREAKER_COLUMNS, rows: moved });
    await insertRows(client, { table: 'breakerEvents', columns: EVENT_COLUMNS, rows: this.history });
    for (const { open, values } of this.gates) await execute(client, open ? OPEN_GATE : CLOSE_GATE, values);
  }

  private async flushDeliveries(client: Client): Promise<void> {
    const shapes = new Map<string, { columns: string[]; rows: Value[][] }>();
    for (const [id, patch] of this.deliveries) {
      const columns = [...patch.keys()];
      const key = columns.join();
      const shape = shapes.get(key) ?? { columns, rows: [] };
      shapes.set(key, shape);
      shape.rows.push([id, ...patch.values()]);
    }
    for (const shape of shapes.values()) await updateRows(client, { table: 'deliveries', ...shape });
  }

  private unlease(id: number): void {
    this.patch(id, LEASE_COLUMNS, []);
  }

  private patch(id: number, columns: readonly string[], values: readonly Value[]): void {
    const patch = this.patchOf(id);
    for (const [place, column] of columns.entries()) patch.set(column, values[place] ?? null);
  }

  private patchOf(id: number): Patch {
    const known = this.deliveries.get(id);
    if (known !== undefined) return known;
    const patch: Patch = new Map();
    this.deliveries.set(id, patch);
    return patch;
  }
}

export function createWriteBuffer(deps: WriteBufferDeps): WriteBuffer {
  return new Gathered(deps);
}
