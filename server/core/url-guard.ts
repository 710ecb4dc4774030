// Invariant: a URL is accepted only when the parser of the platform and a plain reading of the text agree on its
// host, and no rule of R-ATT-7, R-ATT-8 or R-ATT-16 speaks against it. No DNS here: names are judged as names.
import { areAllAllowed, type Cidr, isPublicAddress } from './address-guard';
import type { Environment } from './model';

/** The rule that a URL breaks; stable, the API names it under `unsafe_url`. */
export type UrlRule =
  | 'empty'
  | 'too_long'
  | 'characters'
  | 'form'
  | 'scheme'
  | 'https_only'
  | 'userinfo'
  | 'host'
  | 'literal'
  | 'name'
  | 'port'
  | 'address'
  | 'self';

/** A host and port of this installation, as in PUBLIC_URL (R-ATT-16). */
export interface OwnHost {
  readonly host: string;
  readonly port: number;
}

/** What the judgement depends on besides the text. */
export interface UrlContext {
  environment: Environment;
  /** R-ATT-7: the operator's networks. With any, name and port rules are left to the addresses. */
  allowNetworks: readonly Cidr[];
  /** R-ATT-16: where PUBLIC_URL points; refused but for the built-in receiver. */
  ownHosts: readonly OwnHost[];
  /** R-ATT-16: whether `/r/{token}` is a living path of the built-in receiver. */
  receiverTokenAlive?(token: string): boolean;
}

/** An accepted URL taken apart, as a connection needs it. */
export interface UrlTarget {
  protocol: 'http:' | 'https:';
  /** Punycode, lower case, no brackets, no trailing dot. */
  hostname: string;
  port: number;
  /** `scheme://host[:port]`. */
  origin: string;
  /** Path and query, byte for byte as sent. */
  path: string;
  /** The host is an IP literal: no DNS will be asked. */
  isLiteral: boolean;
  /** A name or port rule is broken: good only if every address lies in an allowed network. */
  onlyIfAllowed: boolean;
  /** R-ATT-16: the URL is the built-in receiver's, under this token. */
  receiverToken: string | null;
}

export type UrlVerdict =
  | { ok: true; url: string; target: UrlTarget }
  | { ok: false; rule: UrlRule; message: string };

const MAX_LENGTH = 2_048;

/** Spaces, controls and everything that is not seen; a raw backslash is a slash to some parsers only. */
const FORBIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Z}\p{Default_Ignorable_Code_Point}\\]/u;

/** Domains that never lead to a public receiver: special-use names and those of local networks. */
const SPECIAL_NAMES = [
  ...['alt', 'arpa', 'corp', 'home', 'internal', 'intranet', 'invalid', 'lan', 'local', 'localdomain'],
  ...['localhost', 'onion', 'private', 'svc', 'test'],
] as const;

/** WHATWG's bad ports from 1024 up; below it only 80 and 443 are open. */
const BAD_PORTS = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697,
  10080,
]);

const RECEIVER_PATH = /^\/r\/([A-Za-z0-9_-]{1,128})(?:\?|$)/;

const MESSAGES: Record<UrlRule, string> = {
  empty: 'Enter the URL that should receive the events.',
  too_long: `The URL is longer than ${MAX_LENGTH.toLocaleString('en')} characters. Use a shorter one.`,
  characters: 'The URL contains a space, a backslash or an invisible character. Type it in again.',
  form: 'This is not a complete URL. Write it like https://hooks.example.com/path.',
  scheme: 'The URL must begin with https://, or in the test environment with http://.',
  https_only: 'A live endpoint must use https. Use the https URL of the receiver, or a test endpoint.',
  userinfo: 'Leave out the user name and password. Use an own header to authenticate.',
  host: 'The host name is not valid. Check it for empty or too long parts and unusual characters.',
  literal: 'Write the IP address in its plain, shortest form, or use a host name.',
  name: 'The host name is not a public one. Use a name that can be reached from the internet.',
  port: 'This port is not allowed. Use 443, 80 or a port from 1024 up that no other protocol owns.',
  address: 'The address is not a public one. Use one that can be reached from the internet.',
  self: 'The URL points at this installation itself. Use the URL of the receiver.',
};

/** What to do about a broken rule, in one sentence. */
export function urlRuleMessage(rule: UrlRule): string {
  return MESSAGES[rule];
}

/**
 * Judges and normalizes a target URL: host in lower-case punycode without trailing dot, default port, fragment
 * and dot segments gone, path and query else untouched. Never throws. R-ATT-7, R-ATT-8, R-ATT-16.
 */
