import { isIPv4 } from 'node:net';
import { networkOf } from '../limits/network.js';

/** The neighbourhood of an address, in which nobody can be told apart: an IPv4 /24, or an IPv6 /48. */
export function coarseNetwork(ip: string): string {
  const network = networkOf(ip);
  if (isIPv4(network)) return network.replace(/\d+$/, '0/24');
  return `${network.split(':').slice(0, 3).join(':')}::/48`;
}
