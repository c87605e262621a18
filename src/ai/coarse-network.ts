import { isIPv4 } from 'node:net';
import { siteOf } from '../rate-limits/network.js';

/** The neighbourhood of an address, in which nobody can be told apart: an IPv4 /24, or an IPv6 /48. */
export function coarseNetwork(ip: string): string {
  const site = siteOf(ip);
  return isIPv4(site) ? site.replace(/\d+$/, '0/24') : site;
}
