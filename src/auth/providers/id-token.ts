import jwt from 'jsonwebtoken';
import { LoginFailure } from './login-failure.js';
import type { Profile } from './profile.js';
import type { Provider } from './providers.js';

/** How far the clock of a provider may be behind ours. */
const CLOCK_SKEW_SECONDS = 300;

/** The end of the year 9999: no later time is one that PostgreSQL and JavaScript both know. */
const LAST_SECOND = 253_402_300_799;

/**
 * When the user of a login that may have been silent proved at the provider who they are. Returns null where the provider
 * does not say so, or says it of another login: as with those that have no ID token, the login itself then counts.
 */
export function loginTimeIn(idToken: unknown, profile: Profile, provider: Provider): Date | null {
  const claims = claimsIn(idToken);
  const { auth_time: loggedInAt } = claims;
  const isTime = Number.isSafeInteger(loggedInAt) && loggedInAt >= 0 && loggedInAt <= LAST_SECOND;
  return isTime && isTheirs(claims, profile, provider) ? new Date(loggedInAt * 1000) : null;
}

/**
 * Throws LoginFailure when a provider, which was asked for a fresh login, says that the user logged in there before the
 * flow began. One that does not say when is believed (OpenID Connect Core §3.1.2.1).
 */
export function assertLoginSince(
  begunAt: number,
  idToken: unknown,
  profile: Profile,
  provider: Provider,
): void {
  const claims = claimsIn(idToken);
  const { auth_time: loggedInAt } = claims;
  if (loggedInAt === undefined) return;
  if (!isTheirs(claims, profile, provider) || !(Number(loggedInAt) >= begunAt - CLOCK_SKEW_SECONDS))
    throw new LoginFailure('provider_error', new Error('the identity provider did not ask the user again'));
}

/**
 * Whether an ID token is about the login of this user at this provider. It came from the token endpoint itself, so TLS
 * vouches for it in place of its signature (§3.1.3.7, 6).
 */
function isTheirs(
  { iss, aud, sub }: jwt.JwtPayload,
  { subject }: Profile,
  { issuer, clientId }: Provider,
): boolean {
  return iss === issuer && [aud].flat().includes(clientId) && sub === subject;
}

/** Some providers have none, or one that is encrypted. */
function claimsIn(idToken: unknown): jwt.JwtPayload {
  try {
    return typeof idToken === 'string' ? Object(jwt.decode(idToken)) : {};
  } catch {
    return {};
  }
}
