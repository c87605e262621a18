import { canonicalAddress } from '../../users/address.js';
import { isAddress, isName } from '../../validation/rules.js';
import { LoginFailure } from './login-failure.js';

const MAX_SUBJECT_LENGTH = 255;

/** Who logged in at the provider (OpenID Connect Core §5.3.2). */
export interface Profile {
  subject: string;
  /** The address the provider vouches for; null when it vouches for none. */
  verifiedEmail: string | null;
  name: string | null;
}

/** Reads a user info answer. Throws LoginFailure when it is not an object with a subject. */
export function parseProfile(text: string): Profile {
  const { sub, email, email_verified, name } = parseObject(text);
  if (typeof sub !== 'string' || sub === '' || sub.length > MAX_SUBJECT_LENGTH || sub.includes('\0')) {
    throw new LoginFailure('provider_error', new Error('the user info has no subject'));
  }

  // Exactly true: some providers answer "false" as a string.
  const isVouchedFor = email_verified === true && isAddress(email);
  return {
    subject: sub,
    verifiedEmail: isVouchedFor ? canonicalAddress(email) : null,
    name: isName(name) ? name : null,
  };
}

function parseObject(text: string): Record<string, unknown> {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null) throw new Error('the user info is not an object');
  return value as Record<string, unknown>;
}
