import jwt from 'jsonwebtoken';
import { LoginFailure } from './login-failure.js';
import type { Profile } from './profile.js';
import type { Provider } from './providers.js';

/** How far the clock of a provider may be behind ours. */
const CLOCK_SKEW_SECONDS = 300;

/**
 * Throws LoginFailure when a provider, which was asked for a fresh login, says that the user logged in there before the
 * flow began. One that does not say when is believed (OpenID Connect Core §3.1.2.1). The ID token came from the token
 * endpoint itself, so TLS vouches for it in place of its signature (§3.1.3.7, 6).
 */
export function assertLoginSince(
  begunAt: number,
  idToken: unknown,
  { subject }: Profile,
  { issuer, clientId }: Provider,
): void {
  const { iss, aud, sub, auth_time: loggedInAt } = claimsIn(idToken);
  if (loggedInAt === undefined) return;
  const isTheirs = iss === issuer && [aud].flat().includes(clientId) && sub === subject;
  if (!isTheirs || !(Number(loggedInAt) >= begunAt - CLOCK_SKEW_SECONDS))
    throw new LoginFailure('provider_error', new Error('the identity provider did not ask the user again'));
}

/** Some providers have none, or one that is encrypted. */
function claimsIn(idToken: unknown): jwt.JwtPayload {
  try {
    return typeof idToken === 'string' ? Object(jwt.decode(idToken)) : {};
  } catch {
    return {};
  }
}
