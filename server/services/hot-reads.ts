// What every publish reads before it writes, read once between two commits: a memory that any commit of any
// process empties, so that it is never staler than the store itself.
import type { Queries } from '@/server/ports/queries';
import type { Store } from '@/server/ports/store';

export type HotQueries = Pick<
  Queries,
  'apiKeyByHash' | 'app' | 'appEnvironment' | 'eventType' | 'endpoints' | 'breakers' | 'policy'
>;

/** More distinct questions than this between two commits are no longer the same publisher's. */
const MOST_ANSWERS = 1_000;

interface Memory {
  version: number;
  answers: Map<string, Promise<unknown>>;
  queries: HotQueries;
}

const memories = new WeakMap<Store, Memory>();

/** The same reads as `store.read`, each asked once per state of the store. */
export function hotReads(store: Store): HotQueries {
  const known = memories.get(store);
  if (known !== undefined) return known.queries;
  const memory: Memory = { version: store.version(), answers: new Map(), queries: store.read };
  const remembered = <A extends unknown[], R>(name: string, ask: (...args: A) => Promise<R>) => {
    return (...args: A): Promise<R> => {
      const answers = fresh(memory, store);
      const question = `${name} ${JSON.stringify(args)}`;
      const answered = answers.get(question) as Promise<R> | undefined;
      if (answered !== undefined) return answered;
      const answer = ask(...args);
      answers.set(question, answer);
      answer.catch(() => answers.delete(question));
      return answer;
    };
  };
  memory.queries = {
    apiKeyByHash: remembered('apiKeyByHash', (hash) => store.read.apiKeyByHash(hash)),
    app: remembered('app', (id) => store.read.app(id)),
    appEnvironment: remembered('appEnvironment', (scope) => store.read.appEnvironment(scope)),
    eventType: remembered('eventType', (appId, type) => store.read.eventType(appId, type)),
    endpoints: remembered('endpoints', (scope) => store.read.endpoints(scope)),
    breakers: remembered('breakers', (scope) => store.read.breakers(scope)),
    policy: remembered('policy', (id) => store.read.policy(id)),
  };
  memories.set(store, memory);
  return memory.queries;
}

function fresh(memory: Memory, store: Store): Memory['answers'] {
  const version = store.version();
  if (version !== memory.version || memory.answers.size >= MOST_ANSWERS) {
    memory.version = version;
    memory.answers = new Map();
  }
  return memory.answers;
}
