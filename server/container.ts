// The composition root: the only file that knows every adapter. One slot on globalThis, because a module is evaluated
// up to three times in one process; nothing is opened at import.
import { createAccounts, createDirectory } from '@/server/auth/accounts';
import { actorFromHeaders } from '@/server/auth/actor';
import { type Auth, createAuth, type SignInResult } from '@/server/auth/config';
import { createAuthHandler } from '@/server/auth/handler';
import { type DemoFacts, readDemoFacts } from '@/server/demo-folder';
import { createEngineLink, type EngineLink } from '@/server/engine-link';
import { readEnv } from '@/server/env';
import type { Change } from '@/server/ports/store';
import { createRuntime, type Part, type Runtime } from '@/server/runtime';
import type { UserActor } from '@/server/services/actor';
import type { Accounts } from '@/server/services/admin';
import type { ServiceDeps } from '@/server/services/deps';
import { authStorage } from '@/server/storage';

const WATCH_MS = 250;
const DUE_COUNTED = 10_000;

export interface Container {
  runtime: Runtime;
  services: ServiceDeps;
  auth: Auth;
  accounts: Accounts;
  handleAuth: (request: Request) => Promise<Response>;
  actorOf(headers: Headers, options?: { renewsSession?: boolean }): Promise<UserActor | null>;
  /** Bearer of `POST /api/dispatch`; null: none was made, nobody may call it. */
  dispatchToken: string | null;
  /** Starts the engine if this role has one; idempotent (R-PUB-6, O31). */
  startEngine(): void;
  /** When this process's engine last turned, epoch ms; null: not yet, or it has none. */
  engineTurnedAt(): number | null;
  demoCredentials(): Pick<DemoFacts, 'merchant' | 'support'> | null;
  /** Graceful stop: the engine first, then the store. */
  close(): Promise<void>;
}

interface Slot {
  container?: Container;
}

const shared = globalThis as { __hookladder?: Slot };
shared.__hookladder ??= {};
const slot: Slot = shared.__hookladder;

/** The container of this process, made at the first call. @throws ConfigurationError */
export function getContainer(): Container {
  slot.container ??= createContainer('console');
  return slot.container;
}

/** A container outside the slot: for commands, which end. Its engine is another process's. */
export function createContainer(part: Part): Container {
  const runtime = createRuntime(readEnv(), part);
  const { env, store, clock, random, log, secretBox, newId, folderKeys } = runtime;
  for (const warning of env.warnings) log.warn('configuration', { warning });
  const link = part === 'console' && env.role === 'all' ? createEngineLink({ clock, log }) : null;
  const auth = createAuth({
    ...authStorage(env, store),
    secret: sessionSecretOf(runtime),
    baseURL: env.publicUrl,
    now: () => clock.now(),
    newId,
    log,
    trustedProxies: env.trustedProxies.map(({ text }) => text),
    onSignIn: (result) => recordSignIn(runtime, result),
  });
  const services: ServiceDeps = {
    store,
    clock,
    random,
    secretBox,
    log,
    guard: { allowNetworks: env.allowNetworks, ownHosts: ownHostsOf(env.publicUrl) },
    engine: engineHandle(runtime, link),
    changes: changesOf(runtime, link),
    directory: createDirectory(auth),
    publicUrl: env.publicUrl,
    demo: env.demo,
  };
  // What this process commits is work for the engine thread: the kick goes with the commit, not with the poll.
  store.onChange(() => link?.kick());
  return {
    runtime,
    services,
    auth,
    accounts: createAccounts(auth, () => clock.now()),
    handleAuth: createAuthHandler(auth, { baseURL: env.publicUrl }),
    actorOf: (headers, options) => actorFromHeaders(headers, { auth, ...options }),
    dispatchToken: env.dispatchToken ?? folderKeys.dispatchToken ?? null,
    startEngine: () => link?.start(),
    engineTurnedAt: () => link?.status().lastTurnAt ?? null,
    demoCredentials: () => (env.demo ? readDemoFacts(env.dataFolder) : null),
    async close() {
      await link?.stop();
      await store.close();
    },
  };
}

function sessionSecretOf({ env, folderKeys }: Runtime): string {
  const secret = env.sessionSecret ?? folderKeys.sessionSecret;
  if (!secret)
    throw new Error('There is no session secret: set HOOKLADDER_SESSION_SECRET (openssl rand -base64 32).');
  return secret;
}

function ownHostsOf(publicUrl: string) {
  const { hostname, port, protocol } = new URL(publicUrl);
  return [{ host: hostname, port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port) }];
}

function engineHandle({ store, clock }: Runtime, link: EngineLink | null): ServiceDeps['engine'] {
  return {
    kick: () => link?.kick(),
    status: async () => {
      const { running, inFlight } = link?.status() ?? { running: false, inFlight: 0 };
      return { running, inFlight, due: await store.read.dueNow(clock.now(), DUE_COUNTED) };
    },
  };
}

/** Commits of this process and of the engine thread at once, those of other processes within a quarter second. */
function changesOf({ store, clock }: Runtime, link: EngineLink | null): ServiceDeps['changes'] {
  return {
    subscribe(listener) {
      const unsubscribe = [store.onChange(listener), link?.onChange(listener) ?? (() => undefined)];
      if (!link) unsubscribe.push(watchVersion(store, clock, listener));
      return () => {
        for (const stop of unsubscribe) stop();
      };
    },
  };
}

function watchVersion(
  store: Runtime['store'],
  clock: Runtime['clock'],
  listener: (changes: readonly Change[]) => void,
): () => void {
  let version = store.version();
  let cancel: () => void = () => undefined;
  const look = () => {
    const now = store.version();
    if (now !== version) {
      version = now;
      listener([]);
    }
    cancel = clock.setTimer(clock.now() + WATCH_MS, look);
  };
  look();
  return () => cancel();
}

async function recordSignIn(
  { store, newId }: Runtime,
  { userId, email, result, at }: SignInResult,
): Promise<void> {
  await store.transact((tx) =>
    tx.insertAudit({
      organizationId: null,
      appId: null,
      environment: null,
      at,
      actorKind: 'user',
      actorId: userId ?? 'unknown',
      action: 'session.signed_in',
      objectId: userId,
      result,
      requestId: newId('req'),
      detail: userId ? {} : { email },
    }),
  );
}