export function checkUrl(input: string, context: UrlContext): UrlVerdict {
  const read = readUrl(input);
  if (!read.ok) return refuse(read.rule);
  const { url, target } = read;
  if (url.length > MAX_LENGTH) return refuse('too_long');
  if (target.protocol === 'http:' && context.environment === 'live') return refuse('https_only');
  if (context.ownHosts.some((own) => isOwn(own, target))) return judgeOwn(read, context);
  const broken = target.isLiteral ? brokenByLiteral(target, context) : brokenByName(target);
  if (broken === null) return { ok: true, url, target };
  // Without DNS nobody knows where a name leads: the connection lets it pass into an allowed network alone.
  if (target.isLiteral || context.allowNetworks.length === 0) return refuse(broken);
  return { ok: true, url, target: { ...target, onlyIfAllowed: true } };
}

function brokenByLiteral(target: UrlTarget, context: UrlContext): UrlRule | null {
  if (areAllAllowed([target.hostname], context.allowNetworks)) return null;
  if (!isPublicAddress(target.hostname)) return 'address';
  return isOpenPort(target.port) ? null : 'port';
}

function brokenByName(target: UrlTarget): UrlRule | null {
  if (isSpecialName(target.hostname)) return 'name';
  return isOpenPort(target.port) ? null : 'port';
}

type Read = { ok: true; url: string; target: UrlTarget } | { ok: false; rule: UrlRule };

/** The rules of form: they know no exemption. */
function readUrl(input: string): Read {
  const broken = brokenText(input);
  if (broken !== null) return { ok: false, rule: broken };
  const authority = /^https?:\/\/([^/?#]+)/i.exec(input)?.[1];
  if (authority === undefined) return { ok: false, rule: 'form' };
  if (authority.includes('@')) return { ok: false, rule: 'userinfo' };
  if (!URL.canParse(input)) return { ok: false, rule: 'form' };
  const parsed = new URL(input);
  parsed.hash = '';
  if (parsed.username !== '' || parsed.password !== '') return { ok: false, rule: 'userinfo' };
  const typedHost = authority.replace(/:\d*$/, '').toLowerCase();
  if (isLiteralHost(parsed.hostname)) {
    return typedHost === parsed.hostname ? takeApart(parsed, true) : { ok: false, rule: 'literal' };
  }
  if (typedHost.includes('%')) return { ok: false, rule: 'host' };
  if (parsed.hostname.endsWith('.')) parsed.hostname = parsed.hostname.slice(0, -1);
  return isWellFormedName(parsed.hostname) ? takeApart(parsed, false) : { ok: false, rule: 'host' };
}

function brokenText(input: string): UrlRule | null {
  if (input === '') return 'empty';
  if (input.length > MAX_LENGTH) return 'too_long';
  if (FORBIDDEN.test(input)) return 'characters';
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(input)?.[1]?.toLowerCase();
  if (scheme === undefined) return 'form';
  return scheme === 'https' || scheme === 'http' ? null : 'scheme';
}

function takeApart(parsed: URL, isLiteral: boolean): Read {
  const protocol = parsed.protocol === 'https:' ? 'https:' : 'http:';
  const target: UrlTarget = {
    protocol,
    hostname: parsed.hostname.replace(/^\[|\]$/g, ''),
    port: parsed.port === '' ? (protocol === 'https:' ? 443 : 80) : Number(parsed.port),
    origin: parsed.origin,
    path: parsed.pathname + parsed.search,
    isLiteral,
    onlyIfAllowed: false,
    receiverToken: null,
  };
  return { ok: true, url: parsed.href, target };
}

/** R-ATT-16: of this installation only the built-in receiver's living paths are a target. */
function judgeOwn(read: { url: string; target: UrlTarget }, context: UrlContext): UrlVerdict {
  const token = RECEIVER_PATH.exec(read.target.path)?.[1];
  if (token === undefined || !(context.receiverTokenAlive?.(token) ?? false)) return refuse('self');
  return { ok: true, url: read.url, target: { ...read.target, receiverToken: token } };
}

function isOwn(own: OwnHost, target: UrlTarget): boolean {
  const host = own.host.toLowerCase().replace(/^\[|\]$|\.$/g, '');
  return host === target.hostname && own.port === target.port;
}

/** The parser has made every IPv4 form four decimal parts and bracketed every IPv6 one. */
function isLiteralHost(hostname: string): boolean {
  return hostname.startsWith('[') || /^\d{1,3}(\.\d{1,3}){3}$/.test(hostname);
}

function isWellFormedName(name: string): boolean {
  return name.length <= 253 && name.split('.').every((label) => /^[a-z0-9_-]{1,63}$/.test(label));
}

function isSpecialName(name: string): boolean {
  if (!name.includes('.')) return true;
  return SPECIAL_NAMES.some((special) => name.endsWith(`.${special}`));
}

function isOpenPort(port: number): boolean {
  return port === 443 || port === 80 || (port >= 1_024 && !BAD_PORTS.has(port));
}

function refuse(rule: UrlRule): UrlVerdict {
  return { ok: false, rule, message: MESSAGES[rule] };
}
