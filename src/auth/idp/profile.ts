import { canonicalAddress } from '../../validation/address.js';
import { isAddress, isName } from '../../validation/rules.js';
import { LoginFailure } from './login-failure.js';

const MAX_SUBJECT_LENGTH = 255;

/** Who logged in at the provider (OpenID Connect Core §5.3.2, or what an OAuth provider has in its place). */
export interface Profile {
  subject: string;
  /** The address the provider vouches for; null when it vouches for none. */
  verifiedEmail: string | null;
  name: string | null;
}

/**
 * Reads a user info answer. An address without a word on whether it is verified counts as verified only from a provider
 * that vouches for all of them. Throws LoginFailure when the answer is not an object with a subject.
 */
export function parseProfile(text: string, vouchesEmails: boolean): Profile {
  const { sub, id, email, email_verified, name } = parseObject(text);
  const subject = parseSubject(sub ?? id);
  if (subject === null) throw new LoginFailure('provider_error', new Error('the user info has no subject'));

  const isVerified = email_verified === undefined ? vouchesEmails : isTrue(email_verified);
  const address = isVerified && typeof email === 'string' ? canonicalAddress(email) : null;
  return {
    subject,
    verifiedEmail: isAddress(address) ? address : null,
    name: isName(name) ? name : null,
  };
}

/** A number that JavaScript cannot tell from its neighbour would be the subject of several people. */
function parseSubject(value: unknown): string | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value > 0 ? String(value) : null;
  const isSubject =
    typeof value === 'string' && value !== '' && value.length <= MAX_SUBJECT_LENGTH && !value.includes('\0');
  return isSubject ? value : null;
}

/** Exactly true: some providers answer with strings, `"false"` among them. */
function isTrue(value: unknown): boolean {
  return value === true || value === 'true';
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // The parser would quote the text, which is the user's, in the log.
  }
  throw new LoginFailure('provider_error', new Error('the user info is no JSON object'));
}
