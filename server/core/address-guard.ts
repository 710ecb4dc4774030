// Invariant: an address is public only when nothing says otherwise. What cannot be read, is scoped, or
// carries an IPv4 address inside an IPv6 one is refused; an allowed network is the only way round (R-ATT-7).
import ipaddr from 'ipaddr.js';

/** One network, as the operator wrote it (`10.0.0.0/8`) and as it is compared. */
export interface Cidr {
  readonly text: string;
  readonly family: 4 | 6;
  readonly bytes: readonly number[];
  readonly prefix: number;
}

/** What the addresses of one DNS answer (or one literal) come to. */
export type AddressVerdict = 'ok' | 'refused' | 'empty';

/** IANA's special-purpose blocks, its anycast blocks and the Azure platform address: never a receiver. */
const REFUSED_V4 = networks([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]);

/** Only global unicast space is a candidate: this alone refuses mapped, compatible and NAT64 forms. */
const UNICAST_V6 = networks(['2000::/3']);

const REFUSED_V6 = networks(['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20', '2620:4f:8000::/48']);

/** Reads one network; `null` when it is not one or has bits set behind its prefix. */
export function parseCidr(text: string): Cidr | null {
  const [address, prefixText, ...rest] = text.trim().split('/');
  if (address === undefined || rest.length > 0) return null;
  const bytes = addressBytes(address);
  if (bytes === null) return null;
  const bits = bytes.length * 8;
  if (prefixText !== undefined && !/^\d{1,3}$/.test(prefixText)) return null;
  const prefix = prefixText === undefined ? bits : Number(prefixText);
  if (prefix > bits) return null;
  const cidr: Cidr = { text: text.trim(), family: bytes.length === 4 ? 4 : 6, bytes, prefix };
  const hostBits = bytes.some((byte, index) => (byte & ~maskAt(prefix, index) & 0xff) !== 0);
  return hostBits ? null : cidr;
}

/** R-ATT-7: whether the address is public unicast, one that a delivery may be sent to. */
export function isPublicAddress(address: string): boolean {
  const bytes = addressBytes(address);
  if (bytes === null) return false;
  if (bytes.length === 4) return !lies(bytes, REFUSED_V4);
  return lies(bytes, UNICAST_V6) && !lies(bytes, REFUSED_V6);
}

/** Whether the address lies in one of the networks. An IPv4-mapped form lies in no IPv4 network. */
export function isInNetworks(address: string, allowNetworks: readonly Cidr[]): boolean {
  const bytes = addressBytes(address);
  return bytes !== null && lies(bytes, allowNetworks);
}

/** R-ATT-7: whether every address lies in an allowed network, which exempts the host from the rules. */
export function areAllAllowed(addresses: readonly string[], allowNetworks: readonly Cidr[]): boolean {
  return addresses.length > 0 && addresses.every((address) => isInNetworks(address, allowNetworks));
}

/** R-ATT-7: judges every address of an answer together; one that is not public refuses them all. */
export function judgeAddresses(addresses: readonly string[], allowNetworks: readonly Cidr[]): AddressVerdict {
  if (addresses.length === 0) return 'empty';
  if (areAllAllowed(addresses, allowNetworks)) return 'ok';
  return addresses.every(isPublicAddress) ? 'ok' : 'refused';
}

function networks(texts: readonly string[]): Cidr[] {
  return texts.map((text) => {
    const cidr = parseCidr(text);
    if (cidr === null) throw new Error(`not a network: ${text}`);
    return cidr;
  });
}

/** The bytes of an address in plain spelling; `null` for scopes, octal, short and unreadable forms. */
function addressBytes(address: string): number[] | null {
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) {
    return /(^|\.)0\d/.test(address) ? null : ipaddr.IPv4.parse(address).toByteArray();
  }
  if (!address.includes(':') || address.includes('%') || !ipaddr.IPv6.isValid(address)) return null;
  return ipaddr.IPv6.parse(address).toByteArray();
}

function lies(bytes: readonly number[], among: readonly Cidr[]): boolean {
  return among.some((cidr) => cidr.bytes.length === bytes.length && matches(bytes, cidr));
}

function matches(bytes: readonly number[], cidr: Cidr): boolean {
  return bytes.every((byte, index) => ((byte ^ (cidr.bytes[index] ?? 0)) & maskAt(cidr.prefix, index)) === 0);
}

/** The mask of one byte: prefix 20 gives 255, 255, 240, 0. */
function maskAt(prefix: number, index: number): number {
  const bits = Math.min(8, Math.max(0, prefix - index * 8));
  return (0xff << (8 - bits)) & 0xff;
}
