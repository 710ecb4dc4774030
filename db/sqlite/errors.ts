import { type StoreFault, StoreUnavailable } from '@/server/ports/store-unavailable';

function sqliteCode(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const code: unknown = Reflect.get(error, 'code');
  return typeof code === 'string' && code.startsWith('SQLITE_') ? code : '';
}

/** Another connection holds the lock. */
export function isBusy(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test(sqliteCode(error));
}

function faultOf(code: string): StoreFault | null {
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) return 'busy';
  if (code.startsWith('SQLITE_FULL')) return 'full';
  if (/^SQLITE_(IOERR|CANTOPEN|READONLY)/.test(code)) return 'io';
  return null;
}

/** What a caller sees: a fault that passes as `StoreUnavailable`, all else as it is. */
export function toStoreError(error: unknown): unknown {
  const fault = faultOf(sqliteCode(error));
  return fault === null ? error : new StoreUnavailable(fault, error);
}
