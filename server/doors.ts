// The two doors of the console's process, over its container: REST for programs, tRPC for the console.
import { createRestApp, type Readiness } from '@/server/api/rest/app';
import { trpcHandler } from '@/server/api/trpc/handler';
import { type Container, getContainer } from '@/server/container';

const STALLED_MS = 15_000;

interface Slot {
  rest?: ReturnType<typeof createRestApp>;
}

const shared = globalThis as { __hookladderDoors?: Slot };

/** Everything under `/dev`, `/healthz`, `/readyz` and `/api/dispatch`. */
export async function serveRest(request: Request): Promise<Response> {
  shared.__hookladderDoors ??= {};
  const slot = shared.__hookladderDoors;
  slot.rest ??= restOf(getContainer());
  return slot.rest.fetch(request);
}

/** Everything under `/api/trpc`. */
export async function serveTrpc(request: Request): Promise<Response> {
  const { services, runtime, actorOf } = getContainer();
  const refreshActor = () => actorOf(request.headers);
  const actor = await refreshActor();
  return trpcHandler(request, { actor, refreshActor, deps: services, requestId: runtime.newId('req') });
}

function restOf(container: Container) {
  return createRestApp({
    deps: container.services,
    dispatchToken: container.dispatchToken,
    startEngine: () => container.startEngine(),
    readiness: () => readinessOf(container),
  });
}

/** Database writable, migrations current, own loop turning; without an engine of its own that is a warning. */
async function readinessOf({ runtime, engineTurnedAt }: Container): Promise<Readiness> {
  const { store, clock, env } = runtime;
  const checks: Record<string, string> = {};
  try {
    await store.transact((tx) => tx.setMeta('ready_at', String(clock.now())));
    checks['database'] = 'ok';
  } catch {
    checks['database'] = 'the database cannot be written: look for a full disk or a lock';
  }
  const turnedAt = engineTurnedAt();
  if (env.role === 'console')
    checks['engine'] = 'ok: it runs in another process, which is not looked at from here';
  else if (turnedAt === null) checks['engine'] = 'the engine has not turned yet';
  else checks['engine'] = clock.now() - turnedAt > STALLED_MS ? 'the engine’s loop stands still' : 'ok';
  const ready = Object.values(checks).every((check) => check.startsWith('ok'));
  return { ready, checks };
}
