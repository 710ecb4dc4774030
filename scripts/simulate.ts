// `npm run simulate`: whole lives of an installation under a virtual clock, each from one seed, looked on for what must
// always hold. --seeds N (from --from, 1 unless told, by --jobs processes) · --seed N [--trace] replays one.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const CHILD = fileURLToPath(new URL('../server/testing/simulation/child.ts', import.meta.url));
const DAY_MS = 86_400_000;

interface Result {
  seed: number;
  plan: { scale: string; policy: { name: string } };
  violations: readonly { rule: string; what: string }[];
  digest: string;
  stats: Record<string, number>;
}

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string', default: '200' },
    from: { type: 'string', default: '1' },
    jobs: { type: 'string', default: String(Math.min(4, availableParallelism())) },
    trace: { type: 'boolean', default: false },
  },
});

async function live(seeds: { first: number; last: number; step: number }, tell: (result: Result) => void) {
  const { first, last, step } = seeds;
  const args = ['--import', 'tsx', CHILD, ...[first, last, step].map(String), values.trace ? 'trace' : ''];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  child.on('message', (message) => tell(message as Result));
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`a process of the simulation ended with ${code}`);
}

function report({ seed, plan, violations, stats }: Result): void {
  console.log(`\nseed ${seed} (${plan.scale}, ${plan.policy.name}) does not hold:`);
  for (const { rule, what } of violations.slice(0, 5)) console.log(`  ${rule}  ${what}`);
  console.log(`  after ${stats['steps']} steps, ${stats['requests']} requests`);
  console.log(`  replay: npm run simulate -- --seed ${seed} --trace`);
}

const one = values.seed === undefined ? null : Number(values.seed);
const first = one ?? Number(values.from);
const last = one ?? first + Number(values.seeds) - 1;
const jobs = one === null ? Math.min(Number(values.jobs), last - first + 1) : 1;
const results: Result[] = [];
const begun = performance.now();

await Promise.all(
  Array.from({ length: jobs }, (_, job) =>
    live({ first: first + job, last, step: jobs }, (result) => {
      results.push(result);
      if (result.violations.length > 0) report(result);
    }),
  ),
);

const sum = (name: string) => results.reduce((total, { stats }) => total + (stats[name] ?? 0), 0);
const failed = results.filter(({ violations }) => violations.length > 0).map(({ seed }) => seed);
const seconds = (performance.now() - begun) / 1_000;
console.log(
  `\n${results.length} seeds, ${failed.length} failed${failed.length > 0 ? `: ${failed.sort((a, b) => a - b).join(' ')}` : ''}`,
);
console.log(
  `${Math.round(sum('virtualMs') / DAY_MS)} days of virtual time in ${seconds.toFixed(0)} s · ${sum('deliveries')} deliveries, ` +
    `${sum('requests')} requests · ${sum('crashes')} crashes, ${sum('pauses')} pauses, ${sum('clockSteps')} clock steps, ` +
    `${sum('injections')} faults of the store, ${sum('breakersOpened')} breakers opened`,
);
process.exitCode = failed.length > 0 || results.length === 0 ? 1 : 0;
