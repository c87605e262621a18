import { Injectable } from '@nestjs/common';
import { Environment } from '../config/environment.js';
import { SecretCookie } from '../http/secret-cookie.js';
import { DEVICE_MEMORY_DAYS } from './known-device.entity.js';

const DAY_SECONDS = 86_400;

/**
 * The cookie by which a browser is known again. Its name begins with that of the session cookie, and so with the
 * prefix `__Host-` of one. Lax: a Strict one would be missing when the identity provider sends the browser back.
 */
@Injectable()
export class DeviceCookie extends SecretCookie {
  constructor(environment: Environment) {
    const name = `${environment.sessionCookieName}_device`;
    super(environment, { name, maxAgeSeconds: DEVICE_MEMORY_DAYS * DAY_SECONDS, sameSite: 'lax' });
  }
}
