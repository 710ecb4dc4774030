import { chmodSync, closeSync, existsSync, openSync } from 'node:fs';
import Database, { type Database as Connection } from 'better-sqlite3';

/** How long the writer blocks the event loop at most for a lock of another process, ms; the rest waits asynchronously. */
const WRITER_BUSY_MS = 20;
const READER_BUSY_MS = 50;
/** Pages of 4 KiB that gather before a checkpoint. */
const CHECKPOINT_PAGES = 4_000;

/** Only the owner may read the file, its log and its index: SQLite gives `-wal` and `-shm` the file's own mode. */
function ensurePrivateFile(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
}

/** The connection that writes. FULL is set by hand: in WAL mode the driver's build makes it NORMAL (P02). */
export function openWriter(path: string): Connection {
  ensurePrivateFile(path);
  const db = new Database(path, { timeout: WRITER_BUSY_MS });
  try {
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = FULL');
    db.pragma('foreign_keys = ON');
    db.pragma('secure_delete = ON');
    db.pragma('temp_store = MEMORY');
    db.pragma('cache_size = -65536');
    db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** A connection that cannot write. */
export function openReader(path: string): Connection {
  const db = new Database(path, { readonly: true, fileMustExist: true, timeout: READER_BUSY_MS });
  db.pragma('temp_store = MEMORY');
  db.pragma('cache_size = -32768');
  return db;
}
