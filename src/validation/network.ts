import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * A block of addresses in CIDR notation (RFC 4632, RFC 4291 §2.3), in its canonical form. Null for what is none, for all
 * addresses at once, for one whose address lies within the block, and for IPv4 within IPv6, which no client has here.
 */
export function canonicalNetwork(text: string): string | null {
  const [base = ''] = text.split('/');
  if (isIP(base) === 0 || base.includes('%') || !ipaddr.isValidCIDR(text)) return null;
  const [address, prefix] = ipaddr.parseCIDR(text);
  const isMapped = address.range() === 'ipv4Mapped';
  if (prefix === 0 || isMapped || String(networkOf(text)) !== String(address)) return null;
  return `${address}/${prefix}`;
}

function networkOf(text: string) {
  const family = isIP(text.split('/')[0] as string) === 6 ? ipaddr.IPv6 : ipaddr.IPv4;
  return family.networkAddressFromCIDR(text);
}
