import { isIPv4, isIPv6 } from 'node:net';
import { groupsOf, ipv4Of, numberOf } from '../config/address-space.js';

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

/** One that a socket for both kinds shows as an IPv6 address (RFC 4291 §2.5.5.2) counts as the IPv4 address it is. */
function networkOfIPv6(ip: string): string {
  const groups = groupsOf(ip);
  const isMapped = groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff';
  return isMapped ? ipv4Of(numberOf(ip)) : groups.slice(0, 4).join(':');
}
