// Invariant: this is where a target is judged, at save and at every send, by the same rules of core. The guard has no
// off-switch; what cannot be decided is refused (R-ATT-7, O28).
import { lookup } from 'node:dns';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import {
  areAllAllowed,
  type Cidr,
  isInNetworks,
  judgeAddresses,
  parseCidr,
} from '@/server/core/address-guard';
import type { Environment } from '@/server/core/model';
import {
  checkUrl,
  type OwnHost,
  type UrlContext,
  type UrlTarget,
  type UrlVerdict,
  urlRuleMessage,
} from '@/server/core/url-guard';
import { DispatchFailure, REFUSED, REFUSED_PLAIN, REFUSED_SELF } from './error-class';

/** Every address of a name, in order of preference. Rejects with an error that has a `code`. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

export interface GuardOptions {
  /** HOOKLADDER_ALLOW_NETWORKS. */
  allowNetworks: readonly Cidr[];
  /** Where this installation listens, as bound: `0.0.0.0` and `::` stand for every address of the machine. */
  ownListeners: readonly OwnHost[];
  publicUrl: string;
  /** R-ATT-16: asked at every send to the built-in receiver; from memory, it must not block. */
  receiverTokenAlive(token: string): boolean;
  resolve?: Resolve;
  /** The machine's own addresses; read from its interfaces unless given. */
  localAddresses?: () => readonly string[];
}

export interface TargetGuard {
  /** R-ATT-7, R-ATT-8, R-ATT-16: everything that can be said without DNS. */
  judgeUrl(url: string, environment: Environment): UrlVerdict;
  /** As `judgeUrl`, and the name's addresses as they are now; DNS that fails speaks against nothing yet. */
  judgeForSave(url: string, environment: Environment): Promise<UrlVerdict>;
  /** R-ATT-7, R-ATT-16: judges all addresses of an answer; null when each may be connected to. */
  judgeAnswer(target: UrlTarget, addresses: readonly string[]): DispatchFailure | null;
  /** R-ATT-16: our own listener, for a target that is the built-in receiver; null for every other target. */
  dialFor(target: UrlTarget): OwnHost | null;
  resolve: Resolve;
}

const MAX_REMEMBERED = 5_000;
const LOOPBACK_V4 = parseCidr('127.0.0.0/8');

export function createTargetGuard(options: GuardOptions): TargetGuard {
  const context = { allowNetworks: options.allowNetworks, ownHosts: ownHostsOf(options.publicUrl) };
  const resolve = options.resolve ?? createSystemResolve();
  const localAddresses = options.localAddresses ?? interfaceAddresses;
  const accepted = new Map<string, UrlVerdict & { ok: true }>();

  const judgeUrl = (url: string, environment: Environment): UrlVerdict => {
    const key = `${environment} ${url}`;
    const known = accepted.get(key);
    if (known !== undefined) return known;
    const full: UrlContext = { ...context, environment, receiverTokenAlive: options.receiverTokenAlive };
    const verdict = checkUrl(url, full);
    // A token may die or come alive: what hangs on one is judged every time.
    if (!verdict.ok || verdict.target.receiverToken !== null) return verdict;
    if (accepted.size >= MAX_REMEMBERED) accepted.clear();
    accepted.set(key, verdict);
    return verdict;
  };

  const judgeAnswer = (target: UrlTarget, addresses: readonly string[]): DispatchFailure | null => {
    if (addresses.length === 0) return new DispatchFailure('dns', 'The host name has no address in DNS.');
    const isOwn = (own: OwnHost) =>
      own.port === target.port && listensOn(own.host, addresses, localAddresses);
    if (options.ownListeners.some(isOwn)) {
      return new DispatchFailure('refused_address', REFUSED_SELF);
    }
    const passes = target.onlyIfAllowed
      ? areAllAllowed(addresses, options.allowNetworks)
      : judgeAddresses(addresses, options.allowNetworks) === 'ok';
    return passes ? null : new DispatchFailure('refused_address', REFUSED);
  };

  const judgeForSave = async (url: string, environment: Environment): Promise<UrlVerdict> => {
    const verdict = judgeUrl(url, environment);
    if (!verdict.ok || verdict.target.isLiteral || verdict.target.receiverToken !== null) return verdict;
    const addresses = await resolve(verdict.target.hostname).catch(() => []);
    if (addresses.length === 0) return verdict;
    const failure = judgeAnswer(verdict.target, addresses);
    if (failure === null) return verdict;
    const rule = failure.message === REFUSED_SELF ? 'self' : 'address';
    return { ok: false, rule, message: urlRuleMessage(rule) };
  };

  return {
    judgeUrl,
    judgeForSave,
    judgeAnswer,
    dialFor: (target) => (target.receiverToken === null ? null : dialable(options.ownListeners[0])),
    resolve,
  };
}

/** The failure that an attempt ends with when its URL is refused: no more than R-ATT-7's one sentence. */
export function urlFailure(verdict: UrlVerdict & { ok: false }): DispatchFailure {
  if (verdict.rule === 'self') return new DispatchFailure('refused_address', REFUSED_SELF);
  if (verdict.rule === 'https_only') return new DispatchFailure('refused_address', REFUSED_PLAIN);
  return new DispatchFailure('refused_address', REFUSED);
}

/**
 * The system's resolver, every address. Look-ups of one name that are under way are shared: they run on a small pool
 * of threads, and a name server that hangs for one endpoint must not take a thread for each of its slots.
 */
export function createSystemResolve(): Resolve {
  const underWay = new Map<string, Promise<readonly string[]>>();
  return (hostname) => {
    const running = underWay.get(hostname);
    if (running !== undefined) return running;
    const started = new Promise<readonly string[]>((resolve, reject) => {
      lookup(hostname, { all: true, verbatim: true }, (error, answers) => {
        underWay.delete(hostname);
        if (error === null) resolve(answers.map((answer) => answer.address));
        else reject(error);
      });
    });
    underWay.set(hostname, started);
    return started;
  };
}

function ownHostsOf(publicUrl: string): OwnHost[] {
  const { hostname, port, protocol } = new URL(publicUrl);
  return [{ host: hostname, port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port) }];
}

function interfaceAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map((one) => one.address));
}

const WILDCARDS = ['0.0.0.0', '::', ''];

/** Whether a listener bound to this host takes what is sent to one of the addresses. */
function listensOn(host: string, addresses: readonly string[], local: () => readonly string[]): boolean {
  if (WILDCARDS.includes(host)) {
    const ours = local();
    return addresses.some((address) => isLoopback(address) || ours.includes(address));
  }
  return addresses.some((address) => (isIP(host) === 0 ? isLoopback(address) : host === address));
}

function isLoopback(address: string): boolean {
  return address === '::1' || (LOOPBACK_V4 !== null && isInNetworks(address, [LOOPBACK_V4]));
}

function dialable(own: OwnHost | undefined): OwnHost | null {
  if (own === undefined) return null;
  if (own.host === '::') return { host: '::1', port: own.port };
  return WILDCARDS.includes(own.host) ? { host: '127.0.0.1', port: own.port } : own;
}
