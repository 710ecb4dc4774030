// What every process of an installation is made of: keys, store, clock, chance, log. The console and the engine add
// their own parts on top (container.ts, engine-runtime.ts).
import { createSecretKey } from 'node:crypto';
import { createAesSecretBox, type MasterKey } from '@/server/adapters/aes-secret-box';
import { type FolderKeys, readFolderKeys } from '@/server/adapters/data-folder';
import { createLogger } from '@/server/adapters/log';
import { createSystemClock } from '@/server/adapters/system-clock';
import { createSystemRandom } from '@/server/adapters/system-random';
import { makeId } from '@/server/core/ids';
import type { Env } from '@/server/env';
import type { Clock } from '@/server/ports/clock';
import type { Logger } from '@/server/ports/logger';
import type { Random } from '@/server/ports/random';
import type { SecretBox } from '@/server/ports/secret-box';
import type { Store } from '@/server/ports/store';
import { openStorage } from '@/server/storage';

export interface Runtime {
  env: Env;
  /** What was made once into the data folder. */
  folderKeys: FolderKeys;
  store: Store;
  clock: Clock;
  random: Random;
  log: Logger;
  secretBox: SecretBox;
  newId(prefix: string): string;
}

export type Part = 'console' | 'engine' | 'prepare' | 'admin';

/** Opens the installation for one process (or thread). @throws when no master key is to be had. */
export function createRuntime(env: Env, part: Part): Runtime {
  const machine = createSystemClock();
  const random = createSystemRandom();
  const log = createLogger({ level: levelOf(env.logLevel), clock: machine, base: { part } });
  const folderKeys = readFolderKeys(env.dataFolder);
  const newId = (prefix: string) => makeId(prefix, machine.now(), random.bytes(10));
  const secretBox = createAesSecretBox(masterKeysOf(env, folderKeys), random);
  const { store, clock } = openStorage(env, { clock: machine, log, newId });
  return { env, folderKeys, store, clock, random, log, secretBox, newId };
}

function masterKeysOf(env: Env, folder: FolderKeys): readonly [MasterKey, ...MasterKey[]] {
  const given = env.masterKeys.map(({ id, key }) => ({ id, key: createSecretKey(key) }));
  const [first, ...rest] = given;
  if (first) return [first, ...rest];
  if (!env.demo || !folder.masterKey) {
    throw new Error('There is no master key: set HOOKLADDER_MASTER_KEY (openssl rand -base64 32).');
  }
  return [{ id: 'demo', key: createSecretKey(Buffer.from(folder.masterKey, 'base64')) }];
}

function levelOf(level: Env['logLevel']) {
  if (level === 'trace') return 'debug';
  return level === 'fatal' ? 'error' : level;
}
