import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Environment } from '../config/environment.js';
import { SecretCookie } from '../http/secret-cookie.js';
import { isMintedToken } from '../secrets/token.js';

const DAY_SECONDS = 86_400;

/** The cookie by which the browser that signed up is known, when it opens the mailed link. */
@Injectable()
export class SignupCookie extends SecretCookie {
  constructor(environment: Environment) {
    const name = `${environment.sessionCookieName}_signup`;
    super(environment, { name, maxAgeSeconds: DAY_SECONDS, sameSite: 'strict' });
  }

  /** What was never minted here, a short one that can be guessed among it, counts as none. */
  override read(request: FastifyRequest): string | null {
    const token = super.read(request);
    return token !== null && isMintedToken(token) ? token : null;
  }
}
