import { isIP } from 'node:net';
import { getDomain } from 'tldts';
import type { Environment } from './environment.js';
import { isKnownEnvironment } from './origins.js';

/**
 * The RP ID, the domain that passkeys belong to (WebAuthn Level 3 §4). Null where there can be no passkeys: browsers
 * make none for an IP address, and an unknown environment has no origin.
 */
export function relyingPartyId(environment: Environment): string | null {
  const { hostname } = new URL(environment.baseWebUrl);
  if (!isKnownEnvironment(environment) || isAddress(hostname)) return null;
  return environment.passkeyRpId ?? hostname;
}

/** Whether a page of a host may use an RP ID: that of the host itself, or of a parent that an owner can register. */
export function mayUseRpId(hostname: string, rpId: string): boolean {
  if (rpId === hostname) return true;
  const domain = getDomain(hostname, { allowPrivateDomains: true });
  const isParent = hostname.endsWith(`.${rpId}`);
  return isParent && domain !== null && (rpId === domain || rpId.endsWith(`.${domain}`));
}

function isAddress(hostname: string): boolean {
  return isIP(hostname) !== 0 || hostname.startsWith('[');
}
