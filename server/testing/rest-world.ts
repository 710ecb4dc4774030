import { createRestApp } from '@/server/api/rest/app';
import { createServiceWorld } from './service-world';

export const DISPATCH_TOKEN = 'dispatch-token-of-the-tests';

interface Init {
  key?: string | null;
  headers?: Record<string, string>;
  body?: unknown;
}

/** The REST door in process: no server, real store. `call` sends and reads JSON. */
export async function createRestWorld(options: Parameters<typeof createServiceWorld>[0] = {}) {
  const world = await createServiceWorld(options);
  const state = { ready: true, starts: 0 };
  const rest = createRestApp({
    deps: world.deps,
    dispatchToken: DISPATCH_TOKEN,
    startEngine: () => {
      state.starts += 1;
    },
    readiness: async () => ({
      ready: state.ready,
      checks: { database: state.ready ? 'ok' : 'not writable' },
    }),
  });
  const { text, row: keyRow } = await world.key();
  const base = `/dev/apps/${world.app.publicId}`;

  async function call(method: string, path: string, init: Init = {}) {
    const bearer = init.key === undefined ? text : init.key;
    const response = await rest.request(path.startsWith('/') ? path : `${base}/${path}`, {
      method,
      body: init.body === undefined ? undefined : JSON.stringify(init.body),
      headers: {
        ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
        ...(init.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...init.headers,
      },
    });
    const answered = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      // Shapes are what the tests themselves assert.
      // biome-ignore lint/suspicious/noExplicitAny: JSON as it came
      body: (answered === '' ? null : JSON.parse(answered)) as any,
    };
  }
  return { world, rest, call, base, text, keyRow, state };
}
