// Lives the worlds of some seeds, one after the other, and tells its parent how each ended.
// Arguments: first seed, last seed, step, `trace` where each line of a life is wanted on stdout.
import { simulate } from './simulate';

const [first = '1', last = first, step = '1', trace = ''] = process.argv.slice(2);
const print = (line: string) => void process.stdout.write(`${line}\n`);

for (let seed = Number(first); seed <= Number(last); seed += Number(step)) {
  const result = await simulate({ seed, ...(trace === 'trace' ? { trace: print } : {}) });
  process.send?.(result);
}
