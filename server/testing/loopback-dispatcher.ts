// A real dispatcher for tests against the zoo: loopback is an allowed network, names are the test's.
import { parseCidr } from '@/server/core/address-guard';
import type { DispatchRequest } from '@/server/ports/dispatcher';
import { createTargetGuard, type GuardOptions } from '../adapters/target-guard';
import { createUndiciDispatcher, type UndiciDispatcherOptions } from '../adapters/undici-dispatcher';
import { zooAuthority } from './receiver-zoo';

const LOOPBACK = parseCidr('127.0.0.0/8')!;

/** A guard that lets loopback pass and knows no name but those given. */
export function loopbackGuard(options: Partial<GuardOptions> = {}) {
  return createTargetGuard({
    allowNetworks: [LOOPBACK],
    ownListeners: [],
    publicUrl: 'http://localhost:3000',
    receiverTokenAlive: () => false,
    resolve: async () => ['127.0.0.1'],
    ...options,
  });
}

export function loopbackDispatcher(
  guard: Partial<GuardOptions> = {},
  options: Partial<UndiciDispatcherOptions> = {},
) {
  return createUndiciDispatcher({ guard: loopbackGuard(guard), ca: zooAuthority(), ...options });
}

/** A small signed-looking request in the test environment. */
export function requestTo(url: string, changes: Partial<DispatchRequest> = {}): DispatchRequest {
  return {
    url,
    environment: 'test',
    headers: [
      ['content-type', 'application/json'],
      ['webhook-id', 'evt_1'],
    ],
    body: Buffer.from('{"a":1}'),
    timeoutMs: 5_000,
    connections: 8,
    ...changes,
  };
}
