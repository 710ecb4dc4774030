import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '@/server/ports/random';

const KEYS_FILE = 'keys.json';
const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

/** What is made once beside the database and kept for good. */
export interface FolderKeys {
  /** 32 bytes, base64. */
  masterKey?: string;
  sessionSecret?: string;
  dispatchToken?: string;
  metricsToken?: string;
}

/** A file that only its owner may read. */
export function writePrivateFile(path: string, text: string): void {
  writeFileSync(path, text, { mode: PRIVATE_FILE });
  chmodSync(path, PRIVATE_FILE);
}

/** Reads what the folder keeps; empty when there is none. @throws when the file is there and is no JSON. */
export function readFolderKeys(folder: string): FolderKeys {
  const path = join(folder, KEYS_FILE);
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as FolderKeys) : {};
}

/**
 * Makes what is wanted and not there yet, and keeps it (0600). Two processes that start at once agree, because the
 * launcher calls this before any of them.
 */
export function ensureFolderKeys(
  folder: string,
  wanted: readonly (keyof FolderKeys)[],
  random: Random,
): { keys: FolderKeys; made: readonly (keyof FolderKeys)[] } {
  mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
  const known = readFolderKeys(folder);
  const made = wanted.filter((name) => known[name] === undefined);
  if (made.length === 0) return { keys: known, made };
  const fresh = Object.fromEntries(made.map((name) => [name, secretText(name, random)]));
  const keys = { ...known, ...fresh };
  writePrivateFile(join(folder, KEYS_FILE), `${JSON.stringify(keys, null, 2)}\n`);
  return { keys, made };
}

function secretText(name: keyof FolderKeys, random: Random): string {
  return Buffer.from(random.bytes(32)).toString(name === 'masterKey' ? 'base64' : 'base64url');
}
