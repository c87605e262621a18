import { isIPv4, isIPv6 } from 'node:net';

/** The network of all requests without an address: together they may do what one network may. */
const NOWHERE = 'nowhere';

/**
 * The network an address belongs to, within which one subscriber moves freely: an IPv4 address by itself, or the
 * first 64 bits of an IPv6 address (RFC 6177).
 */
export function networkOf(ip: string | null): string {
  if (ip === null) return NOWHERE;
  if (isIPv4(ip)) return ip;
  return isIPv6(ip) ? networkOfIPv6(ip) : NOWHERE;
}

/**
 * The site an address belongs to, whose subscriber may move among many networks: an IPv4 address by itself, or the
 * first 48 bits of an IPv6 address, the most that a site is given (RFC 6177).
 */
export function siteOf(ip: string | null): string {
  const network = networkOf(ip);
  return network.includes(':') ? `${network.split(':').slice(0, 3).join(':')}::/48` : network;
}

function networkOfIPv6(ip: string): string {
  const shortest = new URL(`http://[${ip}]`).hostname.slice(1, -1);
  const mapped = /^::ffff:(\w+):(\w+)$/.exec(shortest);
  if (mapped) return ipv4Of(mapped.slice(1));

  const [head = [], tail = []] = shortest.split('::').map((half) => half.split(':').filter(Boolean));
  const zeros = Array(8 - head.length - tail.length).fill('0');
  return [...head, ...zeros, ...tail].slice(0, 4).join(':');
}

/** An IPv4 address that a socket for both kinds shows as an IPv6 address (RFC 4291 §2.5.5.2). */
function ipv4Of(groups: string[]): string {
  return groups
    .map((group) => Number.parseInt(group, 16))
    .flatMap((bits) => [bits >> 8, bits & 255])
    .join('.');
}
