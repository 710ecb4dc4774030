// A real engine in a process of its own, for suites that kill it: it stops at the point it was told, says so on its
// channel, and waits to be killed. Arguments: database, point or `none`, which occurrence.
import { createSecretKey } from 'node:crypto';
import { createSqliteStore } from '@/db/sqlite/store';
import { createAesSecretBox } from '@/server/adapters/aes-secret-box';
import { createSystemClock } from '@/server/adapters/system-clock';
import { createSystemRandom } from '@/server/adapters/system-random';
import { createDecider } from '@/server/core/decide';
import { makeId } from '@/server/core/ids';
import type { KillPoint } from '@/server/engine/attempt';
import { createEngine } from '@/server/engine/engine';
import { createSigner } from '@/server/engine/signer';
import { loopbackDispatcher } from './loopback-dispatcher';

const [path = '', point = 'none', nth = '1'] = process.argv.slice(2);
const clock = createSystemClock();
const random = createSystemRandom();
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
let seen = 0;

/** Reached for the last time: nothing of this process runs on. */
function announce(reached: KillPoint): Promise<void> {
  if (reached !== point) return Promise.resolve();
  seen += 1;
  if (seen < Number(nth)) return Promise.resolve();
  process.send?.({ reached });
  return new Promise(() => undefined);
}

const engine = createEngine({
  store: createSqliteStore({ path, newId: (prefix) => makeId(prefix, clock.now(), random.bytes(10)) }),
  dispatcher: loopbackDispatcher(),
  decider: createDecider({ unknownWaitsMs: [0, 20, 20] }),
  signer: createSigner({
    secretBox: createAesSecretBox([{ id: 'k1', key: createSecretKey(Buffer.alloc(32, 7)) }], random),
    userAgent: 'Hookladder/1',
    spanId: () => '00f067aa0ba902b7',
  }),
  clock,
  random,
  log: silent,
  options: {
    concurrency: 16,
    endpointConcurrency: 4,
    leaseMs: () => 1_500,
    maxLeaseMs: 3_000,
    longestSleepMs: 250,
    graceMs: 5_000,
  },
  announce,
});
engine.start();
process.on('SIGTERM', () => void engine.stop().then(() => process.exit(0)));
