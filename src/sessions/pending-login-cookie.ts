import { Injectable } from '@nestjs/common';
import { Environment } from '../config/environment.js';
import { SecretCookie } from '../http/secret-cookie.js';
import { PENDING_LOGIN_SECONDS } from './pending-logins.repository.js';

/** The cookie that carries the token of a login which lacks its second step. */
@Injectable()
export class PendingLoginCookie extends SecretCookie {
  constructor(environment: Environment) {
    const name = `${environment.sessionCookieName}_pending`;
    super(environment, { name, maxAgeSeconds: PENDING_LOGIN_SECONDS, sameSite: 'strict' });
  }
}
