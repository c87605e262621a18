import { getDomain } from 'tldts';

/**
 * Whether a browser counts two addresses as one site, and so sends a SameSite=Strict cookie from one to the other: the
 * same scheme and registrable domain. `github.io` and the like are domains of many owners.
 */
export function isSameSite(one: string, other: string): boolean {
  return siteOf(one) === siteOf(other);
}

/** A host without a registrable domain, such as localhost or an IP address, is a site by itself. */
function siteOf(address: string): string {
  const { protocol, hostname } = new URL(address);
  return `${protocol}//${getDomain(hostname, { allowPrivateDomains: true }) ?? hostname}`;
}
