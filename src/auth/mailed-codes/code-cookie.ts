import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Environment } from '../../config/environment.js';
import { SecretCookie, unplantableName } from '../../http/secret-cookie.js';
import { isMintedToken } from '../../secrets/token.js';

const DAY_SECONDS = 86_400;

/**
 * The cookie of the browser that asked for a mailed code: the code is worth nothing in another one. It lasts as long
 * as the longest of them. Like the cookie of a signup, it has the prefix `__Host-` outside `dev`: a neighbouring host
 * could otherwise plant the one of its own browser, and would need only the code.
 */
@Injectable()
export class CodeCookie extends SecretCookie {
  constructor(environment: Environment) {
    super(environment, {
      name: unplantableName(environment, `${environment.sessionCookieName}_code`),
      maxAgeSeconds: DAY_SECONDS,
      sameSite: 'strict',
    });
  }

  /** What was never minted here counts as none. */
  override read(request: FastifyRequest): string | null {
    const token = super.read(request);
    return token !== null && isMintedToken(token) ? token : null;
  }

  /** Leaves the cookie as it is within the minute in which nothing is mailed again: the code mailed before needs it. */
  setGiven(reply: FastifyReply, token: string | null): void {
    if (token !== null) this.set(reply, token);
  }
}
