import { Injectable } from '@nestjs/common';
import { Environment } from '../config/environment.js';
import { SecretCookie, unplantableName } from './secret-cookie.js';

const ONE_YEAR_SECONDS = 31_536_000;

/**
 * The cookie with the tag of the language that somebody chose for this browser, and nothing else. It is no secret, but is kept
 * like one, so that no neighbouring host plants it. Lax, because a link from elsewhere opens a page in that language too.
 */
@Injectable()
export class LanguageCookie extends SecretCookie {
  constructor(environment: Environment) {
    const name = unplantableName(environment, `${environment.sessionCookieName}_language`);
    super(environment, { name, maxAgeSeconds: ONE_YEAR_SECONDS, sameSite: 'lax' });
  }
}
