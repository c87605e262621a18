import { BlockList, isIP } from 'node:net';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8);
LOOPBACK.addAddress('::1', 'ipv6');

/** Networks that the internet does not reach (RFC 1918, RFC 4193, RFC 6598), and a single link. */
const PRIVATE = new BlockList();
PRIVATE.addSubnet('10.0.0.0', 8);
PRIVATE.addSubnet('172.16.0.0', 12);
PRIVATE.addSubnet('192.168.0.0', 16);
PRIVATE.addSubnet('100.64.0.0', 10);
PRIVATE.addSubnet('169.254.0.0', 16);
PRIVATE.addSubnet('fc00::', 7, 'ipv6');
PRIVATE.addSubnet('fe80::', 10, 'ipv6');

/** Domains that no public name is in (RFC 6761, RFC 6762, RFC 8375, and ICANN of `internal`). */
const PRIVATE_DOMAINS = ['localhost', 'local', 'test', 'internal', 'home.arpa'];

/** Whether a host is this machine, whatever asks. */
export function isLoopback(host: string): boolean {
  const name = plain(host);
  return name === 'localhost' || name.endsWith('.localhost') || isIn(LOOPBACK, name);
}

/**
 * Whether a host is this machine, or one of its network: a developer opens the service on a phone by such an address. A
 * name without a dot is that of a neighbour.
 */
export function isPrivate(host: string): boolean {
  const name = plain(host);
  if (isIP(name) !== 0) return isLoopback(name) || isIn(PRIVATE, name);
  return !name.includes('.') || PRIVATE_DOMAINS.some((domain) => name.endsWith(`.${domain}`));
}

/** In lower case, and without the brackets of an IPv6 address in a URL. */
function plain(host: string): string {
  return host.toLowerCase().replace(/^\[|\]$/g, '');
}

function isIn(list: BlockList, host: string): boolean {
  const version = isIP(host);
  return version !== 0 && list.check(host, version === 6 ? 'ipv6' : 'ipv4');
}
