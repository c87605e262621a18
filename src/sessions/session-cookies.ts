import { Injectable } from '@nestjs/common';
import { PENDING_LOGIN_SECONDS } from '../accounts/pending-logins.repository.js';
import { Environment } from '../config/environment.js';
import { SecretCookie, unplantableName } from '../http/secret-cookie.js';

/** The cookie that carries the session token. */
@Injectable()
export class SessionCookie extends SecretCookie {
  constructor(environment: Environment) {
    const { sessionCookieName: name, sessionCookieMaxAge: maxAgeSeconds } = environment;
    super(environment, { name, maxAgeSeconds, sameSite: 'strict' });
  }
}

/** The name of the cookie that carries the token of a login which lacks its second step. */
export function pendingLoginCookieName(
  environment: Pick<Environment, 'environment' | 'sessionCookieName'>,
): string {
  return unplantableName(environment, `${environment.sessionCookieName}_pending`);
}

/**
 * The cookie of such a login. Planted from a neighbouring host, it would let the owner's code link the identity of a
 * stranger.
 */
@Injectable()
export class PendingLoginCookie extends SecretCookie {
  constructor(environment: Environment) {
    const name = pendingLoginCookieName(environment);
    super(environment, { name, maxAgeSeconds: PENDING_LOGIN_SECONDS, sameSite: 'strict' });
  }
}
