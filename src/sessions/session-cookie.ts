import { Injectable } from '@nestjs/common';
import { Environment } from '../config/environment.js';
import { SecretCookie } from '../http/secret-cookie.js';

/** The cookie that carries the session token. */
@Injectable()
export class SessionCookie extends SecretCookie {
  constructor(environment: Environment) {
    const { sessionCookieName: name, sessionCookieMaxAge: maxAgeSeconds } = environment;
    super(environment, { name, maxAgeSeconds, sameSite: 'strict' });
  }
}
