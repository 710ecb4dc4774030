// What an operator does to the database file itself, beside a running product: look it over, copy it, bring it up to
// date. Reads have a connection of their own that cannot write.
import { closeSync, existsSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { openReader } from '@/db/sqlite/connect';
import { pendingMigrations } from '@/db/sqlite/migrate';
import { secretIdentity } from '@/server/core/sealed-identity';
import type { SecretBox } from '@/server/ports/secret-box';
import { UsageError } from './args';

export interface Finding {
  /** What was looked at. */
  check: string;
  ok: boolean;
  /** One sentence; where it is not well, what to do. */
  message: string;
}

/** Longer than any lease can run: what is older was left behind and no sweep has come by. */
const LEASE_OVERDUE_MS = 10 * 60_000;
/** Integrity findings that are named. */
const NAMED = 5;

/** Looks the database over: integrity, links, migrations, stuck rows, sealed secrets, keys. Changes nothing. */
export function checkDatabase(file: string, by: { now: number; secretBox: SecretBox }): readonly Finding[] {
  if (!existsSync(file))
    return [bad('file', `There is no database at ${file}. Run: npm run admin -- migrate`)];
  const pending = pendingMigrations(file);
  if (pending.length > 0) {
    return [
      bad(
        'migrations',
        `${pending.length} not applied (${pending.join(', ')}). Run: npm run admin -- migrate`,
      ),
    ];
  }
  const db = openReader(file);
  try {
    return [
      good('migrations', 'All are applied.'),
      integrity(db),
      links(db),
      leases(db, by.now),
      dueless(db),
      secrets(db, by.secretBox),
      apiKeys(db, by.now),
    ];
  } finally {
    db.close();
  }
}

type Reader = ReturnType<typeof openReader>;

function integrity(db: Reader): Finding {
  const found = db.prepare<[], string>('PRAGMA integrity_check(20)').pluck().all();
  if (found.length === 1 && found[0] === 'ok') return good('integrity', 'Every page and index is sound.');
  const named = found.slice(0, NAMED).join('; ');
  return bad('integrity', `The file is damaged: ${named}. Stop the product and restore the last backup.`);
}

function links(db: Reader): Finding {
  const found = db.prepare<[], { table: string }>('PRAGMA foreign_key_check').all();
  if (found.length === 0) return good('links', 'Every row that is pointed at exists.');
  const tables = [...new Set(found.map(({ table }) => table))].join(', ');
  return bad('links', `Rows that point at nothing: ${found.length} (${tables}). Restore the last backup.`);
}

function leases(db: Reader, now: number): Finding {
  const stuck = count(db, 'SELECT count(*) FROM deliveries WHERE lease_until < ?', now - LEASE_OVERDUE_MS);
  return stuck === 0
    ? good('leases', 'No lease is left behind.')
    : bad(
        'leases',
        `Deliveries left behind on a lease that is over: ${stuck}. Is an engine running? /readyz says.`,
      );
}

function dueless(db: Reader): Finding {
  const stuck = count(
    db,
    `SELECT count(*) FROM deliveries WHERE status = 'pending' AND endpoint_id IS NOT NULL AND due_at IS NULL`,
  );
  return stuck === 0
    ? good('pending', 'Every pending delivery has an instant at which it is due.')
    : bad('pending', `Pending deliveries that are never due: ${stuck}. This is a fault of ours: report it.`);
}

interface SealedRow {
  endpointId: number;
  publicId: string;
  appId: number;
  version: number;
  keyId: string;
  ciphertext: Uint8Array;
}

function secrets(db: Reader, secretBox: SecretBox): Finding {
  const rows = db
    .prepare<[], SealedRow>(
      `SELECT s.endpoint_id AS endpointId, e.public_id AS publicId, s.app_id AS appId, s.version, s.key_id AS keyId,
              s.ciphertext
         FROM endpoint_secrets s JOIN endpoints e ON e.id = s.endpoint_id`,
    )
    .all();
  const closed = rows.filter(
    ({ keyId, ciphertext, ...row }) => !secretBox.open({ keyId, ciphertext }, secretIdentity(row)).ok,
  );
  const old = rows.filter(({ keyId }) => keyId !== secretBox.currentKeyId).length;
  if (closed.length > 0) {
    const named = [...new Set(closed.map(({ publicId }) => publicId))].slice(0, NAMED).join(', ');
    return bad(
      'secrets',
      `${closed.length} of ${rows.length} endpoint secrets cannot be opened (${named}). Give HOOKLADDER_MASTER_KEY the key that sealed them, or rotate them.`,
    );
  }
  return good('secrets', `${rows.length} open; ${old} under an older master key.`);
}

function apiKeys(db: Reader, now: number): Finding {
  const all = count(db, 'SELECT count(*) FROM api_keys WHERE revoked_at IS NULL');
  const over = count(db, 'SELECT count(*) FROM api_keys WHERE revoked_at IS NULL AND expires_at <= ?', now);
  return good('api_keys', `${all - over} in force, ${over} expired.`);
}

function count(db: Reader, sql: string, ...values: number[]): number {
  return (
    db
      .prepare<number[], number>(sql)
      .pluck()
      .get(...values) ?? 0
  );
}

function good(check: string, message: string): Finding {
  return { check, ok: true, message };
}

function bad(check: string, message: string): Finding {
  return { check, ok: false, message };
}

/** Writes a consistent copy while the product runs, readable by its owner alone. Returns path and bytes. */
export function backupDatabase(file: string, to: string): { path: string; bytes: number } {
  const path = resolve(to);
  if (!existsSync(file)) throw new UsageError(`There is no database at ${file}.`);
  if (existsSync(path)) throw new UsageError(`${path} exists already. Name a file that does not.`);
  if (!existsSync(dirname(path)))
    throw new UsageError(`The folder ${dirname(path)} does not exist. Make it first.`);
  // Made empty and private first: there is no instant at which others may read it.
  closeSync(openSync(path, 'wx', 0o600));
  const db = openReader(file);
  try {
    // The connection stays read-only; this guard would forbid writing the copy as well.
    db.pragma('query_only = OFF');
    db.prepare('VACUUM INTO ?').run(path);
  } catch (cause) {
    rmSync(path, { force: true });
    throw cause;
  } finally {
    db.close();
  }
  return { path, bytes: statSync(path).size };
}
