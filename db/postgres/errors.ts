import { type StoreFault, StoreUnavailable } from '@/server/ports/store-unavailable';

/** What the transaction found was no longer true when it wrote: the same work again finds what is true now. */
export class Outrun extends Error {}

/** SQLSTATE, or Node's own code where the connection failed; '' where there is none. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const code: unknown = Reflect.get(error, 'code');
  if (typeof code === 'string') return code;
  // Drizzle wraps what the driver throws.
  return error.cause instanceof Error ? codeOf(error.cause) : '';
}

function constraintOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const constraint: unknown = Reflect.get(error, 'constraint');
  if (typeof constraint === 'string') return constraint;
  return error.cause instanceof Error ? constraintOf(error.cause) : '';
}

const SERIALIZATION = '40001';
const DEADLOCK = '40P01';
const UNIQUE = '23505';

/** Two transactions that each make the row of the same breaker, or the next version of the same policy. */
const MADE_TWICE: ReadonlySet<string> = new Set(['breakers_endpoint', 'breakers_app', 'policies_version']);

/** Whether the same work, done again from its beginning, may come to its end. */
export function isOutrun(error: unknown): boolean {
  const code = codeOf(error);
  if (error instanceof Outrun || code === SERIALIZATION || code === DEADLOCK) return true;
  return code === UNIQUE && MADE_TWICE.has(constraintOf(error));
}

/** A row that this one points at went while the transaction ran. */
export function isForeignKeyFault(error: unknown): boolean {
  return codeOf(error) === '23503';
}

const BUSY: ReadonlySet<string> = new Set([SERIALIZATION, DEADLOCK, '55P03', '57014', '53300']);
const FULL: ReadonlySet<string> = new Set(['53100', '53200']);
/** The server is going, coming or read-only; the connection is gone or never was, or remembers tables as they were. */
const IO =
  /^(08...|0A000|57P0[1-5]|25006|25P03|58...|ECONN(REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENOENT)$/;
/** What the driver says in words alone. */
const LOST =
  /connection terminated|connection ended|client was closed|not queryable|timeout exceeded when trying to connect/i;

function faultOf(error: unknown): StoreFault | null {
  const code = codeOf(error);
  if (error instanceof Outrun || BUSY.has(code)) return 'busy';
  if (FULL.has(code)) return 'full';
  if (IO.test(code) || (code === '' && error instanceof Error && LOST.test(error.message))) return 'io';
  return null;
}

/** The connection is of no use any more. */
export function isLost(error: unknown): boolean {
  return faultOf(error) === 'io';
}

/** What a caller sees: a fault that passes as `StoreUnavailable`, all else as it is. */
export function toStoreError(error: unknown): unknown {
  if (error instanceof StoreUnavailable) return error;
  const fault = faultOf(error);
  return fault === null ? error : new StoreUnavailable(fault, error);
}
